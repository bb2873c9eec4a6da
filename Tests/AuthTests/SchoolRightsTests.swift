import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Rights at a school and the names of its members last longer than a token, so that a stolen one must not change them.
@Suite(.serialized)
struct SchoolRightsTests {
  @Test("a stolen token of an administrator gives no one a school", arguments: TestDatabase.allCases)
  func stolenTokensOfAdministratorsMakeNoStaff(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (boss, school) = try await host.school()
      let eve = try await host.signUp("eve").user.id
      _ = try await boss.client.send(AuthAPI.UpdateSchool(id: school.id, isActive: false))
      host.time.advance(seconds: 301)
      let add = AuthAPI.AddSchoolStaff(id: school.id, user: eve)
      let activate = AuthAPI.UpdateSchool(id: school.id, isActive: true)
      #expect(try await host.needsProof { _ = try await boss.client.send(add) })
      #expect(try await host.needsProof { _ = try await boss.client.send(activate) })
      // Nothing has happened.
      let (staff, active) = try await host.database.read { db in
        (
          try db.values("SELECT user_id FROM school_members", as: UserID.self),
          try db.count("SELECT COUNT(*) FROM schools WHERE is_active = 1")
        )
      }
      #expect(staff == [school.staff.id])
      #expect(active == 0)
      #expect(try await host.audited("school.staff-added") == 1)
      _ = try await boss.client.send(AuthAPI.Prove(password: "correct horse boss"))
      _ = try await boss.client.send(add)
      #expect(try await boss.client.send(activate).isActive)
    }
  }

  @Test("a stolen token of a school's staff locks no one out", arguments: TestDatabase.allCases)
  func stolenTokensOfStaffDisableNoOne(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (_, school) = try await host.school()
      let kim = try await host.chooseFirst(try await school.add("kim"))
      host.time.advance(seconds: 301)
      let thief = school.staff.client
      let update = AuthAPI.UpdateSchoolMember(id: school.id, user: kim.user.id, role: .instructor)
      let remove = AuthAPI.RemoveSchoolMember(id: school.id, user: kim.user.id)
      #expect(try await host.needsProof { _ = try await thief.send(update) })
      #expect(try await host.needsProof { _ = try await thief.send(remove) })
      // Nothing has happened to the member.
      let same = try await host.refresh(kim.refreshToken)
      #expect(same.user.roles == [.user])
      #expect(try await host.audited("school.role-changed") == 0)
      #expect(try await host.audited("school.left") == 0)
      _ = try await thief.send(AuthAPI.Prove(password: "correct horse staff-north"))
      #expect(try await thief.send(update).role == .instructor)
      _ = try await thief.send(remove)
      #expect(try await problem { _ = try await host.logIn("kim") }?.is(.accountDisabled) == true)
    }
  }

  @Test("a school does not enable an account that an administrator has disabled", arguments: TestDatabase.allCases)
  func schoolsDoNotLiftBans(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (boss, school) = try await host.school()
      let kim = try await host.chooseFirst(try await school.add("kim"))
      let lee = try await host.chooseFirst(try await school.add("lee"))
      for member in [kim, lee] {
        _ = try await school.staff.client.send(AuthAPI.RemoveSchoolMember(id: school.id, user: member.user.id))
      }
      // The removal has disabled the account already.
      _ = try await boss.client.send(AuthAPI.AdminUpdateUser(id: kim.user.id, isDisabled: true))
      let report = try await school.importList(["n-kim,kim,,,,", "n-lee,lee,,,,"])
      #expect(report.report.updated == 1)
      #expect(report.report.rejected == [.init(line: 2, errors: ["username is taken"])])
      #expect(try await problem { _ = try await host.logIn("kim") }?.is(.accountDisabled) == true)
      #expect(try await host.logIn("lee").user.id == lee.user.id)
      #expect(try await host.entries("account.administered").map(\.object) == ["user:\(kim.user.id)"])
      // An administrator may.
      _ = try await boss.client.send(AuthAPI.AdminUpdateUser(id: kim.user.id, isDisabled: false))
      #expect(try await host.logIn("kim").user.id == kim.user.id)
    }
  }

  @Test("a list that is imported again leaves the passwords that were handed out", arguments: TestDatabase.allCases)
  func passwordsThatWereHandedOutStay(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (_, school) = try await host.school()
      let (kim, lee, mia) = (
        try await school.add("kim"), try await school.add("lee"), try await school.add("mia")
      )
      let rows = ["n-kim,kim,Kim,,,", "n-lee,lee,,,,", "n-noa,noa,,,,"]
      let again = try await school.importList(rows)
      #expect(again.report == ImportReport(created: 1, updated: 1, unchanged: 1))
      #expect(again.passwords.map(\.username) == ["noa"])
      #expect(try await host.audited("school.password-reset") == 0)
      #expect(try await host.chooseFirst(kim).user.id == kim.userID)
      // On request, those who have not used theirs get others.
      let replaced = try await school.importList(Array(rows.prefix(2)), newPasswords: true)
      #expect(replaced.passwords.map(\.username) == ["lee"])
      #expect(try await problem { _ = try await host.chooseFirst(lee) }?.is(.invalidCredentials) == true)
      let second = try #require(replaced.passwords.first)
      #expect(try await host.chooseFirst(second).user.id == lee.userID)
      // One that has expired is replaced without a request.
      host.time.advance(seconds: 15 * 86_400)
      let staff = TestUser(try await host.logIn("staff-north"), host.client)
      let late = try await TestSchool(id: school.id, staff: staff).importList(["n-mia,mia,,,,", "n-kim,kim,,,,"])
      #expect(late.report == ImportReport(unchanged: 2))
      #expect(late.passwords.map(\.username) == ["mia"])
      #expect(try await host.chooseFirst(try #require(late.passwords.first)).user.id == mia.userID)
    }
  }

  @Test("staff who are disabled know no passwords of members", arguments: TestDatabase.allCases)
  func disabledStaffKnowNoPasswords(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (boss, school) = try await host.school()
      let known = try await school.add("kim")
      _ = try await boss.client.send(AuthAPI.AdminUpdateUser(id: school.staff.id, isDisabled: true))
      // Closures in `#expect` and beside it may be taken for each other by the compiler (Swift 6.3).
      let first = try await problem { _ = try await host.chooseFirst(known) }
      #expect(first?.code == Problem.Kind.invalidCredentials.code)
      #expect(try await host.entries("school.password-revoked").map(\.object) == ["user:\(known.userID)"])
      // Neither does the password sign in without being replaced.
      let logIn = try await problem { _ = try await host.logIn("kim", known.password) }
      #expect(logIn?.code == Problem.Kind.passwordChangeRequired.code)
    }
  }

  @Test("who had got into an account of the staff knows no passwords afterwards", arguments: TestDatabase.allCases)
  func deniedSignInsLeaveNoPasswords(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let (boss, school) = try await host.school()
      let home = host.client(at: "203.0.113.7", with: "KeepFit/2.1 (iPhone; iOS 19.1)")
      let owner = TestUser(try await host.signUpVerified("head", home), home)
      _ = try await boss.client.send(AuthAPI.AddSchoolStaff(id: school.id, user: owner.id))
      let own = try await TestSchool(id: school.id, staff: owner).add("kim")
      host.time.advance(seconds: 600)
      let elsewhere = host.client(at: "198.51.100.23", with: "Mozilla/5.0 (Windows NT 10.0; Win64; x64)")
      let thief = TestUser(
        try await elsewhere.send(AuthAPI.LogIn(login: "head", password: "correct horse head")), elsewhere)
      let stolen = try await TestSchool(id: school.id, staff: thief).add("lee")
      let token = try #require(try await host.reported(to: "head@example.com").first?.token)
      _ = try await host.client.send(AuthAPI.DenySignIn(token: token))
      #expect(try await problem { _ = try await host.chooseFirst(stolen) }?.is(.invalidCredentials) == true)
      #expect(try await host.entries("school.password-revoked").map(\.object) == ["user:\(stolen.userID)"])
      // Those of before the sign-in stay.
      #expect(try await host.chooseFirst(own).user.id == own.userID)
    }
  }
}
