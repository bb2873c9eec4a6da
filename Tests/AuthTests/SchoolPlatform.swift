import AuthService
import Contracts
import ServiceKit
import TestKit

/// A school with one member of staff.
struct TestSchool {
  var id: SchoolID
  var staff: TestUser

  func importList(_ rows: [String], newPasswords: Bool? = nil) async throws -> SchoolImportReport {
    let text = (["number,username,firstName,lastName,birthday,role"] + rows).joined(separator: "\n")
    return try await staff.client.send(
      AuthAPI.ImportSchoolMembers(id: id, newPasswords: newPasswords, body: .csv(text)))
  }

  /// Imports one member.
  func add(_ name: String, birthday: String = "2000-05-01") async throws -> TemporaryPassword {
    let report = try await importList(["n-\(name),\(name),,,\(birthday),student"])
    guard let password = report.passwords.first else { throw TestKitError("not imported") }
    return password
  }

  func reset(_ user: UserID) async throws -> TemporaryPassword {
    try await staff.client.send(AuthAPI.ResetMemberPassword(id: id, user: user))
  }
}

extension TestPlatform {
  /// An administrator and a school.
  func school(_ name: String = "north") async throws -> (boss: TestUser, school: TestSchool) {
    _ = try await auth.createAccount(
      email: EmailAddress(validating: "boss@example.com"), username: Username(validating: "boss"),
      displayName: DisplayName(validating: "Boss"), password: Password(validating: "correct horse boss"),
      roles: [.administrator])
    let boss = TestUser(try await auth.provedSession(of: "boss"), client)
    let school = try await boss.client.send(
      AuthAPI.CreateSchool(name: ShortText(validating: name), country: CountryCode(validating: "DE")))
    let staff = TestUser(try await signUp("staff-\(name)"), client)
    _ = try await boss.client.send(AuthAPI.AddSchoolStaff(id: school.id, user: staff.id))
    return (boss, TestSchool(id: school.id, staff: staff))
  }

  /// Replaces a temporary password by `correct horse …`.
  func chooseFirst(_ temporary: TemporaryPassword, from client: APIClient? = nil) async throws -> Authentication {
    try await (client ?? self.client).send(
      AuthAPI.ChooseFirstPassword(
        login: temporary.username, temporary: temporary.password,
        password: Password(validating: "correct horse \(temporary.username)"), app: .letustudy))
  }
}
