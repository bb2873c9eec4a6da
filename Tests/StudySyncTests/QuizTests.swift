import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct QuizTests {
  @Test(arguments: TestDatabase.allCases)
  func aQuizIsCreatedChangedAndDeleted(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let (latin, greek) = (try await host.words(3, of: ada), try await host.words(3, of: ada))
      let created = try await ada.client.send(
        StudyAPI.CreateQuiz(
          title: ShortText(checked: "Verbs"), sets: [latin.id], kinds: [.choice, .written], seed: QuizSeed(7)))
      #expect(created.questionCount.value == 20)
      #expect(created.kinds == [.choice, .written])
      let changed = try await ada.client.send(
        StudyAPI.UpdateQuiz(
          id: created.id, title: .remove, sets: [greek.id, latin.id], timeLimitSeconds: .set(TimeLimit(checked: 60)),
          ifMatch: EntityTag(version: 1)))
      #expect(changed.title == nil)
      #expect(changed.sets == [greek.id, latin.id])
      #expect(changed.version == 2)
      let outdated = StudyAPI.UpdateQuiz(id: created.id, isShared: true, ifMatch: EntityTag(version: 1))
      #expect(try await code { _ = try await ada.client.send(outdated) } == "version-mismatch")
      #expect(try await ada.client.send(StudyAPI.ListQuizzes(set: latin.id)).items == [changed])
      _ = try await ada.client.send(StudyAPI.DeleteQuiz(id: created.id))
      #expect(try await code { _ = try await ada.client.send(StudyAPI.GetQuiz(id: created.id)) } == "quiz-not-found")
    }
  }

  @Test func setsThatTheCallerDoesNotSeeAreRefusedByTheirPlace() async throws {
    try await StudyHost.run { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let (own, other) = (try await host.words(1, of: ada), try await host.words(1, of: bob))
      let refused = try await problem {
        _ = try await ada.client.send(StudyAPI.CreateQuiz(sets: [own.id, other.id]))
      }
      #expect(refused?.errors?.map(\.location) == ["body.sets[1]"])
      for sets in [[], [own.id, own.id]] {
        let request = StudyAPI.CreateQuiz(sets: sets)
        #expect(try await code { _ = try await ada.client.send(request) } == "invalid-request")
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aSharedQuizIsSeenByThoseWhoSeeAllOfItsSets(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let (latin, greek) = (try await host.words(3, of: ada), try await host.words(3, of: ada))
      let quiz = try await ada.client.send(
        StudyAPI.CreateQuiz(sets: [latin.id, greek.id], seed: QuizSeed(7), isShared: true))
      let hidden = try await host.quiz(latin, of: ada)
      try await host.share(latin, with: bob)
      #expect(try await bob.client.send(StudyAPI.ListQuizzes()).items == [])
      #expect(try await code { _ = try await host.start(quiz, by: bob) } == "quiz-not-found")
      try await host.share(greek, with: bob)
      #expect(try await bob.client.send(StudyAPI.ListQuizzes()).items.map(\.id) == [quiz.id])
      #expect(try await bob.client.send(StudyAPI.GetQuiz(id: quiz.id)).seed == nil)
      #expect(try await host.start(quiz, by: bob).questions.count == 6)
      #expect(try await code { _ = try await host.start(hidden, by: bob) } == "quiz-not-found")
      let change = StudyAPI.UpdateQuiz(id: quiz.id, isShared: false)
      #expect(try await code { _ = try await bob.client.send(change) } == "forbidden")
    }
  }

  @Test func aRepeatedRequestCreatesOneQuizAndStoresNoTitleInTheClear() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      let set = try await host.words(1, of: ada)
      let request = StudyAPI.CreateQuiz(title: ShortText(checked: "Secret verbs"), sets: [set.id])
      let first = try await ada.client.send(request, idempotencyKey: "one")
      #expect(try await ada.client.send(request, idempotencyKey: "one") == first)
      #expect(try await ada.client.send(StudyAPI.ListQuizzes()).items.count == 1)
      let stored = try await host.database.read { db in
        try db.values("SELECT answer FROM idempotency_keys UNION ALL SELECT title FROM quizzes", as: String.self)
      }
      #expect(stored.count == 2)
      #expect(stored.allSatisfy { !$0.contains("Secret") })
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func erasingAUserLeavesNothingOfTheirQuizzes(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let set = try await host.words(3, of: ada)
      try await host.share(set, with: bob)
      let quiz = try await host.quiz(set, of: ada, isShared: true)
      for user in [ada, bob] {
        let attempt = try await host.start(quiz, by: user)
        try await host.answer(attempt, [(0, attempt.questions[0].rightAnswer)], by: user)
        _ = try await host.finish(attempt, by: user)
      }
      #expect(try await host.export("quizzes", of: ada)?.elements.count == 1)
      #expect(try await host.export("quizAttempts", of: ada)?.elements.count == 1)
      try await host.erase(ada)
      // Bob keeps his result, without Ada's texts.
      let history = try await bob.client.send(StudyAPI.ListAttempts()).items
      #expect(history.map { $0.result?.correct } == [1])
      #expect(try await bob.client.send(StudyAPI.GetAttempt(id: history[0].id)).questions == [])
      let rest = try await host.database.read { db in
        try db.count(
          """
          SELECT (SELECT COUNT(*) FROM quizzes) + (SELECT COUNT(*) FROM quiz_sets)
            + (SELECT COUNT(*) FROM quiz_attempts WHERE user_id = \(ada.id))
            + (SELECT COUNT(*) FROM quiz_attempt_sets WHERE user_id = \(ada.id))
            + (SELECT COUNT(*) FROM quiz_answers WHERE attempt_id NOT IN (SELECT id FROM quiz_attempts))
          """
        )
      }
      #expect(rest == 0)
    }
  }
}
