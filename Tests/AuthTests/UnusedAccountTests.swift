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
    "the search for accounts that were used goes on where it ended, and looks again", arguments: TestDatabase.allCases)
  func usedAccountsAreFoundInParts(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      var sessions: [Authentication] = []
      for name in ["ada", "bob", "cleo", "dan"] { sessions.append(try await host.signUp(name)) }
      sessions.sort { $0.user.id.rawValue < $1.user.id.rawValue }
      let ids = sessions.map(\.user.id)
      host.time.advance(seconds: 2 * 86_400)
      for session in sessions.dropLast() { _ = try await host.refresh(session.refreshToken) }
      func used(after id: UserID?) async throws -> [UserID] {
        try await host.database.read { db in try NewAccountStore.used(after: id, limit: 2, in: db) }
      }
      #expect(try await used(after: nil) == Array(ids.prefix(2)))
      #expect(try await used(after: ids[1]) == [ids[2]])
      #expect(try await used(after: ids[2]) == [])
      // The last one is not used, whoever says so.
      let count = try await host.database.write { tx in try NewAccountStore.deleteUsed(among: ids, in: tx) }
      #expect(count == 3)
      let left = try await host.database.read { db in
        try db.values("SELECT user_id FROM new_accounts", as: UserID.self)
      }
      #expect(left == [ids[3]])
    }
  }

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
