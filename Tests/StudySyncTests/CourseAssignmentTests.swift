import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct CourseAssignmentTests {
  private static let day = 86_400.0

  @Test(arguments: TestDatabase.allCases)
  func publishingNotifiesTheStudents(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob) = (try await host.instructor("ada"), try await host.user("bob"))
      let course = try await host.course(ada)
      try await host.join(course, of: ada, bob)
      let draft = try await host.assignment(course, by: ada, state: .draft)
      try await host.workAll("course-notices")
      #expect(try await host.pushes(to: bob) == [])
      #expect(try await bob.client.send(StudyAPI.ListAssignments(course: course)).items == [])
      #expect(try await ada.client.send(StudyAPI.ListAssignments(course: course)).items == [draft])
      let early = StudyAPI.GetAssignment(course: course, id: draft.id)
      #expect(try await code { _ = try await bob.client.send(early) } == "not-found")

      let request = StudyAPI.UpdateAssignment(course: course, id: draft.id, state: .published)
      for _ in 0..<2 { _ = try await ada.client.send(request) }
      try await host.workAll("course-notices")
      #expect(try await host.pushes(to: bob) == ["New assignment"])
      #expect(try await host.pushes(to: ada) == [])
      let notice = try #require(try await host.events(RealtimeEvent.self).last { $0.userID == bob.id })
      #expect(notice.name == "assignment.published")
      #expect(notice.data["assignment"]?.string == draft.id.rawValue)
      #expect(try await bob.client.send(early).instructions?.rawValue == "Translate it.")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func whoHasNotSubmittedIsRemindedADayBefore(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob, carl) = (
        try await host.instructor("ada"), try await host.user("bob"), try await host.user("carl")
      )
      let course = try await host.course(ada)
      try await host.join(course, of: ada, bob, carl)
      let assignment = try await host.assignment(course, by: ada, dueIn: 3 * Self.day)
      try await host.workAll("course-notices")
      try await host.submit("Salve", assignment, course, by: carl)
      host.test.time.advance(seconds: 2 * Self.day - 1)
      try await host.workAll("course-notices")
      #expect(try await host.pushes(to: bob) == ["New assignment"])
      host.test.time.advance(seconds: 1)
      try await host.workAll("course-notices")
      #expect(try await host.pushes(to: bob) == ["New assignment", "Due tomorrow"])
      #expect(try await host.pushes(to: carl) == ["New assignment"])
      #expect(try await host.work("course-notices") == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anArchivedCourseRemindsNoOne(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob) = (try await host.instructor("ada"), try await host.user("bob"))
      let course = try await host.course(ada)
      try await host.join(course, of: ada, bob)
      _ = try await host.assignment(course, by: ada, dueIn: 3 * Self.day)
      try await host.workAll("course-notices")
      _ = try await ada.client.send(StudyAPI.UpdateCourse(id: course, state: .archived))
      host.test.time.advance(seconds: 2 * Self.day)
      #expect(try await host.work("course-notices") == 1)
      #expect(try await host.pushes(to: bob) == ["New assignment"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anotherDueDateNotifiesAndMovesTheReminder(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob) = (try await host.instructor("ada"), try await host.user("bob"))
      let course = try await host.course(ada)
      try await host.join(course, of: ada, bob)
      let assignment = try await host.assignment(course, by: ada, dueIn: 3 * Self.day)
      try await host.workAll("course-notices")
      let later = try #require(assignment.dueAt).advanced(bySeconds: 2 * Self.day)
      let change = StudyAPI.UpdateAssignment(course: course, id: assignment.id, dueAt: .set(later))
      for _ in 0..<2 { _ = try await ada.client.send(change) }
      try await host.workAll("course-notices")
      #expect(try await host.pushes(to: bob) == ["New assignment", "Due date changed"])
      host.test.time.advance(seconds: 2 * Self.day)
      try await host.workAll("course-notices")
      #expect(try await host.pushes(to: bob).count == 2)
      host.test.time.advance(seconds: 2 * Self.day)
      try await host.workAll("course-notices")
      #expect(try await host.pushes(to: bob).last == "Due tomorrow")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aBigCourseIsNotifiedInBatches(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let ada = try await host.instructor("ada")
      let course = try await host.course(ada)
      try await host.database.write { tx in
        for _ in 0..<450 { try CourseMemberStore.insert(host.test.ids.make(), into: course, as: .student, in: tx) }
      }
      _ = try await host.assignment(course, by: ada)
      var counts: [Int] = []
      while try await host.work("course-notices") > 0 {
        counts.append(try await host.events(PushRequested.self).count)
      }
      #expect(counts == [200, 400, 450])
      #expect(Set(try await host.events(PushRequested.self).map(\.userID)).count == 450)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func whatWasSubmittedToStays(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob) = (try await host.instructor("ada"), try await host.user("bob"))
      let course = try await host.course(ada)
      try await host.join(course, of: ada, bob)
      let assignment = try await host.assignment(course, by: ada, points: 1000)
      let unused = try await host.assignment(course, by: ada)
      try await host.submit("Salve", assignment, course, by: bob)
      let points = StudyAPI.UpdateAssignment(course: course, id: assignment.id, points: Points(checked: 500))
      let state = StudyAPI.UpdateAssignment(course: course, id: assignment.id, state: .draft)
      for request in [points, state] {
        #expect(try await code { _ = try await ada.client.send(request) } == "assignment-in-use")
      }
      let removal = StudyAPI.DeleteAssignment(course: course, id: assignment.id)
      #expect(try await code { _ = try await ada.client.send(removal) } == "assignment-in-use")
      _ = try await ada.client.send(StudyAPI.DeleteAssignment(course: course, id: unused.id))
      let title = StudyAPI.UpdateAssignment(
        course: course, id: assignment.id, ifMatch: EntityTag(version: 1), title: ShortText(checked: "Chapter 2"))
      #expect(try await ada.client.send(title).title.rawValue == "Chapter 2")
      #expect(try await code { _ = try await ada.client.send(title) } == "version-mismatch")
    }
  }

  @Test func badAssignmentsAreRefused() async throws {
    try await CourseHost.run { host async throws in
      let ada = try await host.instructor("ada")
      let course = try await host.course(ada)
      let media = (0..<11).map { _ in #""\#(host.test.ids.text())""# }.joined(separator: ",")
      for body in [
        #"{"title":"x","points":-1}"#, #"{"title":"x","points":1000001}"#, #"{"title":"x","points":1.5}"#,
        #"{"title":"x","points":1,"dueAt":"tomorrow"}"#,
        #"{"title":"x","points":1,"lateUntil":"2030-01-01T00:00:00Z"}"#,
        #"{"title":"x","points":1,"dueAt":"2030-01-02T00:00:00Z","lateUntil":"2030-01-01T00:00:00Z"}"#,
        #"{"title":"x","points":1,"media":[\#(media)]}"#, #"{"title":"x","points":1,"state":"secret"}"#,
      ] {
        let response = try await host.test.send(.post, "/v1/courses/\(course)/assignments", body, by: ada)
        #expect(response.status == 422, "\(body)")
      }
      #expect(try await host.count("SELECT COUNT(*) FROM assignments") == 0)
    }
  }
}
