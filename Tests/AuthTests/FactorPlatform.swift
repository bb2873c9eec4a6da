import Contracts
import Persistence
import ServiceKit
import TestKit

/// Helpers for tests of second factors.
extension TestPlatform {
  func client(_ session: Authentication) -> APIClient { client.with(accessToken: session.accessToken) }

  /// The ticket of a sign-in with a password that needs a second factor.
  func ticket(_ name: String, app: ClientApp = .web) async throws -> FactorTicket {
    let problem = try await TestKit.problem { _ = try await logIn(name, app: app) }
    guard let ticket = problem?.secondFactor, problem?.is(.secondFactorRequired) == true else {
      throw TestKitError("no second factor is asked for: \(problem?.code ?? "signed in")")
    }
    return ticket
  }

  /// Proves the e-mail address of a user whom ``signUp(_:app:)`` has made; notices go to proved addresses only.
  func proveAddress(of name: String) async throws {
    guard let code = try await mailedCodes(to: "\(name)@example.com").last else {
      throw TestKitError("no code is mailed")
    }
    _ = try await client.send(AuthAPI.VerifyEmail(token: code, password: "correct horse \(name)"))
  }

  /// How often an action is in the audit trail.
  func audited(_ action: String) async throws -> Int {
    try await database.read { db in
      try AuditTrail.search(AuditFilter(action: action), limit: 1000, cursor: nil, in: db).items.count
    }
  }

  /// The reasons why passkeys were refused, oldest first.
  func refusals() async throws -> [String] {
    try await database.read { db in
      try AuditTrail.search(AuditFilter(action: "passkey.refused"), limit: 1000, cursor: nil, in: db).items.reversed()
        .flatMap { $0.changes.compactMap(\.after) }
    }
  }

  /// The claims of an access token about how its user was proved.
  struct Claims: Decodable, Equatable {
    var scope: String
    var amr: [String]?
    var auth_time: Int64?
  }

  func claims(_ token: String) throws -> Claims {
    let parts = token.split(separator: ".")
    guard parts.count == 3, let payload = Base64URL.decode(parts[1]) else { throw TestKitError("no token") }
    return try WireJSON.decode(Claims.self, from: payload)
  }

  /// Whether an action is refused for want of a recent proof.
  func needsProof(_ body: () async throws -> Void) async throws -> Bool {
    try await TestKit.problem(body)?.is(.recentSignInRequired) == true
  }
}
