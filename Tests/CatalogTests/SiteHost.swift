import AuthService
import Contracts
import Foundation
import GatewayService
import Persistence
import ServiceKit
import TestKit

@testable import CatalogService

/// Catalog behind the gateway with a manual clock, for its exercises, messaging and site.
struct SiteHost: Sendable {
  let platform: Platform
  let folder: String
  let time: ManualTime
  var client: APIClient { platform.client() }

  static func run(
    settings: [String: String] = [:],
    database: TestDatabase = .sqlite,
    time: ManualTime = ManualTime(),
    _ body: @escaping @Sendable (SiteHost) async throws -> Void
  ) async throws {
    try await TemporaryFolder.run { folder in
      var settings = settings.merging(["data": folder, "log.level": "critical"]) { first, _ in first }
      if database == .postgresql {
        // A separate database, because the names of the services' schemas are fixed.
        let url = try TestDatabase.postgresURL()
        let name = "site_" + UUID().uuidString.lowercased().replacing("-", with: "")
        try await Command.run(["psql", "-q", url, "-c", "CREATE DATABASE \(name)"])
        settings["database.url"] = url.replacing("/postgres", with: "/\(name)")
        settings["data.keys"] = [
          "a:\(Data(repeating: 1, count: 32).base64EncodedString())",
          "lookup:\(Data(repeating: 2, count: 32).base64EncodedString())",
        ].joined(separator: ",")
      }
      let platform = try await build(settings, time: time.source)
      try await closing(platform) {
        try await body(SiteHost(platform: platform, folder: settings["data"] ?? folder, time: time))
      }
    }
  }

  static func build(_ settings: [String: String], time: TimeSource) async throws -> Platform {
    // Orders is not needed; nothing listens at this URL.
    let elsewhere = ["services.orders.url": "http://127.0.0.1:1", "service.keys": ServiceProcess.serviceKeys]
    return try await ServiceHost.build(
      [GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self],
      settings: Settings(settings.merging(elsewhere) { first, _ in first }),
      time: time
    )
  }

  var catalog: CatalogPlugin {
    get throws {
      guard let plugin = platform.plugin(CatalogPlugin.self) else { throw TestKitError("catalog is not mounted") }
      return plugin
    }
  }

  /// What catalog stores.
  var database: any Database {
    get throws {
      guard let database = platform.database(of: "catalog") else { throw TestKitError("catalog is not mounted") }
      return database
    }
  }

  /// What catalog exports of a user in a section.
  func export(_ section: String, of user: UserID) async throws -> JSONValue? {
    try await catalog.export(user, from: database)[section]
  }

  // MARK: users

  func signUp(_ name: String) async throws -> (user: UserID, client: APIClient) {
    let session = try await client.send(
      AuthAPI.SignUp(
        email: EmailAddress(validating: "\(name)@example.com"), username: Username(validating: name),
        displayName: DisplayName(validating: "Test \(name)"), password: Password(validating: "correct horse \(name)"),
        app: .web)
    )
    return (session.user.id, client.with(accessToken: session.accessToken))
  }

  /// The site's owner; the account is created by the first call.
  func owner() async throws -> APIClient {
    let password = "correct horse owner"
    let login = AuthAPI.LogIn(login: "owner", password: password, app: .web)
    if let known = try? await client.send(login) { return client.with(accessToken: known.accessToken) }
    _ = try await platform.plugin(AuthPlugin.self)?.createAccount(
      email: EmailAddress(validating: "boss@example.com"),
      username: Username(validating: "owner"),
      displayName: DisplayName(validating: "The owner"),
      password: Password(validating: password),
      roles: [.owner]
    )
    return client.with(accessToken: try await client.send(login).accessToken)
  }

  // MARK: raw requests

  /// Sends a raw request that the typed client cannot produce.
  func send(_ method: Contracts.Operation.Method, _ target: String, _ body: String, token: String? = nil) async throws
    -> Problem?
  {
    let response = try await platform.transport(to: "gateway").send(
      WireRequest(
        method: method,
        target: target,
        headers: [],
        body: Array(body.utf8),
        isRepeatable: false,
        seconds: 10
      ),
      headers: token.map { [("authorization", "Bearer \($0)")] } ?? []
    )
    return response.status < 400 ? nil : try WireJSON.decode(Problem.self, from: response.body)
  }

  // MARK: mails

  struct Mail: Sendable {
    var head: String
    var text: String
    var recipient: String
    /// The first line that looks like a token.
    var token: String?

    init(_ content: String) throws {
      let parts = content.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
      guard parts.count == 2, let body = Data(base64Encoded: parts[1], options: .ignoreUnknownCharacters) else {
        throw TestKitError("the mail does not have the expected format")
      }
      let lines = String(decoding: body, as: UTF8.self).replacing("\r\n", with: "\n")
      head = parts[0]
      text = lines
      recipient = String(parts[0].split(separator: "\r\nTo: <").last?.prefix { $0 != ">" } ?? "")
      token = lines.split(separator: "\n").map(String.init).first { $0.count > 42 && !$0.contains(" ") }
    }
  }

  /// Catalog's mails so far, oldest first, read from files. Delivers pending mail first, because workers do not run.
  func mails(to address: String? = nil) async throws -> [Mail] {
    while try await catalog.runOnce("mail") > 0 {}
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/mail").sorted()) ?? []
    return try files.map { try Mail(String(contentsOfFile: "\(folder)/mail/\($0)", encoding: .utf8)) }
      .filter { address == nil || $0.recipient == address }
  }
}
