import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Attacks with stolen tokens and mailed lists of schools.
@Suite(.serialized)
struct SchoolAttackTests {
  @Test(
    "a password reset by the school does not open an account with a second factor", arguments: TestDatabase.allCases)
  func aResetPasswordDoesNotReplaceTheSecondFactor(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (_, school) = try await host.school()
      let first = try await host.chooseFirst(try await school.add("kim"))
      #expect(try host.claims(first.accessToken).amr == ["pwd"])
      #expect(first.deviceSecret?.isEmpty == false)
      let (_, app) = try await host.client.setUpAuthenticatorApp(first, at: host.time.source.now())
      host.time.advance(seconds: 30)
      let temporary = try await school.reset(first.user.id)
      let refused = try await problem { _ = try await host.chooseFirst(temporary) }
      #expect(refused?.is(.secondFactorRequired) == true)
      let ticket = try #require(refused?.secondFactor)
      let live = try await host.database.read { db in
        try db.count("SELECT COUNT(*) FROM sessions WHERE user_id = \(first.user.id) AND revoked_at IS NULL")
      }
      #expect(live == 0)
      // The member goes on with the ticket.
      let done = try await host.client.send(
        AuthAPI.CompleteLogIn(ticket: ticket.ticket, totp: app.code(at: host.time.source.now())))
      #expect(try host.claims(done.accessToken).amr == ["pwd", "otp", "mfa"])
    }
  }

  @Test(
    "a password reset by the school takes what a thief has added to the account", arguments: TestDatabase.allCases)
  func aResetRemovesTheThiefsPasskey(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(settings: Authenticator.settings, database: database) { host async throws in
      let (_, school) = try await host.school()
      let home = host.client(at: "203.0.113.7", with: "KeepFit/2.1 (iPhone; iOS 19.1)")
      let kim = try await host.chooseFirst(try await school.add("kim"), from: home)
      host.time.advance(seconds: 60)
      let elsewhere = host.client(at: "198.51.100.23", with: "Mozilla/5.0 (Windows NT 10.0; Win64; x64)")
      let thief = try await elsewhere.send(AuthAPI.LogIn(login: "kim", password: "correct horse kim"))
      // The member has no address to which the report could be mailed.
      #expect(try await host.reported(to: "kim@example.com").isEmpty)
      #expect(try await host.audited("sign-in.reported") == 1)
      try await Authenticator("thief", host).register(host.client(thief))
      func count(_ table: StaticString) async throws -> Int {
        try await host.database.read { db in
          try db.count("SELECT COUNT(*) FROM \(raw: table) WHERE user_id = \(kim.user.id)")
        }
      }
      #expect(try await count("passkeys") == 1)
      #expect(try await count("known_devices") == 2)

      let temporary = try await school.reset(kim.user.id)
      #expect(try await count("passkeys") == 0)
      #expect(try await count("recovery_codes") == 0)
      #expect(try await count("known_devices") == 0)
      #expect(try await host.audited("credentials.removed") == 1)
      // The member is not asked for a factor that the thief has.
      #expect(try await host.chooseFirst(temporary, from: home).user.id == kim.user.id)
    }
  }

  @Test(
    "a session that has proved no factor is no recent proof of a protected account", arguments: TestDatabase.allCases)
  func sessionsWithoutTheFactorProveNothing(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      // The thief signs in with the password just before the owner protects the account.
      let owner = try await host.signUp("ada")
      let thief = host.client(try await host.logIn("ada"))
      let (proved, app) = try await host.client.setUpAuthenticatorApp(owner, at: host.time.source.now())
      #expect(try await host.needsProof { _ = try await thief.send(AuthAPI.DeleteTOTP()) })
      #expect(try await host.needsProof { _ = try await thief.send(AuthAPI.RenewRecoveryCodes()) })
      #expect(try await host.needsProof { _ = try await thief.send(AuthAPI.PasskeyRegistrationOptions()) })
      #expect(try await host.needsProof { _ = try await thief.send(AuthAPI.ExportMe()) })
      #expect(try await host.client(proved).send(AuthAPI.GetFactors()).totpSince == host.time.source.now())
      // With the factor, the same session may.
      host.time.advance(seconds: 30)
      _ = try await thief.send(AuthAPI.Prove(totp: app.code(at: host.time.source.now())))
      _ = try await thief.send(AuthAPI.ExportMe())
    }
  }

  @Test("a stolen token of a school's staff gets no passwords", arguments: TestDatabase.allCases)
  func stolenTokensOfStaffTakeOverNoOne(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (boss, school) = try await host.school()
      let kim = try await host.chooseFirst(try await school.add("kim"))
      func hash() async throws -> String? {
        try await host.database.read { db in try db.value("SELECT password_hash FROM users WHERE id = \(kim.user.id)") }
      }
      let before = try await hash()
      host.time.advance(seconds: 301)
      #expect(try await host.needsProof { _ = try await school.reset(kim.user.id) })
      #expect(try await host.needsProof { _ = try await school.add("eve") })
      #expect(try await hash() == before)
      #expect(try await host.audited("school.password-reset") == 0)
      #expect(try await host.audited("account.imported") == 1)
      // A caller without rights at the school does not learn that it exists.
      let stranger = TestSchool(id: school.id, staff: boss)
      let refused = try await problem { _ = try await stranger.reset(kim.user.id) }
      #expect(refused?.is(.schoolNotFound) == true)
      _ = try await school.staff.client.send(AuthAPI.Prove(password: "correct horse staff-north"))
      _ = try await school.reset(kim.user.id)
    }
  }

  @Test("passwords that removed staff know do not outlive the removal", arguments: TestDatabase.allCases)
  func removedStaffKnowNoPasswords(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (boss, school) = try await host.school()
      let colleague = TestUser(try await host.signUp("colleague"), host.client)
      _ = try await boss.client.send(AuthAPI.AddSchoolStaff(id: school.id, user: colleague.id))
      let known = try await school.add("kim")
      let other = try await TestSchool(id: school.id, staff: colleague).add("lee")
      _ = try await boss.client.send(AuthAPI.RemoveSchoolStaff(id: school.id, user: school.staff.id))
      let refused = try await problem { _ = try await host.chooseFirst(known) }
      #expect(refused?.is(.invalidCredentials) == true)
      let logIn = try await problem { _ = try await host.logIn("kim", known.password) }
      #expect(logIn?.is(.passwordChangeRequired) == true)
      #expect(try await host.entries("school.password-revoked").map(\.object) == ["user:\(known.userID)"])
      // Those of others stay, and they can give a new one.
      #expect(try await host.chooseFirst(other).user.id == other.userID)
      let again = try await TestSchool(id: school.id, staff: colleague).reset(known.userID)
      // Also when someone leaves or deletes their own account.
      _ = try await colleague.client.send(AuthAPI.DeleteMe())
      #expect(try await problem { _ = try await host.chooseFirst(again) }?.is(.invalidCredentials) == true)
      let issuers = try await host.database.read { db in
        try db.values("SELECT issued_by FROM temporary_passwords WHERE issued_by IS NOT NULL", as: String.self)
      }
      #expect(issuers == [])
    }
  }

  @Test("S5: wrong temporary passwords from another network", arguments: TestDatabase.allCases)
  func guessesAtTemporaryPasswordsKeepNoOneOut(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (_, school) = try await host.school()
      let temporary = try await school.add("kim")
      var guess = temporary
      guess.password = "0000-0000-0000-0000"
      let attacker = host.client(at: "203.0.113.9")
      var codes: [String?] = []
      for _ in 0..<15 {
        codes.append(try await problem { _ = try await host.chooseFirst(guess, from: attacker) }?.code)
      }
      #expect(codes.prefix(5).allSatisfy { $0 == "invalid-credentials" })
      #expect(codes.dropFirst(5).allSatisfy { $0 == "too-many-attempts" })
      // Every guess that was checked is in the trail, also one at an account that does not exist.
      let failures = try await host.entries("sign-in.failed")
      #expect(failures.map(\.object) == Array(repeating: "user:\(temporary.userID)", count: 5))
      guess.username = "nobody"
      let unknown = try await problem {
        _ = try await host.chooseFirst(guess, from: host.client(at: "203.0.113.10"))
      }
      #expect(unknown?.is(.invalidCredentials) == true)
      #expect(try await host.entries("sign-in.failed").first?.object == "unknown")
      let own = try await host.chooseFirst(temporary, from: host.client(at: "198.51.100.7"))
      #expect(own.user.id == temporary.userID)
    }
  }

  @Test("S5: many networks guess, and the school gives the member another password", arguments: TestDatabase.allCases)
  func aResetForgetsTheGuessesOfOthers(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (_, school) = try await host.school()
      let temporary = try await school.add("kim")
      var guess = temporary
      guess.password = "0000-0000-0000-0000"
      for network in 0..<20 {
        let attacker = host.client(at: "203.0.\(network).1")
        for _ in 0..<5 {
          let wrong = try await problem { _ = try await host.chooseFirst(guess, from: attacker) }
          #expect(wrong?.is(.invalidCredentials) == true)
        }
      }
      let own = host.client(at: "198.51.100.7")
      let late = try await problem { _ = try await host.chooseFirst(temporary, from: own) }
      #expect(late?.is(.tooManyAttempts) == true)
      let another = try await school.reset(temporary.userID)
      #expect(try await host.chooseFirst(another, from: own).user.id == temporary.userID)
    }
  }

  @Test func expiredTemporaryPasswordsLeaveATrace() async throws {
    try await TestPlatform.auth { host async throws in
      let (_, school) = try await host.school()
      let temporary = try await school.add("kim")
      host.time.advance(seconds: 15 * 86_400)
      let late = try await problem { _ = try await host.chooseFirst(temporary) }
      #expect(late?.is(.invalidCredentials) == true)
      #expect(try await host.entries("sign-in.failed").map(\.object) == ["user:\(temporary.userID)"])
    }
  }

  @Test("a school imports one list at a time, as what costs much", arguments: TestDatabase.allCases)
  func listsDoNotUseUpTheProcessors(_ database: TestDatabase) async throws {
    let path = "/v1/schools/{id}/members/import"
    let description = try ServiceDescription(of: AuthAPI.self)
    #expect(description.operations.filter { $0.path == path }.map(\.cost) == [.costly])
    try await TestPlatform.auth(database: database) { host async throws in
      let (_, school) = try await host.school()
      try await host.database.write { tx in try SchoolImportStore.begin("other", at: school.id, in: tx) }
      let refused = try await problem { _ = try await school.add("kim") }
      #expect(refused?.is(.importRunning) == true)
      #expect(try await host.audited("account.imported") == 0)
      // The lock of a stopped process expires by itself, and an import that has ended keeps none from beginning,
      // whatever its outcome.
      host.time.advance(seconds: 120)
      _ = try await school.add("kim")
      let empty = try await problem {
        _ = try await school.staff.client.send(AuthAPI.ImportSchoolMembers(id: school.id, body: .csv("")))
      }
      #expect(empty?.status == 422)
      _ = try await school.add("lee")
      #expect(try await host.database.read { db in try db.count("SELECT COUNT(*) FROM school_imports") } == 0)
    }
  }
}
