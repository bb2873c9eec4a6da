import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct CourseSubmissionTests {
  private static let day = 86_400.0

  private struct Room {
    let host: CourseHost
    let ada, bob, carl: TestUser
    let course: CourseID
  }

  /// Ada teaches Bob and Carl.
  private func room(_ database: TestDatabase, _ body: (Room) async throws -> Void) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob, carl) = (
        try await host.instructor("ada"), try await host.user("bob"), try await host.user("carl")
      )
      let course = try await host.course(ada)
      try await host.join(course, of: ada, bob, carl)
      try await body(Room(host: host, ada: ada, bob: bob, carl: carl, course: course))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aRepeatedSubmissionIsOneVersion(_ database: TestDatabase) async throws {
    try await room(database) { room async throws in
      let assignment = try await room.host.assignment(room.course, by: room.ada)
      let first = try await room.host.submit("Salve 🏛️", assignment, room.course, by: room.bob)
      // The reply to the first request was lost: the condition is that of the first.
      let again = try await room.host.submit(
        "Salve 🏛️", assignment, room.course, by: room.bob, ifMatch: EntityTag(version: 0))
      #expect(again == first)
      #expect(first.count == 1)
      #expect(first.text?.rawValue == "Salve 🏛️")
      let stored = try await room.host.database.read { db in
        try db.values("SELECT content FROM submissions", as: String.self)
      }
      #expect(stored.count == 1)
      #expect(stored.allSatisfy { !$0.contains("Salve") })
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func replacedVersionsAreKeptUntilTheGrade(_ database: TestDatabase) async throws {
    try await room(database) { room async throws in
      let assignment = try await room.host.assignment(room.course, by: room.ada)
      for text in ["One", "Two", "Three"] {
        try await room.host.submit(text, assignment, room.course, by: room.bob)
      }
      let current = try #require(
        try await room.ada.client.send(StudyAPI.ListSubmissions(course: room.course)).items.first)
      #expect(current.text?.rawValue == "Three")
      #expect(current.count == 3)
      #expect(current.name?.displayName == "The bob")
      let get = StudyAPI.GetSubmission(course: room.course, id: current.id)
      let before = try await room.bob.client.send(get)
      #expect(before.versions.map(\.text?.rawValue) == ["One", "Two"])
      #expect(before.versions.map(\.number) == [1, 2])

      try await room.host.grade(room.bob, 800, assignment, room.course, by: room.ada)
      #expect(try await room.bob.client.send(get).versions == [])
      let late = try await code {
        try await room.host.submit("Four", assignment, room.course, by: room.bob)
      }
      #expect(late == "submission-final")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func resubmissionFollowsTheAssignment(_ database: TestDatabase) async throws {
    try await room(database) { room async throws in
      let host = room.host
      let never = try await host.assignment(room.course, by: room.ada, .never)
      try await host.submit("One", never, room.course, by: room.bob)
      #expect(
        try await code { try await host.submit("Two", never, room.course, by: room.bob) } == "submission-final")

      let after = try await host.assignment(room.course, by: room.ada, .afterReturn)
      try await host.submit("One", after, room.course, by: room.bob)
      try await host.grade(room.bob, 300, after, room.course, by: room.ada, isReturned: false)
      #expect(
        try await code { try await host.submit("Two", after, room.course, by: room.bob) } == "submission-final")
      try await host.grade(room.bob, 300, after, room.course, by: room.ada)
      let again = try await host.submit("Two", after, room.course, by: room.bob)
      #expect(again.state == .submitted)
      #expect(again.points == nil)
      let graded = try await host.grade(room.bob, 900, after, room.course, by: room.ada)
      let details = try await room.ada.client.send(StudyAPI.GetSubmission(course: room.course, id: graded.id))
      #expect(details.grades?.map(\.points?.value) == [300, 300, 900])
      #expect(details.grades?.allSatisfy { $0.gradedBy == room.ada.id } == true)
      #expect(try await room.bob.client.send(StudyAPI.GetSubmission(course: room.course, id: graded.id)).grades == nil)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func lateWorkIsMarkedThenRefused(_ database: TestDatabase) async throws {
    try await room(database) { room async throws in
      let host = room.host
      let strict = try await host.assignment(room.course, by: room.ada, dueIn: Self.day)
      let lenient = try await host.assignment(room.course, by: room.ada, dueIn: Self.day, lateFor: Self.day)
      host.test.time.advance(seconds: Self.day)
      #expect(try await host.submit("In time", strict, room.course, by: room.bob).isLate == false)
      host.test.time.advance(seconds: 1)
      #expect(
        try await code { try await host.submit("Late", strict, room.course, by: room.carl) }
          == "assignment-closed")
      #expect(try await host.submit("Late", lenient, room.course, by: room.bob).isLate)
      host.test.time.advance(seconds: Self.day)
      #expect(
        try await code { try await host.submit("Too late", lenient, room.course, by: room.carl) }
          == "assignment-closed")
      // A retry of what was accepted is answered all the same.
      #expect(try await host.submit("Late", lenient, room.course, by: room.bob).count == 1)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aGradeIsSeenWhenItIsReturned(_ database: TestDatabase) async throws {
    try await room(database) { room async throws in
      let host = room.host
      let assignment = try await host.assignment(room.course, by: room.ada, points: 1000)
      let submitted = try await host.submit("Salve", assignment, room.course, by: room.bob)
      let get = StudyAPI.GetSubmission(course: room.course, id: submitted.id)
      try await host.grade(
        room.bob, 850, assignment, room.course, by: room.ada, feedback: "Good", isReturned: false)
      var seen = try await room.bob.client.send(get).submission
      #expect(seen.state == .submitted)
      #expect([seen.points == nil, seen.feedback == nil, seen.gradedAt == nil] == [true, true, true])
      #expect(try await room.ada.client.send(get).submission.points?.value == 850)
      #expect(try await host.pushes(to: room.bob) == [])

      try await host.grade(room.bob, 875, assignment, room.course, by: room.ada, feedback: "Very good 👍")
      seen = try await room.bob.client.send(get).submission
      #expect(seen.state == .returned)
      #expect(seen.points?.value == 875)
      #expect(seen.feedback?.rawValue == "Very good 👍")
      #expect(try await host.pushes(to: room.bob) == ["Grade returned"])

      // A returned grade stays so.
      try await host.grade(room.bob, 900, assignment, room.course, by: room.ada, isReturned: false)
      #expect(try await room.bob.client.send(get).submission.points?.value == 900)
      let audit = try await host.database.read { db in
        try db.all("SELECT actor, object, changes FROM audit WHERE action = 'submission.graded' ORDER BY id") { row in
          [try row["actor"], try row["object"], try row["changes"]] as [String]
        }
      }
      #expect(audit.map { $0[0] } == Array(repeating: "user:\(room.ada.id)", count: 3))
      #expect(audit.allSatisfy { $0[1] == "submission:\(submitted.id)" && !$0[2].contains("875") })
      let feedback = try await host.database.read { db in
        try db.value("SELECT feedback FROM submissions", as: String?.self) ?? nil
      }
      #expect(feedback == nil)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aGradeIsForTheVersionThatWasRead(_ database: TestDatabase) async throws {
    try await room(database) { room async throws in
      let host = room.host
      let assignment = try await host.assignment(room.course, by: room.ada)
      let read = try await host.submit("One", assignment, room.course, by: room.bob)
      let tag = EntityTag(version: read.version)
      try await host.submit("Two", assignment, room.course, by: room.bob, ifMatch: tag)
      let stale = try await code {
        try await host.grade(room.bob, 100, assignment, room.course, by: room.ada, ifMatch: tag)
      }
      #expect(stale == "version-mismatch")
      #expect(
        try await code {
          try await host.submit("Three", assignment, room.course, by: room.bob, ifMatch: tag)
        } == "version-mismatch")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func gradesStayWithinThePointsAndTheStudents(_ database: TestDatabase) async throws {
    try await room(database) { room async throws in
      let host = room.host
      let assignment = try await host.assignment(room.course, by: room.ada, points: 1000)
      let eve = try await host.user("eve")
      func grade(_ user: TestUser, _ points: Int) async throws -> String? {
        try await code { try await host.grade(user, points, assignment, room.course, by: room.ada) }
      }
      #expect(try await grade(room.bob, 1001) == "invalid-request")
      #expect(try await grade(eve, 10) == "not-found")
      #expect(try await grade(room.ada, 10) == "not-found")
      // Also of someone who has submitted nothing, and who learns of it when the grade is returned.
      let list = StudyAPI.ListSubmissions(course: room.course)
      let early = try await host.grade(room.carl, 0, assignment, room.course, by: room.ada, isReturned: false)
      #expect(try await room.carl.client.send(list).items == [])
      let get = StudyAPI.GetSubmission(course: room.course, id: early.id)
      #expect(try await code { _ = try await room.carl.client.send(get) } == "not-found")
      let zero = try await host.grade(room.carl, 0, assignment, room.course, by: room.ada)
      #expect(zero.count == 0)
      #expect(zero.submittedAt == nil)
      #expect(try await room.carl.client.send(list).items.map(\.id) == [early.id])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theGradebookHasARowForEachStudent(_ database: TestDatabase) async throws {
    try await room(database) { room async throws in
      let host = room.host
      let (first, second) = (
        try await host.assignment(room.course, by: room.ada, points: 1000),
        try await host.assignment(room.course, by: room.ada, points: 500)
      )
      try await host.submit("One", first, room.course, by: room.bob)
      try await host.submit("Two", second, room.course, by: room.bob)
      try await host.grade(room.bob, 900, first, room.course, by: room.ada)
      try await host.grade(room.bob, 450, second, room.course, by: room.ada, isReturned: false)
      try await host.grade(room.carl, 100, first, room.course, by: room.ada, isReturned: false)

      var (rows, cursor): ([GradebookRow], String?) = ([], nil)
      repeat {
        let page = try await room.ada.client.send(
          StudyAPI.GetGradebook(course: room.course, limit: PageSize(checked: 1), cursor: cursor))
        (rows, cursor) = (rows + page.items, page.nextCursor)
      } while cursor != nil
      #expect(Set(rows.map(\.student)) == [room.bob.id, room.carl.id])
      let bob = try #require(rows.first { $0.student == room.bob.id })
      #expect(bob.grades.map(\.assignment) == [first.id, second.id])
      #expect(bob.grades.map(\.points?.value) == [900, 450])
      #expect([bob.points, bob.maxPoints] == [900, 1000])

      let own = try await room.bob.client.send(StudyAPI.GetGradebook(course: room.course)).items
      #expect(own.map(\.student) == [room.bob.id])
      #expect(own[0].grades.map(\.points?.value) == [900, nil])
      #expect(own[0].grades.map(\.state) == [.returned, .submitted])
      // Carl does not learn that he was graded before he is notified.
      #expect(try await room.carl.client.send(StudyAPI.GetGradebook(course: room.course)).items[0].grades == [])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func progressIsAboutTheSetsOfTheCourse(_ database: TestDatabase) async throws {
    try await room(database) { room async throws in
      let host = room.host
      var (desk, phone) = (host.device(1, of: room.ada), host.device(2, of: room.bob))
      let (attached, other) = (
        try await host.set(room.ada, device: &desk), try await host.set(room.bob, device: &phone)
      )
      _ = try await host.attach(attached, to: room.course, by: room.ada)
      let pulled = try await phone.sync().changes
      let card = try #require(pulled.first { $0.collection == SyncCollection.cards.rawValue && $0.set == attached })
      func review(_ set: StudySetID, _ card: String) -> SyncOperation {
        phone.operation(
          .reviews, phone.newID(),
          [
            "at": .string(host.test.time.source.now().description), "milliseconds": 1200, "utcOffsetMinutes": 0,
            "set": .string(set.rawValue), "card": .string(card), "rating": 3,
          ])
      }
      host.test.time.advance(seconds: 60)
      let operations = [review(attached, card.id), review(other, phone.newID())]
      #expect(try await phone.sync(operations).results.map(\.status) == [.applied, .applied])
      let assignment = try await host.assignment(room.course, by: room.ada)
      try await host.submit("Salve", assignment, room.course, by: room.bob)

      let rows = try await room.ada.client.send(StudyAPI.GetCourseProgress(course: room.course)).items
      let bob = try #require(rows.first { $0.student == room.bob.id })
      #expect(bob.sets.map(\.set) == [attached])
      #expect(bob.sets[0].studiedMilliseconds == 1200)
      #expect(bob.sets[0].mastery.learning == 1)
      #expect([bob.assignmentCount, bob.submittedCount] == [1, 1])
      let carl = try #require(rows.first { $0.student == room.carl.id })
      #expect(carl.sets.map(\.mastery.new) == [1])
      let own = try await room.bob.client.send(StudyAPI.GetCourseProgress(course: room.course)).items
      #expect(own == [bob])
    }
  }

  @Test func badSubmissionsAreRefused() async throws {
    try await room(.sqlite) { room async throws in
      let assignment = try await room.host.assignment(room.course, by: room.ada)
      let path = "/v1/courses/\(room.course)/assignments/\(assignment.id)/submission"
      let media = (0..<21).map { _ in #""\#(room.host.test.ids.text())""# }.joined(separator: ",")
      for body in [
        "{}", #"{"media":[]}"#, #"{"text":" "}"#, #"{"text":"a\u0000b"}"#, #"{"media":["x"]}"#,
        #"{"media":[\#(media)]}"#, #"{"text":"\#(String(repeating: "a", count: 10_001))"}"#,
      ] {
        let response = try await room.host.test.send(.put, path, body, by: room.bob)
        #expect(response.status == 422, "\(body.prefix(80))")
      }
      let longest = String(repeating: "🏛", count: 10_000)
      let accepted = try await room.host.test.send(.put, path, #"{"text":"\#(longest)"}"#, by: room.bob)
      #expect(accepted.status == 200)
    }
  }
}
