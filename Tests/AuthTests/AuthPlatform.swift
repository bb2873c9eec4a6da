import AuthService
import Contracts
import GatewayService
import Persistence
import ServiceKit
import TestKit

/// Auth behind the gateway.
extension TestPlatform {
  /// - Parameter time: `nil` for the system clock.
  static func auth<Value>(
    settings: [String: String] = [:],
    database: TestDatabase = .sqlite,
    time: ManualTime? = ManualTime(),
    _ body: (TestPlatform) async throws -> Value
  ) async throws -> Value {
    try await run([GatewayPlugin.self, AuthPlugin.self], settings: settings, database: database, time: time, body)
  }

  /// The settings of auth with a matching service, whose part the tests play.
  static let besideMatching = ["services.matching.url": "http://127.0.0.1:1"]

  var auth: AuthPlugin { get throws { try plugin(AuthPlugin.self) } }

  /// The database of auth.
  var database: any Database { get throws { try database(of: AuthAPI.self) } }

  func signUp(_ name: String, app: ClientApp = .web) async throws -> Authentication {
    try await client.signUp(name, app: app)
  }

  func logIn(_ name: String, _ password: String? = nil, app: ClientApp = .web) async throws -> Authentication {
    try await client.send(
      AuthAPI.LogIn(login: name, password: password ?? "correct horse \(name)", app: app)
    )
  }

  /// Delivers an event as matching would.
  func deliver(_ event: some Event) async throws {
    try await deliver(event, from: MatchingAPI.self, to: AuthAPI.self)
  }

  func refresh(_ token: String) async throws -> Authentication {
    try await client.send(AuthAPI.Refresh(refreshToken: token))
  }

  /// The codes mailed to an address, oldest first. Delivers pending mail first, because workers do not run.
  func mailedCodes(to address: String) async throws -> [String] {
    while try await auth.runOnce("password-reset") + auth.runOnce("mail") > 0 {}
    return try mails(deliveredTo: address).compactMap(\.token)
  }
}
