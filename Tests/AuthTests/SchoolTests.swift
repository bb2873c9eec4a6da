import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Institutions and the accounts that they manage (SD17).
@Suite(.serialized)
struct SchoolTests {
  private func administrator(_ host: TestPlatform) async throws -> TestUser {
    _ = try await host.auth.createAccount(
      email: EmailAddress(validating: "boss@example.com"), username: Username(validating: "boss"),
      displayName: DisplayName(validating: "Boss"), password: Password(validating: "correct horse boss"),
      roles: [.administrator])
    return TestUser(try await host.auth.provedSession(of: "boss"), host.client)
  }

  private func school(_ name: String, by boss: TestUser, _ host: TestPlatform) async throws -> TestSchool {
    let school = try await boss.client.send(
      AuthAPI.CreateSchool(name: ShortText(validating: name), country: CountryCode(validating: "DE")))
    let staff = TestUser(try await host.signUp("staff-\(name)"), host.client)
    _ = try await boss.client.send(AuthAPI.AddSchoolStaff(id: school.id, user: staff.id))
    return TestSchool(id: school.id, staff: staff)
  }

  /// Imports one member, who chooses a password.
  private func member(
    _ name: String, of school: TestSchool, role: String = "student", birthday: String = "2000-05-01",
    _ host: TestPlatform
  ) async throws -> Authentication {
    let report = try await school.importList(["n-\(name),\(name),First,Last,\(birthday),\(role)"])
    return try await chooseFirst(try #require(report.passwords.first), host)
  }

  private func chooseFirst(_ password: TemporaryPassword, _ host: TestPlatform) async throws -> Authentication {
    try await host.client.send(
      AuthAPI.ChooseFirstPassword(
        login: password.username, temporary: password.password,
        password: Password(validating: "correct horse \(password.username)"), app: .letustudy))
  }

  private func hash(of user: UserID, _ host: TestPlatform) async throws -> String? {
    try await host.database.read { db in try db.value("SELECT password_hash FROM users WHERE id = \(user)") }
  }

  @Test(arguments: TestDatabase.allCases)
  func listsAreImportedWithoutDoublesAndEveryBadRowIsReported(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let school = try await school("north", by: administrator(host), host)
      let taken = try await host.signUp("taken")
      let hashBefore = try await hash(of: taken.user.id, host)
      let rows = [
        "17,kim,Kim,Ito,2001-02-03,student", "18,lee,Lee,,,instructor", ",nobody,,,,", "19,x y,,,,",
        "20,mia,,,2001-02-30,", "21,noa,,,,staff", "17,again,,,,", "22,taken,,,,",
      ]
      let first = try await school.importList(rows)
      #expect(first.report.created == 2)
      #expect(first.passwords.map(\.username) == ["kim", "lee"])
      #expect(
        first.report.rejected == [
          .init(line: 4, errors: ["number is missing"]),
          .init(line: 5, errors: ["username may contain only 3 to 30 letters, digits, dots, dashes and underscores"]),
          .init(line: 6, errors: ["birthday must be a date in the format YYYY-MM-DD"]),
          .init(line: 7, errors: ["role must be student or instructor"]),
          .init(line: 8, errors: ["number 17 is already used in line 2"]),
          .init(line: 9, errors: ["username is taken"]),
        ])
      // An existing account is not taken over.
      #expect(try await hash(of: taken.user.id, host) == hashBefore)

      let users = try await host.database.read { db in try db.count("SELECT COUNT(*) FROM users") }
      let again = try await school.importList(Array(rows.prefix(2)))
      #expect(again.report == ImportReport(unchanged: 2))
      #expect(again.passwords == [])
      let changed = try await school.importList(["17,kim,Kimberly,,,"])
      #expect(changed.report == ImportReport(updated: 1))
      #expect(try await host.database.read { db in try db.count("SELECT COUNT(*) FROM users") } == users)

      let members = try await school.staff.client.send(AuthAPI.ListSchoolMembers(id: school.id)).items
      #expect(members.map(\.role) == [.staff, .student, .instructor])
      #expect(members.map(\.hasTemporaryPassword) == [false, true, true])
      #expect(members.map(\.number?.rawValue) == [nil, "17", "18"])
      let lee = try #require(members.last).userID
      let stored = try await host.database.read { db in try host.auth.core.accounts.get(lee, in: db).account }
      #expect(stored.roles == [.user, .instructor])
      #expect(stored.email == nil)
      #expect(stored.details.school?.rawValue == "north")
      // Numbers and temporary passwords do not rest readable.
      let numbers = try await host.database.read { db in
        try db.values("SELECT number FROM school_members WHERE number IS NOT NULL", as: String.self)
          + db.values("SELECT number_lookup FROM school_members WHERE number IS NOT NULL", as: String.self)
      }
      #expect(Set(numbers).count == 4)
      #expect(Set(numbers).isDisjoint(with: ["17", "18"]))
      let viewed = try await host.database.read { db in
        try db.count("SELECT COUNT(*) FROM audit WHERE action = 'school-members.viewed'")
      }
      #expect(viewed == 1)
    }
  }

  @Test("a row that fails does not take the passwords of the others along")
  func passwordsAreNotLost() async throws {
    try await TestPlatform.auth { host async throws in
      let school = try await school("north", by: administrator(host), host)
      let rows = ["1,kim,,,,student", "2,lee,,,,student", "3,mia,,,,student"]
      try await host.database.write { tx in
        _ = try tx.execute(
          """
          CREATE TRIGGER broken BEFORE INSERT ON users WHEN NEW.username = 'lee'
          BEGIN SELECT RAISE(ABORT, 'broken'); END
          """)
      }
      let first = try await school.importList(rows)
      #expect(first.report.created == 2)
      #expect(first.report.rejected.map(\.line) == [3])
      #expect(first.passwords.map(\.username) == ["kim", "mia"])
      _ = try await chooseFirst(try #require(first.passwords.first), host)

      try await host.database.write { tx in _ = try tx.execute("DROP TRIGGER broken") }
      // The answer to the first request may have been lost.
      let second = try await school.importList(rows, newPasswords: true)
      #expect(second.report == ImportReport(created: 1, unchanged: 2))
      #expect(second.passwords.map(\.username) == ["lee", "mia"])
      // Kim has chosen one already, and Mia's first does not work any more.
      #expect(try await host.logIn("kim").user.username == "kim")
      let old = try await problem { _ = try await chooseFirst(try #require(first.passwords.last), host) }
      #expect(old?.is(.invalidCredentials) == true)
      for password in second.passwords {
        #expect(try await chooseFirst(password, host).user.id == password.userID)
      }
    }
  }

  @Test func listsAreAlsoJSON() async throws {
    try await TestPlatform.auth { host async throws in
      let school = try await school("north", by: administrator(host), host)
      let rows: [JSONValue] = [
        ["number": "1", "username": "kim"], ["number": 2], "x", ["number": "3", "secret": "x"],
      ]
      let report = try await school.staff.client.send(
        AuthAPI.ImportSchoolMembers(id: school.id, body: .rows(rows)))
      #expect(report.report.created == 1)
      #expect(report.report.rejected.map(\.line) == [2, 3, 4])
      for file in ["", "name\nx", "number,username,secret\n1,kim,x"] {
        let refused = try await problem {
          _ = try await school.staff.client.send(AuthAPI.ImportSchoolMembers(id: school.id, body: .csv(file)))
        }
        #expect(refused?.status == 422, "\(file)")
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aTemporaryPasswordOnlyServesToChooseAnother(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let school = try await school("north", by: administrator(host), host)
      let report = try await school.importList(["1,kim,,,,student"])
      let temporary = try #require(report.passwords.first)
      let login = try await problem { _ = try await host.logIn("kim", temporary.password) }
      #expect(login?.code == "password-change-required")
      let sessions = try await host.database.read { db in
        try db.count("SELECT COUNT(*) FROM sessions WHERE user_id = \(temporary.userID)")
      }
      #expect(sessions == 0)
      let same = try await problem {
        _ = try await host.client.send(
          AuthAPI.ChooseFirstPassword(
            login: "kim", temporary: temporary.password, password: Password(validating: temporary.password)))
      }
      #expect(same?.is(.passwordTooCommon) == true)
      #expect(try await chooseFirst(temporary, host).user.id == temporary.userID)
      #expect(try await host.logIn("kim").user.id == temporary.userID)
      // It cannot be used again.
      for attempt in [temporary.password, "correct horse kim"] {
        let refused = try await problem {
          _ = try await host.client.send(
            AuthAPI.ChooseFirstPassword(
              login: "kim", temporary: attempt, password: Password(validating: "another horse kim")))
        }
        #expect(refused?.is(.invalidCredentials) == true)
      }
    }
  }

  @Test func temporaryPasswordsExpire() async throws {
    try await TestPlatform.auth { host async throws in
      let school = try await school("north", by: administrator(host), host)
      let temporary = try #require(try await school.importList(["1,kim,,,,student"]).passwords.first)
      host.time.advance(seconds: 15 * 86_400)
      let late = try await problem { _ = try await chooseFirst(temporary, host) }
      #expect(late?.is(.invalidCredentials) == true)
    }
  }

  /// The attacks of someone who is staff of another school, a member, or neither.
  @Test(arguments: TestDatabase.allCases)
  func onlyTheStaffOfASchoolManageItsMembers(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let boss = try await administrator(host)
      let north = try await school("north", by: boss, host)
      let south = try await school("south", by: boss, host)
      let kim = try await member("kim", of: north, host)
      let before = try await hash(of: kim.user.id, host)
      let student = TestUser(kim, host.client)
      for (attacker, at) in [(south.staff, north.id), (student, north.id), (boss, north.id)] {
        for refused in [
          try await problem { _ = try await attacker.client.send(AuthAPI.ListSchoolMembers(id: at)) },
          try await problem {
            _ = try await attacker.client.send(AuthAPI.ResetMemberPassword(id: at, user: kim.user.id))
          },
          try await problem {
            _ = try await attacker.client.send(AuthAPI.RemoveSchoolMember(id: at, user: kim.user.id))
          },
          try await problem {
            _ = try await attacker.client.send(AuthAPI.UpdateSchoolMember(id: at, user: kim.user.id, role: .instructor))
          },
          try await problem {
            _ = try await attacker.client.send(
              AuthAPI.ImportSchoolMembers(id: at, body: .csv("number,username\n9,eve")))
          },
        ] { #expect(refused?.code == "school-not-found") }
      }
      // At their own school, staff have no power over members of another one, over each other or over administrators.
      _ = try await boss.client.send(AuthAPI.AddSchoolStaff(id: south.id, user: boss.id))
      for user in [kim.user.id, boss.id, north.staff.id, south.staff.id] {
        let refused = try await problem {
          _ = try await south.staff.client.send(AuthAPI.ResetMemberPassword(id: south.id, user: user))
        }
        #expect(refused?.code == "school-member-not-found")
      }
      for attacker in [north.staff, student] {
        let refused = try await problem {
          _ = try await attacker.client.send(AuthAPI.AddSchoolStaff(id: north.id, user: attacker.id))
        }
        #expect(refused?.is(.forbidden) == true)
      }
      #expect(try await hash(of: kim.user.id, host) == before)
      // Neither does the staff of a school that was closed.
      _ = try await boss.client.send(AuthAPI.UpdateSchool(id: north.id, isActive: false))
      let closed = try await problem {
        _ = try await north.staff.client.send(AuthAPI.ResetMemberPassword(id: north.id, user: kim.user.id))
      }
      #expect(closed?.is(.schoolNotFound) == true)
    }
  }

  @Test func aResetEndsTheMembersSessions() async throws {
    try await TestPlatform.auth { host async throws in
      let school = try await school("north", by: administrator(host), host)
      let kim = try await member("kim", of: school, host)
      let temporary = try await school.staff.client.send(
        AuthAPI.ResetMemberPassword(id: school.id, user: kim.user.id))
      #expect(temporary.number.rawValue == "n-kim")
      let ended = try await problem { _ = try await host.refresh(kim.refreshToken) }
      #expect(ended?.is(.refreshTokenInvalid) == true)
      let old = try await problem { _ = try await host.logIn("kim") }
      #expect(old?.is(.invalidCredentials) == true)
      #expect(try await chooseFirst(temporary, host).user.id == kim.user.id)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func whoeverLeavesTakesTheAccountAlongAfterProvingAnAddress(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let school = try await school("north", by: administrator(host), host)
      let kim = try await member("kim", of: school, role: "instructor", host)
      #expect(kim.user.roles == [.user, .instructor])
      let me = host.client.with(accessToken: kim.accessToken)
      #expect(try await me.send(AuthAPI.ListMySchools()).items.map(\.role) == [.instructor])
      let early = try await problem { _ = try await me.send(AuthAPI.LeaveSchool(id: school.id)) }
      #expect(early?.code == "email-not-verified")

      _ = try await me.send(
        AuthAPI.ChangeEmail(email: EmailAddress(validating: "kim@example.com"), password: "correct horse kim"))
      let code = try #require(try await host.mailedCodes(to: "kim@example.com").last)
      _ = try await me.send(AuthAPI.VerifyEmail(token: code))
      _ = try await me.send(AuthAPI.LeaveSchool(id: school.id))
      let own = try await host.logIn("kim@example.com", "correct horse kim")
      #expect(own.user.id == kim.user.id)
      #expect(own.user.roles == [.user])
      let reset = try await problem {
        _ = try await school.staff.client.send(AuthAPI.ResetMemberPassword(id: school.id, user: kim.user.id))
      }
      #expect(reset?.is(.schoolMemberNotFound) == true)
    }
  }

  @Test func aRemovedMemberWithoutAnAddressIsDisabled() async throws {
    try await TestPlatform.auth { host async throws in
      let school = try await school("north", by: administrator(host), host)
      let kim = try await member("kim", of: school, host)
      _ = try await school.staff.client.send(AuthAPI.RemoveSchoolMember(id: school.id, user: kim.user.id))
      let refused = try await problem { _ = try await host.logIn("kim") }
      #expect(refused?.is(.accountDisabled) == true)
      #expect(
        try await school.staff.client.send(AuthAPI.ListSchoolMembers(id: school.id)).items.map(\.role) == [.staff])
    }
  }

  @Test("a pupil who was removed by mistake comes back with the account", arguments: TestDatabase.allCases)
  func removedMembersComeBack(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let boss = try await administrator(host)
      let school = try await school("north", by: boss, host)
      let kim = try await member("kim", of: school, role: "instructor", host)
      let lee = try #require(try await school.importList(["2,lee,,,,student"]).passwords.first)
      for user in [kim.user.id, lee.userID] {
        _ = try await school.staff.client.send(AuthAPI.RemoveSchoolMember(id: school.id, user: user))
      }
      func roles() async throws -> [SchoolRole] {
        try await school.staff.client.send(AuthAPI.ListSchoolMembers(id: school.id)).items.map(\.role)
      }
      #expect(try await roles() == [.staff])
      let gone = try await problem {
        _ = try await school.staff.client.send(AuthAPI.ResetMemberPassword(id: school.id, user: kim.user.id))
      }
      #expect(gone?.is(.schoolMemberNotFound) == true)

      let report = try await school.importList(["n-kim,kim,,,,", "2,lee,,,,student"])
      #expect(report.report == ImportReport(updated: 2))
      #expect(try await roles() == [.staff, .instructor, .student])
      // Kim has the password and the role from before; Lee, whose temporary one was removed, gets another.
      let back = try await host.logIn("kim")
      #expect(back.user.id == kim.user.id)
      #expect(back.user.roles == [.user, .instructor])
      #expect(report.passwords.map(\.username) == ["lee"])
      #expect(try await chooseFirst(try #require(report.passwords.first), host).user.id == lee.userID)
      #expect(try await problem { _ = try await host.refresh(kim.refreshToken) }?.is(.refreshTokenInvalid) == true)
      #expect(try await host.audited("school.rejoined") == 2)
      // A number that is given to somebody else does not bring the account along.
      _ = try await school.staff.client.send(AuthAPI.RemoveSchoolMember(id: school.id, user: lee.userID))
      let next = try await school.importList(["2,noa,,,,student"])
      #expect(next.report == ImportReport(created: 1))
      #expect(next.passwords.map(\.userID) != [lee.userID])
    }
  }

  /// The attack: a school takes an account back that it does not manage any more.
  @Test(arguments: TestDatabase.allCases)
  func anAccountThatIsNotTheSchoolsStaysAsItIs(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      let boss = try await administrator(host)
      let school = try await school("north", by: boss, host)
      let (kim, lee) = (try await member("kim", of: school, host), try await member("lee", of: school, host))
      let accounts = try host.auth.core.accounts
      func setDisabled(_ user: UserID, _ isDisabled: Bool) async throws {
        try await host.database.write { tx in
          var stored = try accounts.get(user, in: tx)
          stored.isDisabled = isDisabled
          try accounts.update(&stored, in: tx)
        }
      }
      // Kim was disabled by the platform before the school removed the member, Lee enabled by it afterward.
      try await setDisabled(kim.user.id, true)
      for user in [kim.user.id, lee.user.id] {
        _ = try await school.staff.client.send(AuthAPI.RemoveSchoolMember(id: school.id, user: user))
      }
      try await setDisabled(lee.user.id, false)
      let report = try await school.importList(["n-kim,kim,,,,", "n-lee,lee,,,,"])
      #expect(report.report.rejected.map(\.errors) == [["username is taken"], ["username is taken"]])
      #expect(report.passwords == [])
      #expect(try await problem { _ = try await host.logIn("kim") }?.is(.accountDisabled) == true)
      #expect(try await host.logIn("lee").user.id == lee.user.id)
      // As an account of its own it may become staff.
      _ = try await boss.client.send(AuthAPI.AddSchoolStaff(id: school.id, user: lee.user.id))
    }
  }

  @Test func managedMinorsAwaitAGuardianLikeOthers() async throws {
    try await TestPlatform.auth { host async throws in
      let school = try await school("north", by: administrator(host), host)
      let kim = try await member("kim", of: school, birthday: "2012-05-01", host)
      let status = try await host.client.with(accessToken: kim.accessToken).send(AuthAPI.GetGuardianStatus())
      #expect(status == GuardianStatus(state: .needed, country: try CountryCode(validating: "DE"), age: 16))
    }
  }

  @Test func nothingOfADeletedMemberIsLeft() async throws {
    try await TestPlatform.auth { host async throws in
      let school = try await school("north", by: administrator(host), host)
      let kim = try await member("kim", of: school, host)
      let me = host.client.with(accessToken: kim.accessToken)
      let export = try await me.send(AuthAPI.ExportMe())
      #expect(export["services"]?["auth"]?["schools"]?.elements.first?["number"]?.string == "n-kim")
      _ = try await me.send(AuthAPI.DeleteMe())
      let left = try await host.database.read { db in
        try db.count("SELECT COUNT(*) FROM school_members WHERE user_id = \(kim.user.id)")
          + db.count("SELECT COUNT(*) FROM user_countries WHERE user_id = \(kim.user.id)")
      }
      #expect(left == 0)
    }
  }
}
