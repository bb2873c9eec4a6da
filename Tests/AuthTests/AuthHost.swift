import AuthService
import Contracts
import Foundation
import GatewayService
import Persistence
import ServiceKit
import TestKit

/// Auth behind the gateway in this process, with a manual clock.
struct AuthHost: Sendable {
  let platform: Platform
  let folder: String
  let time: ManualTime
  var client: APIClient { platform.client() }

  /// - Parameter time: `nil` for the system clock.
  static func run(
    settings: [String: String] = [:],
    database: TestDatabase = .sqlite,
    time: ManualTime? = ManualTime(),
    _ body: @escaping @Sendable (AuthHost) async throws -> Void
  ) async throws {
    try await TemporaryFolder.run { folder in
      var settings = settings.merging(["data": folder, "log.level": "critical"]) { first, _ in first }
      if database == .postgresql {
        // A separate database, because the names of the services' schemas are fixed.
        let url = try TestDatabase.postgresURL()
        let name = "auth_" + UUID().uuidString.lowercased().replacing("-", with: "")
        try await Command.run(["psql", "-q", url, "-c", "CREATE DATABASE \(name)"])
        settings["database.url"] = url.replacing("/postgres", with: "/\(name)")
        settings["data.keys"] = Self.dataKeys
      }
      let platform = try await ServiceHost.build(
        [GatewayPlugin.self, AuthPlugin.self],
        settings: Settings(settings),
        time: time?.source ?? .system
      )
      try await closing(platform) {
        try await body(AuthHost(platform: platform, folder: folder, time: time ?? ManualTime()))
      }
    }
  }

  static let dataKeys = [
    "a:\(Data(repeating: 1, count: 32).base64EncodedString())",
    "lookup:\(Data(repeating: 2, count: 32).base64EncodedString())",
  ].joined(separator: ",")

  func signUp(_ name: String, app: ClientApp = .web) async throws -> Authentication {
    try await client.send(
      AuthAPI.SignUp(
        email: EmailAddress(validating: "\(name)@example.com"), username: Username(validating: name),
        displayName: DisplayName(validating: "Test \(name)"), password: Password(validating: "correct horse \(name)"),
        app: app)
    )
  }

  func logIn(_ name: String, _ password: String? = nil, app: ClientApp = .web) async throws -> Authentication {
    try await client.send(
      AuthAPI.LogIn(login: name, password: password ?? "correct horse \(name)", app: app)
    )
  }

  func refresh(_ token: String) async throws -> Authentication {
    try await client.send(AuthAPI.Refresh(refreshToken: token))
  }

  /// Opens auth's database while the service uses it.
  func withDatabase<Value>(_ body: (any Database) async throws -> Value) async throws -> Value {
    let database = try SQLiteDatabase(path: "\(folder)/auth.sqlite")
    do {
      let value = try await body(database)
      await database.close()
      return value
    } catch {
      await database.close()
      throw error
    }
  }

  /// The codes mailed to an address, oldest first. Delivers pending mail first, because workers do not run.
  func mailedCodes(to address: String) async throws -> [String] {
    guard let auth = platform.plugin(AuthPlugin.self) else { throw TestKitError("auth is not mounted") }
    while try await auth.runOnce("password-reset") + auth.runOnce("mail") > 0 {}
    let mails = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/mail").sorted()) ?? []
    return try mails.compactMap { file in
      let mail = try String(contentsOfFile: "\(folder)/mail/\(file)", encoding: .utf8)
      guard mail.contains("To: <\(address)>") else { return nil }
      return try mailedText(mail).split(separator: "\n").map(String.init).first { $0.count == 43 && !$0.contains(" ") }
    }
  }
}

/// The decoded text of a mail.
func mailedText(_ mail: String) throws -> String {
  let body = mail.split(separator: "\r\n\r\n", maxSplits: 1).last.map(String.init) ?? ""
  guard let data = Data(base64Encoded: body, options: .ignoreUnknownCharacters) else {
    throw TestKitError("the mail's body is not base64")
  }
  return String(decoding: data, as: UTF8.self).replacing("\r\n", with: "\n")
}
