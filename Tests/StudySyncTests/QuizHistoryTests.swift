import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct QuizHistoryTests {
  @Test(arguments: TestDatabase.allCases)
  func attemptsAreListedByQuizSetAndStatusInPages(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let (latin, greek) = (try await host.words(2, of: ada), try await host.words(2, of: ada))
      let (one, other) = (try await host.quiz(latin, of: ada), try await host.quiz(greek, of: ada))
      var ids: [AttemptID] = []
      for quiz in [one, other, one] { ids.append(try await host.start(quiz, by: ada).summary.id) }
      _ = try await ada.client.send(StudyAPI.FinishAttempt(id: ids[0]))
      func list(_ request: StudyAPI.ListAttempts) async throws -> [AttemptID] {
        try await ada.client.send(request).items.map(\.id)
      }
      #expect(try await list(.init()) == ids.reversed())
      #expect(try await list(.init(quiz: one.id)) == [ids[2], ids[0]])
      #expect(try await list(.init(set: greek.id)) == [ids[1]])
      #expect(try await list(.init(status: .finished)) == [ids[0]])
      #expect(try await list(.init(quiz: one.id, status: .running)) == [ids[2]])
      let page = try await ada.client.send(StudyAPI.ListAttempts(limit: PageSize(checked: 2)))
      #expect(try await list(.init(cursor: page.nextCursor)) == [ids[0]])
    }
  }

  @Test func attemptsWhoseTimeIsOverAreFinishedInTheList() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      let quiz = try await host.quiz(host.words(2, of: ada), of: ada, seconds: 10)
      _ = try await host.start(quiz, by: ada)
      host.test.time.advance(seconds: 15)
      let listed = try await ada.client.send(StudyAPI.ListAttempts()).items
      #expect(listed.map(\.status) == [.finished])
      #expect(listed.map { $0.result?.unanswered } == [2])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func mistakesAreReviewedAndAskedAgain(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let set = try await host.words(5, of: ada)
      let quiz = try await host.quiz(set, of: ada)
      let attempt = try await host.start(quiz, by: ada)
      let mistakes = StudyAPI.ListMistakes(id: attempt.summary.id)
      #expect(try await code { _ = try await ada.client.send(mistakes) } == "attempt-running")
      let right = attempt.questions.prefix(2).map { ($0.number, $0.rightAnswer as AttemptAnswer?) }
      try await host.answer(attempt, right + [(2, .words("nonsense"))], by: ada)
      _ = try await host.finish(attempt, by: ada)
      let reviewed = try await ada.client.send(mistakes).items
      #expect(reviewed.map(\.number) == [2, 3, 4])
      #expect(reviewed.map { $0.solution?.grade } == [.incorrect, .unanswered, .unanswered])
      // A card that was deleted meanwhile is not asked again.
      try await host.editCard(reviewed[0].card, of: set, .delete, nil, by: ada)
      let again = try await host.start(quiz, by: ada, mistakesOf: attempt.summary.id)
      #expect(Set(again.questions.map(\.card)) == Set(reviewed.dropFirst().map(\.card)))
      #expect(again.summary.mistakesOf == attempt.summary.id)
      try await host.answer(again, again.questions.map { ($0.number, $0.rightAnswer) }, by: ada)
      _ = try await host.finish(again, by: ada)
      let none = try await code { _ = try await host.start(quiz, by: ada, mistakesOf: again.summary.id) }
      #expect(none == "quiz-empty")
    }
  }

  @Test func aQuizOfDeletedOrEmptyCardsIsEmpty() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      let set = try await host.cardSet([("front", ""), ("front", String(repeating: "x", count: 2001))], of: ada)
      let quiz = try await host.quiz(set, of: ada)
      #expect(try await code { _ = try await host.start(quiz, by: ada) } == "quiz-empty")
    }
  }

  @Test func attemptsOutliveTheirQuiz() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      let set = try await host.words(2, of: ada)
      let quiz = try await ada.client.send(
        StudyAPI.CreateQuiz(title: ShortText(checked: "Verbs"), sets: [set.id], kinds: [.written]))
      let attempt = try await host.start(quiz, by: ada)
      #expect(attempt.summary.title?.rawValue == "Verbs")
      _ = try await ada.client.send(StudyAPI.DeleteQuiz(id: quiz.id))
      let finished = try await host.finish(attempt, by: ada)
      #expect(finished.summary.title == nil)
      #expect(finished.questions.count == 2)
    }
  }

  // MARK: tests of courses

  private struct OneTest: AttemptObserver {
    let quiz: QuizID
    let student: UserID
    let rules: AttemptRules

    func rules(for quiz: QuizID, takenBy user: UserID, at now: Timestamp, in db: any Connection) -> AttemptRules? {
      quiz == self.quiz && user == student ? rules : nil
    }

    func attemptFinished(_ outcome: AttemptOutcome, in tx: Transaction) throws {
      try tx.record(RealtimeEvent(to: outcome.user, "test.finished", ["score": .integer(Int64(outcome.result.score))]))
    }
  }

  @Test func aTestIsTakenOnTheAuthorsSetsAndReportedInTheSameTransaction() async throws {
    try await StudyHost.run { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let set = try await host.words(2, of: ada)
      let quiz = try await host.quiz(set, of: ada)
      let rules = AttemptRules(attempts: 1, opensAt: nil, closesAt: nil, showsSolutions: false)
      var core = try host.core
      core.attemptObservers = [OneTest(quiz: quiz.id, student: bob.id, rules: rules)]
      let course = core
      let access = try await host.database.read { db in
        try QuizAccess.find(quiz, bob.id, course, at: host.test.time.source.now(), in: db)
      }
      #expect(access == QuizAccess(sets: [set.id], rules: rules))
      let finisher = AttemptFinisher(course)
      let id: AttemptID = host.test.ids.make()
      let questions = try await QuizCards(core: course).questions(of: quiz, on: [set.id], seed: 1, only: nil)
      let now = host.test.time.source.now()
      let attempt = StoredAttempt(
        id: id, quiz: quiz.id, user: bob.id, sets: [set.id],
        sealedQuestions: try finisher.attempts.seal(questions, of: id),
        questionCount: 2, startedAt: now, deadline: nil, finishedAt: nil, grades: [], utcOffsetMinutes: 0,
        mistakesOf: nil, isTest: true)
      try await host.database.write { tx in
        try AttemptStore.insert(attempt, in: tx)
        try finisher.finish(id, at: now, in: tx)
      }
      let reported = try await host.test.recorded(RealtimeEvent.self, by: StudyAPI.self)
      #expect(reported.filter { $0.name == "test.finished" }.map(\.userID) == [bob.id])
      let results = try await host.database.read { db in try QuizAttempts.results(of: bob.id, quiz.id, in: db) }
      #expect(results.map(\.result.unanswered) == [2])
      // Without rules, as after leaving the course, solutions stay hidden.
      let seen = try await bob.client.send(StudyAPI.GetAttempt(id: id))
      #expect(seen.summary.hidesSolutions)
      #expect(seen.questions.allSatisfy { $0.solution == nil })
      let mistakes = StudyAPI.ListMistakes(id: id)
      #expect(try await code { _ = try await bob.client.send(mistakes) } == "solutions-hidden")
    }
  }
}
