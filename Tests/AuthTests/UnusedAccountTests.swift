import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Accounts that were made and never used (S9).
@Suite(.serialized)
struct UnusedAccountTests {
  @Test(
    "without a mail server, accounts with an address are not deleted unused either", arguments: TestDatabase.allCases)
  func withoutMailUnusedAddressesStay(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(settings: ["auth.guestDays": "10"], database: database) { host async throws in
      let nameless = try await host.client.signUp(email: "ada@example.com", password: "correct horse ada")
      let bob = try await host.signUp("bob")
      let eve = try await host.client.signUp(email: nil, username: "eve", password: "correct horse eve")
      host.time.advance(seconds: 11 * 86_400)
      for _ in 0..<2 { try await host.auth.runOnce("auth.expire-unused") }
      #expect(try await host.recorded(UserDeleted.self, by: AuthAPI.self).map(\.userID) == [eve.user.id])
      #expect(try await host.logIn("ada@example.com", "correct horse ada").user.id == nameless.user.id)
      #expect(try await host.logIn("bob").user.email == bob.user.email)
    }
  }
}
