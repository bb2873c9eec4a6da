import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Rights at a school and the names of its members last longer than a token, so that a stolen one must not change them.
@Suite(.serialized)
struct SchoolRightsTests {
  @Test("a stolen token of an administrator gives nobody a school", arguments: TestDatabase.allCases)
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
}
