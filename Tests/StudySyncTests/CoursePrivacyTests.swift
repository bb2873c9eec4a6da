import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import StudySyncService

/// Personal data of courses: exported to its owner, erased with the account.
@Suite(.serialized)
struct CoursePrivacyTests {
  @Test(arguments: TestDatabase.allCases)
  func aStudentLeavesNothing(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob, carl) = (
        try await host.instructor("ada"), try await host.user("bob"), try await host.user("carl")
      )
      let course = try await host.course(ada)
      try await host.join(course, of: ada, bob, carl)
      let assignment = try await host.assignment(course, by: ada, .afterReturn)
      for student in [bob, carl] {
        try await host.submit("First of \(student.id)", assignment, course, by: student)
        try await host.submit("Second of \(student.id)", assignment, course, by: student)
        try await host.grade(student, 900, assignment, course, by: ada, feedback: "Good")
        try await host.submit("Third of \(student.id)", assignment, course, by: student)
        try await host.submit("Fourth of \(student.id)", assignment, course, by: student)
      }
      let discussion = try await bob.client.send(
        StudyAPI.StartDiscussion(
          course: course, title: ShortText(checked: "By Bob"), text: CourseText(checked: "Words")))
      for user in [bob, carl] {
        _ = try await user.client.send(
          StudyAPI.ReplyToDiscussion(course: course, discussion: discussion.id, text: CourseText(checked: "Reply")))
      }

      #expect(try await host.export("courses", of: bob.id).count == 1)
      let submissions = try await host.export("submissions", of: bob.id)
      #expect(submissions.map { $0["text"]?.string } == ["Fourth of \(bob.id)"])
      let versions = try await host.export("submissionVersions", of: bob.id)
      #expect(versions.map { $0["text"]?.string } == ["Second of \(bob.id)", "Third of \(bob.id)"])
      #expect(try await host.export("courseDiscussions", of: bob.id).count == 1)
      #expect(try await host.export("courseReplies", of: bob.id).count == 1)

      for _ in 0..<2 { try await host.deliver(UserDeleted(userID: bob.id)) }
      let rows = try await ada.client.send(StudyAPI.GetGradebook(course: course)).items
      #expect(rows.map(\.student) == [carl.id])
      #expect(try await host.count("SELECT COUNT(*) FROM submissions") == 1)
      #expect(try await host.count("SELECT COUNT(*) FROM submission_versions") == 2)
      #expect(try await host.count("SELECT COUNT(*) FROM submission_grades") == 1)
      let left = try await carl.client.send(StudyAPI.GetDiscussion(course: course, id: discussion.id))
      #expect([left.title == nil, left.text == nil, left.authorID == nil] == [true, true, true])
      let replies = try await carl.client.send(
        StudyAPI.ListDiscussionReplies(course: course, discussion: discussion.id)
      ).items
      #expect(replies.map(\.authorID) == [nil, carl.id])
      #expect(replies.map(\.text?.rawValue) == [nil, "Reply"])
      for section in ["courses", "submissions", "submissionVersions", "courseDiscussions", "courseReplies"] {
        #expect(try await host.export(section, of: bob.id).isEmpty == true, "\(section)")
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aCoursePassesToAnotherInstructor(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob, carl) = (
        try await host.instructor("ada"), try await host.instructor("bob"), try await host.user("carl")
      )
      let (shared, alone) = (try await host.course(ada, "Shared"), try await host.course(ada, "Alone"))
      try await host.addInstructor(bob, to: shared, of: ada)
      try await host.join(shared, of: ada, carl)
      try await host.join(alone, of: ada, carl)
      let assignment = try await host.assignment(shared, by: ada)
      let graded = try await host.grade(carl, 500, assignment, shared, by: ada)
      _ = try await ada.client.send(
        StudyAPI.InviteToCourse(id: shared, email: EmailAddress(checked: "x@school.example")))

      try await host.deliver(UserDeleted(userID: ada.id))
      #expect(try await bob.client.send(StudyAPI.GetCourse(id: shared)).role == .owner)
      let archived = try await carl.client.send(StudyAPI.GetCourse(id: alone))
      #expect(archived.state == .archived)
      #expect(archived.title.rawValue == "Alone")
      let details = try await bob.client.send(StudyAPI.GetSubmission(course: shared, id: graded.id))
      #expect(details.grades?.map(\.gradedBy) == [nil])
      #expect(details.submission.points?.value == 500)
      #expect(try await host.database.read { db in try GradeStore.isManual(graded.id, in: db) })
      #expect(try await host.count("SELECT COUNT(*) FROM course_invitations") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM courses WHERE code_hash IS NOT NULL") == 1)
      let left: SQL = "SELECT COUNT(*) FROM course_members WHERE user_id = \(ada.id)"
      #expect(try await host.count(left) == 0)
    }
  }
}
