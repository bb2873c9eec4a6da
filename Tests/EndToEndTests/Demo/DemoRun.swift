import Contracts
import CurlClient
import Foundation
import ServiceKit
import TestKit

/// A platform, and the demo that fills it from the command line.
struct DemoRun: Sendable {
  static let people = 10
  private static let owner = "shopkeeper"
  private static let password = "a quiet afternoon"

  let url: String
  let folder: String
  let api: APIClient

  var journal: String { "\(folder)/demo/journal" }

  /// Starts a platform on SQLite with a shopkeeper and a member of the staff who looks at everything.
  static func running(_ body: (DemoRun) async throws -> Void) async throws {
    try await TemporaryFolder.run { folder in
      let settings = [
        "DATA": folder, "LOG_LEVEL": "error", "PAYMENTS_TEST": "true", "LIMITS_GUESTS": "0/1", "LIMITS_SIGN_IN": "0/1",
        "LIMITS_READ": "0/1", "LIMITS_WRITE": "0/1", "MEDIA_CONVERSIONS": "2", "AUTH_ACCESS_TOKEN_SECONDS": "3600",
      ]
      try await ServiceProcess.running("quintet", settings: settings) { process in
        for (name, role) in [(owner, "owner"), ("inspector", "administrator")] {
          try await Command.run(
            [
              ServiceProcess.executable("quintet").path, "accounts", "create", "--email", "\(name)@example.com",
              "--username", name, "--role", role, "--password-from-input", "--data", folder, "--log-level", "error",
            ], input: "\(password)\n")
        }
        try await CurlClient.running { http in
          let api = APIClient(transport: CurlTransport(client: http, origin: process.url))
          try await body(DemoRun(url: process.url, folder: folder, api: api))
        }
      }
    }
  }

  /// Runs the demo until it ends, and returns what it prints.
  @discardableResult
  func demo(_ options: String..., expects status: Int32 = 0) async throws -> String {
    try await Command.run(arguments(options), input: "\(Self.password)\n", expects: status)
  }

  /// Starts the demo and kills it as soon as the journal has that many lines with a text.
  func demo(_ options: String..., killedAfter count: Int, linesWith text: String) async throws {
    let pipe = Pipe()
    let command = try Command(arguments(options), input: pipe)
    try pipe.fileHandleForWriting.write(contentsOf: Data("\(Self.password)\n".utf8))
    try pipe.fileHandleForWriting.close()
    try await attempt {
      try await eventually("\(count) steps of the demo") { steps(with: text) >= count }
    } finally: {
      command.signal(SIGKILL)
      await command.end()
    }
  }

  private func arguments(_ options: [String]) throws -> [String] {
    [
      try ServiceProcess.executable("quintet-demo").path, "--url", url, "--people", "\(Self.people)",
      "--journal", journal, "--owner", Self.owner,
    ] + options
  }

  func steps(with text: String) -> Int {
    let lines = (try? String(contentsOfFile: journal, encoding: .utf8))?.split(separator: "\n") ?? []
    return lines.count { $0.contains(text) }
  }

  // MARK: - what is there

  /// Someone who may see what the tests look at.
  func inspector() async throws -> APIClient {
    let session = try await api.send(AuthAPI.LogIn(login: "inspector", password: Self.password, app: .web))
    let proved = try await api.setUpAuthenticatorApp(session, at: TimeSource.system.now()).session
    return api.with(accessToken: proved.accessToken)
  }

  /// The people of the demo by username.
  func people(_ inspector: APIClient) async throws -> [String: AdministeredAccount] {
    let all = try await inspector.send(AuthAPI.AdminListUsers(limit: PageSize(checked: 100))).items
    let people = all.filter { $0.roles == [.user] }
    return Dictionary(uniqueKeysWithValues: people.map { ($0.username ?? "", $0) })
  }

  /// Signs in with what the demo has printed for an app.
  func signIn(_ app: ClientApp, _ output: String) async throws -> (client: APIClient, account: Account) {
    let line = output.split(separator: "\n").first { $0.contains("  \(app.rawValue) ") }
    let words = line?.split(separator: " ").map { String($0) } ?? []
    guard words.count == 3 else { throw TestKitError("no login for \(app) in \(output)") }
    let session = try await api.send(AuthAPI.LogIn(login: words[1], password: words[2], app: app))
    return (api.with(accessToken: session.accessToken), session.user)
  }
}
