import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// An address of someone else is not kept (S19), and what is not used ends (S9).
@Suite(.serialized)
struct SquattingTests {
  private static let day = 86_400.0

  private func verify(_ client: APIClient, _ token: String, _ password: String? = nil) async throws -> String? {
    try await problem { _ = try await client.send(AuthAPI.VerifyEmail(token: token, password: password)) }?.code
  }

  private func isVerified(_ user: UserID, _ host: TestPlatform) async throws -> Bool {
    try await host.database.read { [accounts = try host.auth.core.accounts] db in
      try accounts.get(user, in: db).account.isEmailVerified
    }
  }

  @Test("S19: a victim does not verify the attacker's account", arguments: TestDatabase.allCases)
  func aCodeAloneVerifiesNothing(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let attacker = try await host.client.signUp(
        email: "victim@example.com", username: "eve", password: "correct horse eve")
      let code = try #require(try await host.mailedCodes(to: "victim@example.com").last)
      let bob = try await host.signUp("bob")
      #expect(try await verify(host.client, code) == "sign-in-to-verify")
      #expect(try await verify(host.client.with(accessToken: bob.accessToken), code) == "sign-in-to-verify")
      #expect(try await verify(host.client, code, "correct horse bob") == "invalid-credentials")
      #expect(try await isVerified(attacker.user.id, host) == false)
      // Guessing the password by means of the code is slowed down.
      var codes: [String?] = []
      for number in 0..<6 { codes.append(try await verify(host.client, code, "wrong \(number)")) }
      #expect(codes.last == "too-many-attempts")
      // The victim gets the account by a reset, and the attacker keeps nothing.
      _ = try await host.client.send(AuthAPI.ForgotPassword(email: EmailAddress(validating: "victim@example.com")))
      let reset = try #require(try await host.mailedCodes(to: "victim@example.com").last)
      _ = try await host.client.send(
        AuthAPI.ResetPassword(token: reset, password: Password(validating: "the victim's own")))
      #expect(try await problem { _ = try await host.refresh(attacker.refreshToken) }?.status == 401)
      #expect(try await problem { _ = try await host.logIn("eve", "correct horse eve") }?.status == 401)
      let back = try await host.logIn("victim@example.com", "the victim's own")
      #expect(back.user.id == attacker.user.id)
      #expect(back.user.isEmailVerified)
    }
  }

  @Test func whoeverSignedUpVerifiesBySessionOrPassword() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = try await host.signUp("ada")
      let bob = try await host.signUp("bob")
      let codes = [
        try #require(try await host.mailedCodes(to: "ada@example.com").last),
        try #require(try await host.mailedCodes(to: "bob@example.com").last),
      ]
      #expect(try await verify(host.client.with(accessToken: ada.accessToken), codes[0]) == nil)
      #expect(try await verify(host.client, codes[1], "correct horse bob") == nil)
      #expect(try await isVerified(ada.user.id, host))
      #expect(try await isVerified(bob.user.id, host))
      #expect(try await verify(host.client, codes[1], "correct horse bob") == "mailed-token-invalid")
    }
  }

  @Test("S19: a provider's proof resets an account that someone else has made", arguments: TestDatabase.allCases)
  func providersProofResets(_ database: TestDatabase) async throws {
    let provider = try FakeProvider(time: ManualTime())
    defer { provider.stop() }
    try await TestPlatform.auth(settings: provider.settings(), database: database, time: provider.time) {
      host async throws in
      let squatter = try await host.signUp("ada")
      let second = try await host.logIn("ada")
      func signIn(_ guest: Authentication? = nil) async throws -> Authentication {
        try await host.client.send(
          AuthAPI.SignInWithProvider(
            provider: "test", idToken: try provider.token(provider.claims()), guest: guest?.accessToken,
            guestRefreshToken: guest?.refreshToken))
      }
      let guest = try await host.guestSession()
      let owner = try await signIn(guest)
      #expect(owner.user.id == squatter.user.id)
      #expect(owner.user.isEmailVerified)
      #expect(!owner.user.hasPassword)
      for session in [squatter, second] {
        #expect(
          try await problem { _ = try await host.refresh(session.refreshToken) }?.is(.refreshTokenInvalid) == true)
      }
      for login in ["ada", "ada@example.com"] {
        #expect(try await problem { _ = try await host.logIn(login, "correct horse ada") }?.status == 401)
      }
      // The attacker's codes and devices are gone too.
      let left = try await host.database.read { db in
        try ["mailed_tokens", "known_devices"].map { (table: StaticString) in
          try db.count("SELECT COUNT(*) FROM \(raw: table) WHERE user_id = \(squatter.user.id)")
        }
      }
      #expect(left == [0, 0])
      let live = try await host.database.read { db in
        try db.values(
          "SELECT id FROM sessions WHERE user_id = \(owner.user.id) AND revoked_at IS NULL", as: SessionID.self)
      }
      #expect(live == [owner.session])
      let actions = try await host.database.read { db in
        try db.count("SELECT COUNT(*) FROM audit WHERE action = 'account.reclaimed'")
      }
      #expect(actions == 1)
      // The second time there is nothing to reset.
      #expect(try await signIn().user.id == owner.user.id)
      _ = try await host.refresh(owner.refreshToken)
    }
  }

  @Test("S19: an address that is proved for another account is freed", arguments: TestDatabase.allCases)
  func changedAddressesAreFreed(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let ada = try await host.signUp("ada")
      let named = try await host.client.signUp(
        email: "new@example.com", username: "eve", password: "correct horse eve")
      let me = host.client.with(accessToken: ada.accessToken)
      func change(_ address: String) async throws {
        _ = try await me.send(
          AuthAPI.ChangeEmail(email: EmailAddress(validating: address), password: "correct horse ada"))
        let code = try #require(try await host.mailedCodes(to: address).last)
        #expect(try await verify(me, code) == nil)
        #expect(try await me.send(AuthAPI.GetMe()).email == address)
      }
      try await change("new@example.com")
      let eve = try await host.logIn("eve", "correct horse eve").user
      #expect(eve.id == named.user.id)
      #expect(eve.email == nil)
      // An account that had nothing but the address is deleted.
      let nameless = try await host.client.signUp(email: "old@example.com", password: "correct horse eve")
      try await change("old@example.com")
      #expect(try await problem { _ = try await host.refresh(nameless.refreshToken) }?.status == 401)
      try await host.auth.runOnce("auth.expire-unverified")
      #expect(try await host.recorded(UserDeleted.self, by: AuthAPI.self).map(\.userID) == [nameless.user.id])
    }
  }

  /// With a mail server, which these tests do not reach.
  private static let mail = ["mail.url": "smtp://127.0.0.1:9"]

  /// Verifies an address by a code that is not mailed.
  private func verify(_ session: Authentication, _ host: TestPlatform) async throws {
    let code = try await host.database.write { [codes = try host.auth.core.emailTokens] tx in
      try codes.issue(
        .verifyEmail, for: session.user.id, to: "\(session.user.username ?? "")@example.com", seconds: 60, in: tx)
    }
    #expect(try await verify(host.client.with(accessToken: session.accessToken), code) == nil)
  }

  /// How many mails wait for a user.
  private func mails(for user: UserID, _ host: TestPlatform) async throws -> Int {
    try await host.database.read { db in
      try db.count("SELECT COUNT(*) FROM jobs WHERE kind = 'mail' AND person = \(user)")
    }
  }

  @Test("S19: unverified accounts expire after seven days, three after a notice", arguments: TestDatabase.allCases)
  func unverifiedAccountsExpire(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(settings: Self.mail, database: database) { host async throws in
      let ada = try await host.signUp("ada")
      try await verify(ada, host)
      let bob = try await host.signUp("bob")
      var roomies: [Authentication] = []
      for number in 0..<45 {
        roomies.append(
          try await host.client.signUp(email: "roomie\(number)@example.com", password: "correct horse eve"))
      }
      _ = try await host.client.signUp(email: nil, username: "yesenia", password: "correct horse yes")
      func expire() async throws -> Int {
        try await host.auth.runOnce("auth.expire-unverified")
        return try await host.recorded(UserDeleted.self, by: AuthAPI.self).count
      }
      let users = [ada, bob, roomies[0], roomies[44]].map(\.user.id)
      func mails() async throws -> [Int] {
        var counts: [Int] = []
        for user in users { counts.append(try await self.mails(for: user, host)) }
        return counts
      }
      let before = try await mails()
      host.time.advance(seconds: 3.9 * Self.day)
      #expect(try await expire() == 0)
      #expect(try await mails() == before)
      host.time.advance(seconds: 0.2 * Self.day)
      for _ in 0..<2 { #expect(try await expire() == 0) }
      #expect(zip(try await mails(), before).map { $0 - $1 } == [0, 1, 1, 1])
      host.time.advance(seconds: 2.8 * Self.day)
      let late = try await host.client.signUp(email: "late@example.com", password: "correct horse late")
      #expect(try await expire() == 0)
      host.time.advance(seconds: 0.4 * Self.day)
      #expect(try await expire() == 45)
      let deleted = try await host.recorded(UserDeleted.self, by: AuthAPI.self).map(\.userID)
      #expect(Set(deleted) == Set(roomies.map(\.user.id)))
      let left = try await host.database.read { db in try db.values("SELECT id FROM users", as: UserID.self) }
      #expect(left.count == 4)
      #expect(left.contains(late.user.id))
      // A user with a username signs in by it; the address is free.
      let known = try await host.logIn("bob").user
      #expect(known.id == bob.user.id)
      #expect(known.email == nil)
      #expect(try await host.logIn("ada").user.email == "ada@example.com")
      _ = try await host.client.signUp(email: "bob@example.com", password: "correct horse new")
      _ = try await host.client.signUp(email: "roomie0@example.com", password: "correct horse new")
    }
  }

  @Test("no account is deleted without a notice, even after an outage", arguments: TestDatabase.allCases)
  func theNoticeComesFirst(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(settings: Self.mail, database: database) { host async throws in
      let nameless = try await host.client.signUp(email: "old@example.com", password: "correct horse eve")
      func isThere(after days: Double) async throws -> Bool {
        host.time.advance(seconds: days * Self.day)
        try await host.auth.runOnce("auth.expire-unverified")
        return try await host.database.read { db in try db.exists("SELECT 1 FROM users WHERE id = \(nameless.user.id)")
        }
      }
      #expect(try await isThere(after: 30))
      #expect(try await isThere(after: 2.9))
      #expect(try await isThere(after: 0.2) == false)
    }
  }

  @Test("many accounts with addresses of one mailbox do not flood it with notices", arguments: TestDatabase.allCases)
  func noticesAreNoMailCannon(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(settings: Self.mail, database: database) { host async throws in
      for number in 0..<25 {
        _ = try await host.client.signUp(email: "victim+\(number)@example.com", password: "correct horse eve")
      }
      let bob = try await host.client.signUp(email: "bob@example.com", password: "correct horse bob")
      func mails() async throws -> Int {
        try await host.database.read { db in try db.count("SELECT COUNT(*) FROM jobs WHERE kind = 'mail'") }
      }
      let (before, forBob) = (try await mails(), try await self.mails(for: bob.user.id, host))
      host.time.advance(seconds: 4.1 * Self.day)
      for _ in 0..<2 { try await host.auth.runOnce("auth.expire-unverified") }
      // Two of them, and one that comes after all of them.
      #expect(try await mails() - before == 3)
      #expect(try await self.mails(for: bob.user.id, host) - forBob == 1)
      host.time.advance(seconds: 3.1 * Self.day)
      try await host.auth.runOnce("auth.expire-unverified")
      #expect(try await host.recorded(UserDeleted.self, by: AuthAPI.self).count == 26)
    }
  }

  @Test("without a mail server no one can verify, and no account is deleted", arguments: TestDatabase.allCases)
  func withoutMailNothingExpires(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let nameless = try await host.client.signUp(email: "ada@example.com", password: "correct horse ada")
      let bob = try await host.signUp("bob")
      for _ in 0..<3 {
        host.time.advance(seconds: 10 * Self.day)
        try await host.auth.runOnce("auth.expire-unverified")
      }
      #expect(try await host.recorded(UserDeleted.self, by: AuthAPI.self).isEmpty)
      #expect(try await host.logIn("ada@example.com", "correct horse ada").user.id == nameless.user.id)
      #expect(try await host.logIn("bob").user.email == bob.user.email)
    }
  }

  @Test("an account that lost its address expires although it changes", arguments: TestDatabase.allCases)
  func changesDoNotKeepAFreedAccount(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let nameless = try await host.client.signUp(email: "old@example.com", password: "correct horse eve")
      let bob = try await host.client.signUp(email: "bob@example.com", password: "correct horse bob")
      let core = try host.auth.core
      try await host.database.write { tx in
        for user in [nameless.user.id, bob.user.id] {
          var stored = try core.accounts.get(user, in: tx)
          try core.accounts.freeAddress(of: &stored, by: AuditActor("service:auth"), in: tx)
          // An edit by support, for example.
          stored.account.displayName = "Another name"
          try core.accounts.update(&stored, in: tx)
        }
        // Bob can sign in again.
        var stored = try core.accounts.get(bob.user.id, in: tx)
        stored.account.username = "bob"
        try core.accounts.update(&stored, in: tx)
      }
      try await host.auth.runOnce("auth.expire-unverified")
      #expect(try await host.recorded(UserDeleted.self, by: AuthAPI.self).map(\.userID) == [nameless.user.id])
    }
  }

  @Test("S9: guests who are not used are deleted with everything of theirs", arguments: TestDatabase.allCases)
  func idleGuestsAreDeleted(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(settings: ["auth.guestDays": "10"], database: database) { host async throws in
      var guests: [Authentication] = []
      for _ in 0..<45 { guests.append(try await host.guestSession()) }
      let settings = host.client.with(accessToken: guests[0].accessToken)
      _ = try await settings.send(AuthAPI.PutSettings(UserSettings()))
      let full = try await host.signUp("ada")
      host.time.advance(seconds: 8 * Self.day)
      _ = try await host.refresh(guests[44].refreshToken)
      let new = try await host.guestSession()
      try await host.auth.runOnce("auth.expire-guests")
      #expect(try await host.recorded(UserDeleted.self, by: AuthAPI.self).isEmpty)
      host.time.advance(seconds: 3 * Self.day)
      try await host.auth.runOnce("auth.expire-guests")
      let deleted = try await host.recorded(UserDeleted.self, by: AuthAPI.self).map(\.userID)
      #expect(Set(deleted) == Set(guests.dropLast().map(\.user.id)))
      #expect(deleted.count == 44)
      let left = try await host.database.read { db in
        (
          users: try db.values("SELECT id FROM users", as: UserID.self),
          sessions: try db.values("SELECT user_id FROM sessions", as: UserID.self),
          settings: try db.count("SELECT COUNT(*) FROM user_settings")
        )
      }
      let expected = Set([guests[44].user.id, new.user.id, full.user.id])
      #expect(Set(left.users) == expected)
      #expect(Set(left.sessions) == expected)
      #expect(left.settings == 0)
    }
  }

  /// The attack that fills the database, and takes usernames, with accounts of which nothing has to be proved.
  @Test(arguments: TestDatabase.allCases)
  func accountsThatAreNeverUsedAgainAreDeleted(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(settings: ["auth.guestDays": "10"], database: database) { host async throws in
      var idle: [Authentication] = []
      for number in 0..<45 {
        idle.append(
          try await host.client.signUp(email: nil, username: "eve\(number)", password: "correct horse eve"))
      }
      let bob = try await host.client.signUp(email: nil, username: "bob", password: "correct horse bob")
      let cleo = try await host.client.signUp(email: nil, username: "cleo", password: "correct horse cleo")
      // A refresh right after the sign-up is no use; one that comes later is.
      host.time.advance(seconds: 600)
      _ = try await host.refresh(idle[0].refreshToken)
      host.time.advance(seconds: 2 * Self.day)
      _ = try await host.refresh(bob.refreshToken)
      _ = try await host.logIn("cleo")
      try await host.auth.runOnce("auth.expire-unused")
      #expect(try await host.recorded(UserDeleted.self, by: AuthAPI.self).isEmpty)
      host.time.advance(seconds: 7 * Self.day)
      let late = try await host.client.signUp(email: nil, username: "late", password: "correct horse late")
      try await host.auth.runOnce("auth.expire-unused")
      #expect(try await host.recorded(UserDeleted.self, by: AuthAPI.self).isEmpty)
      host.time.advance(seconds: 1.5 * Self.day)
      try await host.auth.runOnce("auth.expire-unused")
      let deleted = try await host.recorded(UserDeleted.self, by: AuthAPI.self).map(\.userID)
      #expect(Set(deleted) == Set(idle.map(\.user.id)))
      #expect(deleted.count == 45)
      // A user of the account keeps it, however long it lies idle afterwards.
      host.time.advance(seconds: 200 * Self.day)
      try await host.auth.runOnce("auth.purge")
      try await host.auth.runOnce("auth.expire-unused")
      let left = try await host.database.read { db in
        (
          users: try db.values("SELECT id FROM users", as: UserID.self),
          new: try db.count("SELECT COUNT(*) FROM new_accounts")
        )
      }
      #expect(Set(left.users) == [bob.user.id, cleo.user.id])
      #expect(left.new == 0)
      #expect(try await host.recorded(UserDeleted.self, by: AuthAPI.self).map(\.userID).contains(late.user.id))
    }
  }
}
