import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct CourseMemberTests {
  @Test(arguments: TestDatabase.allCases)
  func aStudentJoinsByCodeAndLeaves(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob) = (try await host.instructor("ada"), try await host.user("bob"))
      let course = try await host.course(ada)
      let made = try #require(try await ada.client.send(StudyAPI.RenewCourseCode(id: course)).code)
      #expect(try await ada.client.send(StudyAPI.GetCourseCode(id: course)).code == made)
      // As people type it.
      let typed = made.rawValue.prefix(4).lowercased() + " - " + made.rawValue.suffix(4)
      let joined = try await bob.client.send(StudyAPI.JoinCourse(code: CourseCode(validating: typed)))
      #expect(joined.role == .student)
      #expect(joined.studentCount == 1)
      _ = try await bob.client.send(StudyAPI.JoinCourse(code: made))

      let members = try await bob.client.send(StudyAPI.ListCourseMembers(id: course)).items
      #expect(Set(members.map(\.userID)) == [ada.id, bob.id])
      #expect(members.first { $0.userID == ada.id }?.name?.displayName == "The ada")
      let students = try await ada.client.send(StudyAPI.ListCourseMembers(id: course, role: .student)).items
      #expect(students.map(\.userID) == [bob.id])

      _ = try await bob.client.send(StudyAPI.RemoveCourseMember(id: course, user: bob.id))
      #expect(
        try await code { _ = try await bob.client.send(StudyAPI.GetCourse(id: course)) } == "course-not-found")
      let again = StudyAPI.RemoveCourseMember(id: course, user: bob.id)
      #expect(try await code { _ = try await bob.client.send(again) } == "course-not-found")
      let changes = try await host.events(CourseMembershipChanged.self).filter { $0.courseID == course }
      #expect(changes.map(\.userID) == [ada.id, bob.id, bob.id])
      #expect(changes.map(\.role) == [.owner, .student, nil])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aCodeIsStoredUnreadableAndCanBeReplacedAndDisabled(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob) = (try await host.instructor("ada"), try await host.user("bob"))
      let course = try await host.course(ada)
      #expect(try await ada.client.send(StudyAPI.GetCourseCode(id: course)).code == nil)
      let first = try #require(try await ada.client.send(StudyAPI.RenewCourseCode(id: course)).code)
      let second = try #require(try await ada.client.send(StudyAPI.RenewCourseCode(id: course)).code)
      #expect(first != second)
      let stored = try await host.database.read { db in
        try db.first("SELECT code, code_hash FROM courses") { row -> [String] in
          [try row["code"], try row["code_hash"]]
        }
      }
      #expect(try #require(stored).allSatisfy { !$0.contains(second.rawValue) })
      let old = StudyAPI.JoinCourse(code: first)
      #expect(try await code { _ = try await bob.client.send(old) } == "course-code-invalid")
      _ = try await ada.client.send(StudyAPI.DisableCourseCode(id: course))
      let disabled = StudyAPI.JoinCourse(code: second)
      #expect(try await code { _ = try await bob.client.send(disabled) } == "course-code-invalid")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func guessingCodesIsSlow(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, eve) = (try await host.instructor("ada"), try await host.user("eve"))
      let course = try await host.course(ada)
      let right = try #require(try await ada.client.send(StudyAPI.RenewCourseCode(id: course)).code)
      var codes: [String?] = []
      for number in 0..<12 {
        let guess = CourseCode(checked: "2222222" + ["2", "3"][number % 2])
        codes.append(try await code { _ = try await eve.client.send(StudyAPI.JoinCourse(code: guess)) })
      }
      #expect(codes.prefix(10).allSatisfy { $0 == "course-code-invalid" })
      #expect(codes.last == "too-many-requests")
      let early = StudyAPI.JoinCourse(code: right)
      #expect(try await code { _ = try await eve.client.send(early) } == "too-many-requests")
      host.test.time.advance(seconds: 3600)
      _ = try await eve.client.send(StudyAPI.JoinCourse(code: right))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anInvitationIsMailedAndUsedOnce(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob, eve) = (
        try await host.instructor("ada"), try await host.user("bob"), try await host.user("eve")
      )
      let course = try await host.course(ada)
      let token = try await host.invite("bob@school.example", .student, to: course, by: ada)
      let stored = try await host.database.read { db in
        try db.first("SELECT email, email_hash, token_hash FROM course_invitations") { row -> [String] in
          [try row["email"], try row["email_hash"], try row["token_hash"]]
        }
      }
      #expect(try #require(stored).allSatisfy { !$0.contains("bob") && !$0.contains(token.rawValue) })
      let listed = try await ada.client.send(StudyAPI.ListCourseInvitations(id: course)).items
      #expect(listed.map(\.email.rawValue) == ["bob@school.example"])

      let accept = StudyAPI.AcceptCourseInvitation(token: token)
      #expect(try await bob.client.send(accept, idempotencyKey: "one").role == .student)
      // The reply was lost.
      #expect(try await bob.client.send(accept, idempotencyKey: "one").id == course)
      let again = StudyAPI.AcceptCourseInvitation(token: token)
      #expect(try await code { _ = try await eve.client.send(again) } == "course-invitation-invalid")
      #expect(try await ada.client.send(StudyAPI.ListCourseInvitations(id: course)).items == [])
      let texts = try await host.database.read { db in try db.values("SELECT data FROM outbox", as: String.self) }
      #expect(texts.allSatisfy { !$0.contains("school.example") })
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func invitationsExpireAndAreReplacedAndWithdrawn(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob) = (try await host.instructor("ada"), try await host.user("bob"))
      let course = try await host.course(ada)
      let first = try await host.invite("bob@school.example", .student, to: course, by: ada)
      host.test.time.advance(seconds: 1)
      let second = try await host.invite("bob@school.example", .student, to: course, by: ada)
      func accept(_ token: CourseInvitationToken) async throws -> String? {
        try await code { _ = try await bob.client.send(StudyAPI.AcceptCourseInvitation(token: token)) }
      }
      #expect(try await accept(first) == "course-invitation-invalid")
      host.test.time.advance(seconds: CourseInvitations.lifetime)
      #expect(try await accept(second) == "course-invitation-invalid")
      try await host.work("course-invitations.expire")
      #expect(try await host.count("SELECT COUNT(*) FROM course_invitations") == 0)

      let third = try await host.invite("bob@school.example", .student, to: course, by: ada)
      let listed = try await ada.client.send(StudyAPI.ListCourseInvitations(id: course)).items
      _ = try await ada.client.send(
        StudyAPI.DeleteCourseInvitation(id: course, invitation: try #require(listed.first?.id)))
      #expect(try await accept(third) == "course-invitation-invalid")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func whoWasRemovedComesBackByANewInvitationOnly(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob) = (try await host.instructor("ada"), try await host.user("bob"))
      let course = try await host.course(ada)
      let join = StudyAPI.JoinCourse(
        code: try #require(try await ada.client.send(StudyAPI.RenewCourseCode(id: course)).code))
      _ = try await bob.client.send(join)
      let old = try await host.invite("bob@school.example", .student, to: course, by: ada)
      host.test.time.advance(seconds: 1)
      _ = try await ada.client.send(StudyAPI.RemoveCourseMember(id: course, user: bob.id))
      #expect(try await code { _ = try await bob.client.send(join) } == "course-code-invalid")
      let accept = StudyAPI.AcceptCourseInvitation(token: old)
      #expect(try await code { _ = try await bob.client.send(accept) } == "course-invitation-invalid")
      #expect(try await host.export("courseRemovals", of: bob.id).count == 1)

      host.test.time.advance(seconds: 1)
      let new = try await host.invite("bob@school.example", .student, to: course, by: ada)
      #expect(try await bob.client.send(StudyAPI.AcceptCourseInvitation(token: new)).id == course)
      // Whoever leaves may join again.
      _ = try await bob.client.send(StudyAPI.RemoveCourseMember(id: course, user: bob.id))
      _ = try await bob.client.send(join)
      _ = try await ada.client.send(StudyAPI.RemoveCourseMember(id: course, user: bob.id))
      try await host.deliver(UserDeleted(userID: bob.id))
      #expect(try await host.count("SELECT COUNT(*) FROM course_removals") == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func onlyInstructorsTeachWithOthers(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob, carl) = (
        try await host.instructor("ada"), try await host.instructor("bob"), try await host.user("carl")
      )
      let course = try await host.course(ada)
      let token = try await host.invite("x@school.example", .instructor, to: course, by: ada)
      let request = StudyAPI.AcceptCourseInvitation(token: token)
      #expect(try await code { _ = try await carl.client.send(request) } == "forbidden")
      #expect(try await bob.client.send(request).role == .instructor)

      let invite = StudyAPI.InviteToCourse(
        id: course, email: EmailAddress(checked: "y@school.example"), role: .instructor)
      #expect(try await code { _ = try await bob.client.send(invite) } == "forbidden")
      let removal = StudyAPI.RemoveCourseMember(id: course, user: ada.id)
      #expect(try await code { _ = try await bob.client.send(removal) } == "course-owner-stays")
      let leaving = StudyAPI.RemoveCourseMember(id: course, user: ada.id)
      #expect(try await code { _ = try await ada.client.send(leaving) } == "course-owner-stays")
      _ = try await ada.client.send(StudyAPI.RemoveCourseMember(id: course, user: bob.id))
      #expect(
        try await code { _ = try await bob.client.send(StudyAPI.GetCourse(id: course)) } == "course-not-found")
    }
  }
}
