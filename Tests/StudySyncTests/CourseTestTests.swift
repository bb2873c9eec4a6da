import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import StudySyncService

/// Tests of courses: quizzes whose results are submissions.
@Suite(.serialized)
struct CourseTestTests {
  private static let day = 86_400.0

  private struct Room {
    let host: CourseHost
    let ada, bob: TestUser
    let course: CourseID
    let quiz: Quiz

    func test(
      attempts: Int = 2, solutions: CourseTest.Solutions = .afterClosing, dueIn seconds: Double? = nil,
      lateFor late: Double? = nil
    ) async throws -> Assignment {
      let due = seconds.map { host.test.time.source.now().advanced(bySeconds: $0) }
      return try await ada.client.send(
        StudyAPI.CreateAssignment(
          course: course, title: ShortText(checked: "Test"), points: Points(checked: 1000), dueAt: due,
          lateUntil: late.flatMap { due?.advanced(bySeconds: $0) },
          test: CourseTest(quiz: quiz.id, attempts: .init(checked: attempts), solutions: solutions),
          state: .published))
    }

    func start() async throws -> QuizAttempt { try await bob.client.send(StudyAPI.StartAttempt(id: quiz.id)) }

    /// Answers so many of the questions correctly and finishes the attempt.
    @discardableResult
    func take(correct: Int) async throws -> QuizAttempt {
      let attempt = try await start()
      let answers = attempt.questions.prefix(correct).map { question in
        NumberedAnswer(
          number: question.number,
          answer: .text(AnswerWords(checked: question.prompt.replacing("front", with: "back"))))
      }
      _ = try await bob.client.send(StudyAPI.AnswerQuestions(id: attempt.summary.id, answers: answers))
      return try await bob.client.send(StudyAPI.FinishAttempt(id: attempt.summary.id))
    }

    func submission() async throws -> Submission? {
      try await bob.client.send(StudyAPI.ListSubmissions(course: course)).items.first
    }
  }

  /// Ada teaches Bob, and has a quiz of four written questions about a set that Bob does not have.
  private func room(_ database: TestDatabase, _ body: (Room) async throws -> Void) async throws {
    try await CourseHost.run(database) { host async throws in
      let (ada, bob) = (try await host.instructor("ada"), try await host.user("bob"))
      let course = try await host.course(ada)
      try await host.join(course, of: ada, bob)
      var desk = host.device(1, of: ada)
      let set = StudySetID(trusted: desk.newID())
      var operations = [desk.operation(.sets, set.rawValue, ["title": "Words"])]
      for word in ["one", "two", "three", "four"] {
        let fields: SyncFields = ["front": .string("front \(word)"), "back": .string("back \(word)")]
        operations.append(desk.operation(.cards, desk.newID(), set: set, fields))
      }
      try await desk.sync(operations)
      let quiz = try await ada.client.send(
        StudyAPI.CreateQuiz(sets: [set], questionCount: QuestionCount(checked: 4), kinds: [.written]))
      try await body(Room(host: host, ada: ada, bob: bob, course: course, quiz: quiz))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theBestAttemptIsTheGrade(_ database: TestDatabase) async throws {
    try await room(database) { room async throws in
      #expect(try await code { _ = try await room.start() } == "quiz-not-found")
      let test = try await room.test(attempts: 2)
      #expect(test.kind == .test)
      #expect(try await room.take(correct: 3).summary.result?.correct == 3)
      let first = try #require(try await room.submission())
      #expect([first.state == .returned, first.points?.value == 750, first.count == 1] == [true, true, true])
      try await room.take(correct: 1)
      let second = try #require(try await room.submission())
      #expect([second.points?.value, second.count] == [750, 2])
      #expect(try await code { _ = try await room.start() } == "attempt-limit")

      let rows = try await room.ada.client.send(StudyAPI.GetGradebook(course: room.course)).items
      #expect(rows.map(\.points) == [750])
      let details = try await room.ada.client.send(StudyAPI.GetSubmission(course: room.course, id: first.id))
      #expect(details.grades?.map(\.points?.value) == [750])
      #expect(details.grades?.map(\.gradedBy) == [nil])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aTestDoesNotAskTheMistakesOnly(_ database: TestDatabase) async throws {
    try await room(database) { room async throws in
      _ = try await room.test(attempts: 3, solutions: .afterAttempt)
      let first = try await room.take(correct: 3)
      let request = StudyAPI.StartAttempt(id: room.quiz.id, mistakesOf: first.summary.id)
      #expect(try await code { _ = try await room.bob.client.send(request) } == "invalid-request")
      #expect(try await room.start().questions.count == 4)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theGradeOfAnInstructorStays(_ database: TestDatabase) async throws {
    try await room(database) { room async throws in
      let test = try await room.test(attempts: 3)
      try await room.take(correct: 1)
      try await room.host.grade(room.bob, 500, test, room.course, by: room.ada)
      try await room.take(correct: 4)
      let submission = try #require(try await room.submission())
      #expect([submission.points?.value, submission.count] == [500, 2])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aTestWhoseAuthorHasLeftGivesNoPoints(_ database: TestDatabase) async throws {
    try await room(database) { room async throws in
      _ = try await room.test()
      let attempt = try await room.start()
      try await room.host.deliver(UserDeleted(userID: room.ada.id))
      let finished = try await room.bob.client.send(StudyAPI.FinishAttempt(id: attempt.summary.id))
      #expect(finished.summary.result == nil)
      #expect(try await room.submission() == nil)
      #expect(try await room.host.count("SELECT COUNT(*) FROM study_log WHERE user_id = \(room.bob.id)") == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aTestClosesAndThenShowsItsSolutions(_ database: TestDatabase) async throws {
    try await room(database) { room async throws in
      _ = try await room.test(solutions: .afterClosing, dueIn: Self.day, lateFor: Self.day)
      let before = try await room.take(correct: 2)
      #expect(before.questions.allSatisfy { $0.solution == nil })
      room.host.test.time.advance(seconds: Self.day + 1)
      try await room.take(correct: 3)
      let late = try #require(try await room.submission())
      #expect(late.isLate)
      room.host.test.time.advance(seconds: Self.day)
      #expect(try await code { _ = try await room.start() } == "quiz-closed")
      let after = try await room.bob.client.send(StudyAPI.GetAttempt(id: before.summary.id))
      #expect(after.questions.allSatisfy { $0.solution != nil })
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func onlyStudentsTakeATest(_ database: TestDatabase) async throws {
    try await room(database) { room async throws in
      _ = try await room.test()
      let eve = try await room.host.user("eve")
      let start = StudyAPI.StartAttempt(id: room.quiz.id)
      #expect(try await code { _ = try await eve.client.send(start) } == "quiz-not-found")
      _ = try await room.bob.client.send(StudyAPI.RemoveCourseMember(id: room.course, user: room.bob.id))
      #expect(try await code { _ = try await room.start() } == "quiz-not-found")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aQuizIsOneTestOfItsOwner(_ database: TestDatabase) async throws {
    try await room(database) { room async throws in
      let test = try await room.test()
      #expect(try await code { _ = try await room.test() } == "quiz-not-testable")
      let eve = try await room.host.instructor("eve")
      let course = try await room.host.course(eve)
      let foreign = StudyAPI.CreateAssignment(
        course: course, title: ShortText(checked: "Test"), points: Points(checked: 100),
        test: CourseTest(quiz: room.quiz.id, attempts: .init(checked: 1), solutions: .never))
      #expect(try await code { _ = try await eve.client.send(foreign) } == "quiz-not-testable")

      // Once an attempt has begun, the test is what it is.
      _ = try await room.start()
      let removal = StudyAPI.DeleteAssignment(course: room.course, id: test.id)
      #expect(try await code { _ = try await room.ada.client.send(removal) } == "assignment-in-use")
      let work = StudyAPI.Submit(course: room.course, assignment: test.id, text: CourseText(checked: "Please"))
      #expect(try await code { _ = try await room.bob.client.send(work) } == "invalid-request")
    }
  }
}
