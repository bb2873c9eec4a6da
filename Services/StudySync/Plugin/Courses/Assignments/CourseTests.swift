import Contracts
import Persistence
import ServiceKit

/// The tests of courses: which students may take a quiz, and what their results count.
struct CourseTests: AttemptObserver {
  let ids: IDGenerator

  /// Whether an assignment can no longer be another one, because something was submitted, graded or begun.
  static func isInUse(_ assignment: StoredAssignment, in db: any Connection) throws -> Bool {
    if try SubmissionStore.exists(to: assignment.id, in: db) { return true }
    guard let quiz = assignment.test?.quiz else { return false }
    return try db.exists("SELECT 1 FROM quiz_attempts WHERE quiz_id = \(quiz) AND is_test = 1 LIMIT 1")
  }

  func rules(for quiz: QuizID, takenBy user: UserID, at now: Timestamp, in db: any Connection) throws
    -> AttemptRules?
  {
    guard let assignment = try AssignmentStore.find(testOf: quiz, in: db), assignment.state == .published,
      let test = assignment.test, let access = try CourseAccess.find(assignment.course, of: user, in: db),
      access.role == .student
    else { return nil }
    let isClosed = assignment.closesAt.map { now >= $0 } ?? false
    let showsSolutions =
      switch test.solutions {
      case .afterAttempt: true
      case .afterClosing: isClosed
      case .never: false
      }
    return AttemptRules(
      attempts: test.attempts.value, closesAt: access.state == .active ? assignment.closesAt : now,
      showsSolutions: showsSolutions)
  }

  /// The best attempt counts, unless an instructor has graded; its grade is returned at once.
  func attemptFinished(_ outcome: AttemptOutcome, in tx: Transaction) throws {
    guard let assignment = try AssignmentStore.find(testOf: outcome.quiz, in: tx) else { return }
    let before = try SubmissionStore.find(assignment.id, by: outcome.user, in: tx)
    var submission = before ?? StoredSubmission(ids.make(), by: outcome.user, to: assignment)
    submission.count += 1
    submission.submittedAt = outcome.finishedAt
    let points = Self.points(outcome.result, of: assignment.points)
    let isBetter = submission.points.map { points > $0 } ?? true
    let counts = try isBetter && (before.map { try !GradeStore.isManual($0.id, in: tx) } ?? true)
    if counts {
      submission.isLate = assignment.dueAt.map { outcome.finishedAt > $0 } ?? false
      (submission.state, submission.points, submission.gradedAt) = (.returned, points, tx.now)
    }
    let saved = try SubmissionStore.save(submission, in: tx)
    guard counts else { return }
    try GradeStore.insert(ids.text(), points, of: saved.id, by: nil, in: tx)
    try tx.audit(
      "submission.graded", object: "submission:\(saved.id)", by: AuditActor("service:\(StudyAPI.name)"),
      changes: [.masked("points", hadValue: before?.points != nil)])
  }

  /// In proportion to the correct answers, rounded half up.
  static func points(_ result: AttemptResult, of maximum: Int) -> Int {
    let total = result.correct + result.incorrect + result.unanswered
    return total == 0 ? 0 : (2 * result.correct * maximum + total) / (2 * total)
  }
}
