import Contracts
import Persistence

/// An observer that gives quizzes a purpose of its own, such as the tests of courses: it lets users take quizzes that
/// are not theirs, and is notified of the outcome of attempts.
protocol AttemptObserver: Sendable {
  /// The rules by which a user may take a quiz; `nil` when the observer does not let the user take it.
  func rules(for quiz: QuizID, takenBy user: UserID, at now: Timestamp, in db: any Connection) throws -> AttemptRules?

  /// Called in the transaction that finishes an attempt of a user for whom there were rules when it started.
  func attemptFinished(_ outcome: AttemptOutcome, in tx: Transaction) throws
}

/// How a quiz is taken that is a test.
struct AttemptRules: Sendable, Equatable {
  /// Unlimited when it is unset.
  var attempts: Int?
  var opensAt: Timestamp?
  /// Attempts end at this time at the latest.
  var closesAt: Timestamp?
  /// Whether right answers may be seen now.
  var showsSolutions: Bool
}

/// A finished attempt.
struct AttemptOutcome: Sendable, Equatable {
  var attempt: AttemptID
  var quiz: QuizID
  var user: UserID
  var startedAt: Timestamp
  var finishedAt: Timestamp
  var result: AttemptResult
}

/// The parts of attempts that others may know.
enum QuizAttempts {
  /// The finished attempts of a user at a quiz, newest first.
  static func results(of user: UserID, _ quiz: QuizID, in db: any Connection) throws -> [AttemptOutcome] {
    try AttemptStore.list(of: user, quiz: quiz, status: .finished, limit: 100, in: db).compactMap(\.outcome)
  }
}

extension StoredAttempt {
  /// Whether it has ended ungraded: its questions were erased while it ran.
  private var isUngraded: Bool { grades.isEmpty && sealedQuestions == nil && questionCount > 0 }

  /// `nil` while it runs, and when it cannot be graded.
  var result: AttemptResult? {
    guard let finishedAt, !isUngraded else { return nil }
    let correct = grades.count(where: \.isRight)
    let unanswered = grades.count { $0 == .unanswered } + max(0, questionCount - grades.count)
    return AttemptResult(
      correct: correct, incorrect: questionCount - correct - unanswered, unanswered: unanswered,
      score: questionCount == 0 ? 0 : (200 * correct + questionCount) / (2 * questionCount),
      durationSeconds: finishedAt.seconds(since: startedAt))
  }

  /// `nil` without a result.
  var outcome: AttemptOutcome? {
    guard let finishedAt, let result else { return nil }
    return AttemptOutcome(
      attempt: id, quiz: quiz, user: user, startedAt: startedAt, finishedAt: finishedAt, result: result)
  }
}
