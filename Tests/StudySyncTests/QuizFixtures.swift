import Contracts
import Persistence
import ServiceKit
import TestKit

@testable import StudySyncService

/// A set with cards, made by a device.
struct CardSet: Sendable {
  let id: StudySetID
  let cards: [CardID]
}

extension StudyHost {
  /// The user with a new access token, after the clock was advanced.
  func logIn(_ name: String) async throws -> TestUser {
    let request = AuthAPI.LogIn(login: name, password: "correct horse \(name)", app: .web)
    return TestUser(try await test.client.send(request), test.client)
  }

  func cardSet(_ cards: [(front: String, back: String)], of user: TestUser) async throws -> CardSet {
    // Ids have the time in them.
    test.time.advance(seconds: 0.001)
    var device = device(0xC0DE, of: user)
    let (set, ids) = (device.newID(), cards.map { _ in device.newID() })
    var operations = [device.operation(.sets, set, ["title": "Words"])]
    for (id, card) in zip(ids, cards) {
      let fields: SyncFields = ["front": .string(card.front), "back": .string(card.back)]
      operations.append(device.operation(.cards, id, set: StudySetID(trusted: set), fields))
    }
    let results = try await device.sync(operations).results
    guard results.allSatisfy({ $0.status == .applied }) else { throw TestKitError("\(results)") }
    return CardSet(id: StudySetID(trusted: set), cards: ids.map { CardID(trusted: $0) })
  }

  /// Numbered words with numbered meanings.
  func words(_ count: Int, of user: TestUser) async throws -> CardSet {
    try await cardSet(Self.pairs(count), of: user)
  }

  static func pairs(_ count: Int) -> [(front: String, back: String)] {
    (0..<count).map { ("word \($0)", "meaning \($0)") }
  }

  func editCard(_ card: CardID, of set: CardSet, _ action: SyncAction, _ fields: SyncFields?, by user: TestUser)
    async throws
  {
    var device = device(0xED17, of: user)
    // Later than the cards were made.
    test.time.advance(seconds: 1)
    let operation = device.operation(.cards, card.rawValue, set: set.id, fields, action: action)
    let results = try await device.sync([operation]).results
    guard results.allSatisfy({ $0.status != .rejected }) else { throw TestKitError("\(results)") }
  }

  /// Lets a user see a set as a share does.
  func share(_ set: CardSet, with user: TestUser) async throws {
    try await database.write { tx in
      try SpaceStore.grant(.viewer, to: user.id, in: set.id.space, source: "share", tx)
    }
  }

  /// A quiz of written questions in a fixed order, unless other values are given.
  func quiz(
    _ set: CardSet, of user: TestUser, count: Int = 20, seconds: Int? = nil, kinds: [QuizKind] = [.written],
    seed: Int? = 1, isShared: Bool = false
  ) async throws -> Quiz {
    try await user.client.send(
      StudyAPI.CreateQuiz(
        sets: [set.id], questionCount: QuestionCount(checked: count),
        timeLimitSeconds: seconds.map { TimeLimit(checked: $0) }, kinds: kinds,
        seed: seed.map { QuizSeed(checked: $0) }, isShared: isShared))
  }

  func start(_ quiz: Quiz, by user: TestUser, mistakesOf: AttemptID? = nil) async throws -> QuizAttempt {
    try await user.client.send(StudyAPI.StartAttempt(id: quiz.id, mistakesOf: mistakesOf))
  }

  @discardableResult
  func answer(_ attempt: QuizAttempt, _ answers: [(Int, AttemptAnswer?)], by user: TestUser) async throws
    -> AttemptSummary
  {
    try await user.client.send(
      StudyAPI.AnswerQuestions(
        id: attempt.summary.id, answers: answers.map { NumberedAnswer(number: $0.0, answer: $0.1) }))
  }

  func finish(_ attempt: QuizAttempt, by user: TestUser) async throws -> QuizAttempt {
    try await user.client.send(StudyAPI.FinishAttempt(id: attempt.summary.id))
  }

  func attempt(_ attempt: QuizAttempt, by user: TestUser) async throws -> QuizAttempt {
    try await user.client.send(StudyAPI.GetAttempt(id: attempt.summary.id))
  }

  /// The user's log entries about quizzes.
  func quizResults(of user: TestUser) async throws -> [SyncRecord] {
    var device = device(0x0B5E, of: user)
    return try await device.sync().changes.filter { $0.collection == "quizResults" }
  }

  /// The core of the service, with what it shares between features.
  var core: StudyCore {
    get throws {
      let features = try test.plugin(StudySyncPlugin.self).features
      guard let attempts = features.lazy.compactMap({ $0 as? Attempts }).first else {
        throw TestKitError("there are no attempts")
      }
      return attempts.core
    }
  }

  /// Deletes an account as auth reports it.
  func erase(_ user: TestUser) async throws {
    try await test.deliver(UserDeleted(userID: user.id), from: AuthAPI.self, to: StudyAPI.self)
  }
}

extension AttemptAnswer {
  static func words(_ text: String) -> AttemptAnswer { .text(AnswerWords(checked: text)) }
}

extension AttemptQuestion {
  /// The right answer to a question of ``StudyHost/pairs(_:)``.
  var rightAnswer: AttemptAnswer { .words(prompt.replacing("word", with: "meaning")) }
}
