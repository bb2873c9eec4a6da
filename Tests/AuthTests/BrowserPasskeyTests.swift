import AuthService
import Contracts
import Foundation
import GatewayService
import Persistence
import TestKit
import Testing

/// Passkeys in a browser, with its virtual authenticator.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct BrowserPasskeyTests {
  private struct Result: Decodable {
    struct Answer: Decodable, Equatable {
      var status: Int?
      var code: String?
      /// The reason why the browser has sent nothing.
      var refusal: String?
      /// The problem of the step before.
      var first: String?
      var user: String?
    }

    var passkeys: Int
    var domain: String
    var answers: [String: Answer]
  }

  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("browser_passkeys.py").path

  @Test("SD9: Chromium registers a passkey and signs in with it, and with no copy of it, nor elsewhere")
  func chromiumUsesPasskeys() async throws {
    let port = try reservedPort()
    // Browsers take pages of this host for safe, without TLS.
    let origin = "http://localhost:\(port)"
    let settings = ["port": "\(port)", "auth.passkeyDomain": "localhost", "auth.passkeyOrigins": origin]
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self], settings: settings) { test, _ in
      let output = try await Command.run([Python.path(), Self.script, origin])
      let result = try JSONDecoder().decode(Result.self, from: Data(output.utf8))
      #expect(result.passkeys == 1)
      #expect(result.domain == "localhost")
      let answers = result.answers
      #expect(answers["registered"] == .init(status: 201))
      #expect(answers["signedIn"] == .init(status: 200, user: "ada"))
      #expect(answers["repeated"] == .init(status: 401, code: "passkey-refused"))
      #expect(answers["secondStep"] == .init(status: 200, first: "second-factor-required", user: "ada"))
      #expect(answers["unverified"] == .init(refusal: "NotAllowedError"))
      #expect(answers["copied"] == .init(status: 401, code: "passkey-refused"))
      #expect(answers["elsewhere"] == .init(refusal: "SecurityError"))
      let database = try test.database(of: AuthAPI.self)
      let flags = try await database.read { db in
        try db.all("SELECT distrusted_at FROM passkeys") { row in (try row["distrusted_at"] as Timestamp?) == nil }
      }
      // The counter that went back says that there is a copy.
      #expect(flags == [false])
    }
  }
}
