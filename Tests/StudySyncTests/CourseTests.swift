import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct CourseTests {
  @Test(arguments: TestDatabase.allCases)
  func anInstructorCreatesAndEditsACourse(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let ada = try await host.instructor("ada")
      let course = try await ada.client.send(
        StudyAPI.CreateCourse(
          title: ShortText(checked: "Latin 101 🏛️"), description: LongText(checked: "From A to Z"),
          term: ShortText(checked: "Fall 2026"), color: CourseColor(validating: "#3366CC")))
      #expect(course.role == .owner)
      #expect(course.color?.rawValue == "#3366cc")
      let edited = try await ada.client.send(
        StudyAPI.UpdateCourse(id: course.id, ifMatch: EntityTag(version: 1), description: .remove, color: .remove))
      #expect(edited.title.rawValue == "Latin 101 🏛️")
      #expect(edited.description == nil)
      #expect(edited.color == nil)
      #expect(edited.term?.rawValue == "Fall 2026")
      #expect(edited.version == 2)
      let stale = StudyAPI.UpdateCourse(
        id: course.id, ifMatch: EntityTag(version: 1), title: ShortText(checked: "Other"))
      #expect(try await code { _ = try await ada.client.send(stale) } == "version-mismatch")
      let stored = try await host.database.read { db in try db.values("SELECT content FROM courses", as: String.self) }
      #expect(stored.allSatisfy { $0.hasPrefix("v1.") && !$0.contains("Latin") })
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aRepeatedCreationMakesOneCourse(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let ada = try await host.instructor("ada")
      let request = StudyAPI.CreateCourse(title: ShortText(checked: "Latin"))
      let first = try await ada.client.send(request, idempotencyKey: "one")
      #expect(try await ada.client.send(request, idempotencyKey: "one") == first)
      #expect(try await ada.client.send(StudyAPI.ListCourses()).items == [first])
    }
  }

  @Test func onlyInstructorsCreateCourses() async throws {
    try await CourseHost.run { host async throws in
      for (role, expected) in [(Role.user, "forbidden"), (.instructor, nil), (.owner, nil), (.administrator, nil)] {
        let user = try await host.user("user-\(role.rawValue)", [role])
        #expect(try await code { _ = try await host.course(user) } == expected, "\(role)")
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anArchivedCourseIsReadOnly(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob) = (try await host.instructor("ada"), try await host.user("bob"))
      let course = try await host.course(ada)
      try await host.join(course, of: ada, bob)
      let assignment = try await host.assignment(course, by: ada)
      let joining = try await ada.client.send(StudyAPI.GetCourseCode(id: course))
      _ = try await ada.client.send(StudyAPI.UpdateCourse(id: course, state: .archived))

      #expect(try await code { try await host.submit("Salve", assignment, course, by: bob) } == "course-archived")
      let edit = StudyAPI.UpdateCourse(id: course, title: ShortText(checked: "Other"))
      #expect(try await code { _ = try await ada.client.send(edit) } == "course-archived")
      let eve = try await host.user("eve")
      let join = StudyAPI.JoinCourse(code: try #require(joining.code))
      #expect(try await code { _ = try await eve.client.send(join) } == "course-archived")
      #expect(try await bob.client.send(StudyAPI.GetCourse(id: course)).state == .archived)
      #expect(try await bob.client.send(StudyAPI.ListCourses(state: .active)).items == [])

      _ = try await ada.client.send(StudyAPI.UpdateCourse(id: course, state: .active))
      try await host.submit("Salve", assignment, course, by: bob)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func coursesAreListedInPages(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob) = (try await host.instructor("ada"), try await host.instructor("bob"))
      var made: [CourseID] = []
      for number in 0..<5 {
        made.append(try await host.course(ada, "Course \(number)"))
        _ = try await host.course(bob)
      }
      var (listed, cursor): ([Course], String?) = ([], nil)
      repeat {
        let page = try await ada.client.send(StudyAPI.ListCourses(limit: PageSize(checked: 2), cursor: cursor))
        (listed, cursor) = (listed + page.items, page.nextCursor)
      } while cursor != nil
      #expect(listed.map(\.id) == made.reversed())
    }
  }

  /// The topic of a course is followed by members only.
  @Test(arguments: TestDatabase.allCases)
  func membersFollowTheTopicOfACourse(_ database: TestDatabase) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob) = (try await host.instructor("ada"), try await host.user("bob"))
      let course = try await host.course(ada)
      let topics = [CourseEvents.topic(course), Topic("course", host.test.ids.text()), Topic("course", "x")]
      func allowed(_ user: TestUser) async throws -> [Topic] {
        try await host.test.platform.client(of: StudyAPI.self, as: GatewayAPI.name).send(
          TopicsAPI.Authorize(user: user.id, roles: [.user], topics: topics)
        ).topics
      }
      #expect(try await allowed(ada) == [topics[0]])
      #expect(try await allowed(bob) == [])
      try await host.join(course, of: ada, bob)
      #expect(try await allowed(bob) == [topics[0]])
      _ = try await bob.client.send(StudyAPI.RemoveCourseMember(id: course, user: bob.id))
      #expect(try await allowed(bob) == [])
      let ended = try await host.events(TopicAccessEnded.self).filter { $0.user == bob.id }
      #expect(ended.map(\.topics) == [[topics[0]]])
    }
  }
}
