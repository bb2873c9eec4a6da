import Contracts
import Persistence
import ServiceKit
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct QuizAttemptTests {
  @Test(arguments: TestDatabase.allCases)
  func aQuizIsTakenFromStartToResult(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let quiz = try await host.quiz(host.words(4, of: ada), of: ada, count: 3)
      let attempt = try await host.start(quiz, by: ada)
      #expect(attempt.questions.map(\.number) == [0, 1, 2])
      #expect(attempt.questions.allSatisfy { $0.solution == nil })
      try await host.answer(attempt, [(0, attempt.questions[0].rightAnswer), (1, .words("nonsense"))], by: ada)
      host.test.time.advance(seconds: 90)
      let finished = try await host.finish(attempt, by: ada)
      let expected = AttemptResult(correct: 1, incorrect: 1, unanswered: 1, score: 33, durationSeconds: 90)
      #expect(finished.summary.result == expected)
      #expect(finished.questions.map { $0.solution?.grade } == [.correct, .incorrect, .unanswered])
      #expect(finished.questions.allSatisfy { $0.solution?.answer == $0.rightAnswer.text?.rawValue })
    }
  }

  @Test func solutionsAreNotInTheResponseOfARunningAttempt() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      let quiz = try await host.quiz(host.words(5, of: ada), of: ada)
      let attempt = try await host.start(quiz, by: ada)
      let path = "/v1/attempts/\(attempt.summary.id)"
      let running = String(decoding: try await host.test.send(.get, path, by: ada).body, as: UTF8.self)
      #expect(running.contains("word 3"))
      #expect(!running.contains("meaning"))
      _ = try await host.finish(attempt, by: ada)
      let finished = String(decoding: try await host.test.send(.get, path, by: ada).body, as: UTF8.self)
      #expect(finished.contains("meaning 3"))
    }
  }

  @Test func writtenAnswersAreGradedWithTolerance() async throws {
    let table: [(back: String, given: String, grade: AttemptGrade)] = [
      ("die Schule", "schule", .correct), ("the house", "House", .correct), ("café", "CAFE", .correct),
      ("das Wetter", "der Wetter", .almost), ("understand", "understnad", .almost), ("aqua", "agua", .incorrect),
      ("1492", "1493", .incorrect),
    ]
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      let cards = table.enumerated().map { (front: "question \($0)", back: $1.back) }
      let quiz = try await host.quiz(host.cardSet(cards, of: ada), of: ada)
      let attempt = try await host.start(quiz, by: ada)
      func row(_ question: AttemptQuestion) -> Int { cards.firstIndex { $0.front == question.prompt } ?? 0 }
      let answers = attempt.questions.map { ($0.number, AttemptAnswer.words(table[row($0)].given) as AttemptAnswer?) }
      try await host.answer(attempt, answers, by: ada)
      let finished = try await host.finish(attempt, by: ada)
      #expect(finished.questions.count == table.count)
      for question in finished.questions {
        #expect(question.solution?.grade == table[row(question)].grade, "\(table[row(question)])")
      }
    }
  }

  @Test func choicesAndStatementsAreGraded() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      let quiz = try await host.quiz(host.words(12, of: ada), of: ada, kinds: [.choice, .trueFalse])
      let attempt = try await host.start(quiz, by: ada)
      #expect(attempt.questions.map(\.kind).counts == [.choice: 6, .trueFalse: 6])
      let answers = attempt.questions.map { question -> (Int, AttemptAnswer?) in
        let meaning = question.rightAnswer.text?.rawValue ?? ""
        if let options = question.options {
          return (question.number, options.firstIndex(of: meaning).map { .option($0) })
        }
        return (question.number, .isTrue(question.statement == meaning))
      }
      try await host.answer(attempt, answers, by: ada)
      #expect(try await host.finish(attempt, by: ada).summary.result?.score == 100)
      // The same seed asks the same, so the opposite of every answer is wrong.
      let again = try await host.start(quiz, by: ada)
      #expect(again.questions == attempt.questions)
      let wrong = answers.map { number, answer -> (Int, AttemptAnswer?) in
        if let option = answer?.option { return (number, .option(option == 0 ? 1 : 0)) }
        return (number, .isTrue(answer?.isTrue == false))
      }
      try await host.answer(again, wrong, by: ada)
      #expect(try await host.finish(again, by: ada).summary.result?.score == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func editsOfCardsDoNotChangeARunningAttempt(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let set = try await host.words(3, of: ada)
      let quiz = try await host.quiz(set, of: ada)
      let attempt = try await host.start(quiz, by: ada)
      try await host.editCard(set.cards[0], of: set, .put, ["back": "changed"], by: ada)
      try await host.editCard(set.cards[1], of: set, .delete, nil, by: ada)
      try await host.answer(attempt, attempt.questions.map { ($0.number, $0.rightAnswer) }, by: ada)
      let finished = try await host.finish(attempt, by: ada)
      #expect(finished.questions.map(\.prompt) == attempt.questions.map(\.prompt))
      #expect(finished.summary.result?.correct == 3)
      let next = try await host.start(quiz, by: ada)
      #expect(Set(next.questions.map(\.card)) == [set.cards[0], set.cards[2]])
    }
  }

  @Test func anAttemptIsResumedWithItsAnswersAndTheTimeLeft() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      let quiz = try await host.quiz(host.words(3, of: ada), of: ada, seconds: 120)
      let attempt = try await host.start(quiz, by: ada)
      #expect(attempt.summary.secondsLeft == 120)
      try await host.answer(attempt, [(0, .words("one")), (1, .words("two")), (2, .words("three"))], by: ada)
      try await host.answer(attempt, [(1, .words("new")), (2, nil)], by: ada)
      host.test.time.advance(seconds: 50)
      let resumed = try await host.attempt(attempt, by: ada)
      #expect(resumed.summary.secondsLeft == 70)
      #expect(resumed.questions.map { $0.answer?.text?.rawValue } == ["one", "new", nil])
      #expect(resumed.summary.answered == 2)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func answersAreTakenUntilTheGraceAfterTheDeadlineEnds(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let quiz = try await host.quiz(host.words(2, of: ada), of: ada, seconds: 60)
      let attempt = try await host.start(quiz, by: ada)
      host.test.time.advance(seconds: 64.9)
      try await host.answer(attempt, [(0, attempt.questions[0].rightAnswer)], by: ada)
      host.test.time.advance(seconds: 0.1)
      let late = try await code {
        try await host.answer(attempt, [(1, attempt.questions[1].rightAnswer)], by: ada)
      }
      #expect(late == "attempt-finished")
      let finished = try await host.attempt(attempt, by: ada)
      let expected = AttemptResult(correct: 1, incorrect: 0, unanswered: 1, score: 50, durationSeconds: 60)
      #expect(finished.summary.result == expected)
      #expect(finished.summary.finishedAt == finished.summary.deadline)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theWorkerFinishesAttemptsWhoseTimeIsOver(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let set = try await host.words(2, of: ada)
      let (short, long) = (
        try await host.start(host.quiz(set, of: ada, seconds: 60), by: ada),
        try await host.start(host.quiz(set, of: ada, seconds: 600), by: ada)
      )
      host.test.time.advance(seconds: 65)
      try await host.test.plugin(StudySyncPlugin.self).runOnce("quizzes.finish-overdue")
      let stored = try await host.database.read { db in
        [try AttemptStore.find(short.summary.id, in: db), try AttemptStore.find(long.summary.id, in: db)]
      }
      #expect(stored.map { $0?.finishedAt } == [short.summary.deadline, nil])
      #expect(try await host.quizResults(of: ada).map(\.id) == [short.summary.id.rawValue])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aResultIsLoggedOnceForAllDevices(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let set = try await host.words(2, of: ada)
      let attempt = try await host.start(host.quiz(set, of: ada), by: ada)
      try await host.answer(attempt, [(0, attempt.questions[0].rightAnswer)], by: ada)
      host.test.time.advance(seconds: 42)
      let first = try await host.finish(attempt, by: ada)
      host.test.time.advance(seconds: 10)
      #expect(try await host.finish(attempt, by: ada) == first)
      let entries = try await host.quizResults(of: ada)
      #expect(entries.map(\.id) == [attempt.summary.id.rawValue])
      let fields = entries.first?.fields
      #expect(fields?["set"] == .string(set.id.rawValue))
      #expect(fields?["correct"] == 1)
      #expect(fields?["unanswered"] == 1)
      #expect(fields?["milliseconds"] == 42_000)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func answersThatRaceWithTheEndAreGradedOrRefused(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let attempt = try await host.start(host.quiz(host.words(8, of: ada), of: ada), by: ada)
      let accepted = try await concurrently(0..<9) { number -> Int? in
        guard number < 8 else {
          _ = try await retryingUnavailable { try await host.finish(attempt, by: ada) }
          return nil
        }
        let refused = try await problem {
          _ = try await retryingUnavailable {
            try await host.answer(attempt, [(number, attempt.questions[number].rightAnswer)], by: ada)
          }
        }
        if let refused { #expect(refused.code == "attempt-finished") }
        return refused == nil ? number : nil
      }
      let finished = try await host.attempt(attempt, by: ada)
      let right = finished.questions.filter { $0.solution?.grade == .correct }.map(\.number)
      #expect(Set(right) == Set(accepted.compactMap { $0 }))
      #expect(try await host.quizResults(of: ada).count == 1)
    }
  }

  @Test func wrongNumbersAndKindsOfAnswersAreRefusedByTheirPlace() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      let attempt = try await host.start(host.quiz(host.words(6, of: ada), of: ada, kinds: [.choice]), by: ada)
      let table: [(Int, AttemptAnswer, String)] = [
        (6, .option(0), "number"), (-1, .option(0), "number"), (0, .option(4), "answer"),
        (0, .option(-1), "answer"), (0, .words("text"), "answer"), (0, .isTrue(true), "answer"),
      ]
      for (number, answer, member) in table {
        let refused = try await problem {
          try await host.answer(attempt, [(1, .option(0)), (number, answer)], by: ada)
        }
        #expect(refused?.errors?.map(\.location) == ["body.answers[1].\(member)"])
      }
      // None of a refused request is kept.
      #expect(try await host.attempt(attempt, by: ada).summary.answered == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aUserStartsAHundredAttemptsADay(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let quiz = try await host.quiz(host.words(2, of: ada), of: ada)
      for _ in 0..<100 { _ = try await host.finish(host.start(quiz, by: ada), by: ada) }
      #expect(try await code { _ = try await host.start(quiz, by: ada) } == "too-many-requests")
      #expect(try await host.count("SELECT COUNT(*) FROM quiz_attempts") == 100)
    }
  }

  /// Lists do not read the questions, which are large.
  @Test(arguments: TestDatabase.allCases)
  func listsHaveNoQuestions(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let attempt = try await host.start(host.quiz(host.words(2, of: ada), of: ada), by: ada)
      let (listed, found) = try await host.database.read { db in
        (try AttemptStore.list(of: ada.id, limit: 10, in: db), try AttemptStore.find(attempt.summary.id, in: db))
      }
      #expect(listed.map(\.sealedQuestions) == [nil])
      _ = try #require(found?.sealedQuestions)
      #expect(try await host.export("quizAttempts", of: ada.id).map { $0["questions"]?.elements.count } == [2])
    }
  }

  @Test func longChoicesAreCut() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      let long = String(repeating: "é", count: 1900)
      let set = try await host.cardSet((0..<4).map { ("word \($0)", "\($0) " + long) }, of: ada)
      let quiz = try await host.quiz(set, of: ada, count: 4, kinds: [.choice])
      let options = try await host.start(quiz, by: ada).questions.flatMap { $0.options ?? [] }
      #expect(options.count == 16)
      #expect(options.allSatisfy { $0.unicodeScalars.count <= 300 })
    }
  }

  /// Those of the same seed are the same, out of more cards than are read.
  @Test(arguments: TestDatabase.allCases)
  func cardsOfALargeSetAreSampled(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let set = try await host.words(2, of: ada)
      let text = (0..<2500).map { "front \($0)\nback \($0)\n" }.joined()
      try await ada.importFile(text.utf8, set: set.id)
      func cards(_ seed: Int) async throws -> [CardID] {
        let quiz = try await host.quiz(set, of: ada, count: 50, seed: seed)
        return try await host.start(quiz, by: ada).questions.map(\.card)
      }
      let first = try await cards(1)
      #expect(Set(first).count == 50)
      #expect(try await cards(1) == first)
      #expect(try await Set(cards(2)) != Set(first))
    }
  }

  @Test func anAttemptIsOfOneUser() async throws {
    try await StudyHost.run { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let attempt = try await host.start(host.quiz(host.words(2, of: ada), of: ada), by: ada)
      #expect(try await code { _ = try await host.attempt(attempt, by: bob) } == "attempt-not-found")
      #expect(try await code { try await host.answer(attempt, [], by: bob) } == "attempt-not-found")
      #expect(try await code { _ = try await host.finish(attempt, by: bob) } == "attempt-not-found")
      #expect(try await bob.client.send(StudyAPI.ListAttempts()).items == [])
    }
  }

  @Test func aRepeatedStartReturnsTheSameAttempt() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      let quiz = try await host.quiz(host.words(2, of: ada), of: ada)
      let request = StudyAPI.StartAttempt(id: quiz.id)
      let first = try await ada.client.send(request, idempotencyKey: "one")
      #expect(try await ada.client.send(request, idempotencyKey: "one") == first)
      let stored = try await host.database.read { db in
        try db.values(
          "SELECT answer FROM idempotency_keys UNION ALL SELECT questions FROM quiz_attempts", as: String.self)
      }
      #expect(stored.count == 2)
      #expect(stored.allSatisfy { !$0.contains("word") })
    }
  }
}
