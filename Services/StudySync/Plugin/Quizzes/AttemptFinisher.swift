import Contracts
import Persistence
import SyncMerge

/// Ends attempts: grades them, adds them to the user's log, and informs what the quiz belongs to.
struct AttemptFinisher: Sendable {
  let core: StudyCore
  let attempts: AttemptStore
  let answers: AnswerStore

  /// How long one question can count as study time; an attempt may stay open for days.
  private static let maxMillisecondsPerQuestion: Int64 = 300_000

  init(_ core: StudyCore) {
    self.core = core
    (attempts, answers) = (AttemptStore(keys: core.keys), AnswerStore(keys: core.keys))
  }

  /// Finishes an attempt with what was answered.
  ///
  /// - Returns: The attempt as it is now; the same when it was finished before.
  @discardableResult
  func finish(_ id: AttemptID, at now: Timestamp, in tx: Transaction) throws -> StoredAttempt {
    guard var attempt = try AttemptStore.find(id, in: tx) else { throw Problem(.attemptNotFound) }
    if attempt.finishedAt != nil { return attempt }
    let given = try answers.list(of: id, in: tx)
    attempt.grades = try attempts.open(attempt).enumerated().map { number, question in question.grade(given[number]) }
    attempt.finishedAt = max(attempt.startedAt, min(now, attempt.deadline ?? now))
    try AttemptStore.finish(attempt, in: tx)
    // Nothing is reported of an attempt whose questions were erased: its answers cannot be graded.
    guard let outcome = attempt.outcome else { return attempt }
    let entry = try entry(of: attempt, outcome, in: tx)
    try core.write(as: attempt.user, in: tx) { writer in _ = try writer.append(entry) }
    if attempt.isTest {
      for observer in core.attemptObservers { try observer.attemptFinished(outcome, in: tx) }
    }
    return attempt
  }

  private func entry(of attempt: StoredAttempt, _ outcome: AttemptOutcome, in tx: Transaction) throws -> LogEntry {
    let result = outcome.result
    let maxMilliseconds = min(Int64(attempt.questionCount) * Self.maxMillisecondsPerQuestion, 86_400_000)
    let milliseconds = min(Int64(result.durationSeconds * 1000), maxMilliseconds)
    let rolloverHour = Int64(try SchedulerSettings.of(attempt.user, core.records, in: tx).rolloverHour)
    let only = attempt.sets.count == 1 ? attempt.sets.first : nil
    let fields = JSONValue.object([
      ("at", JSONValue(outcome.finishedAt)), ("milliseconds", .integer(milliseconds)),
      ("utcOffsetMinutes", .integer(Int64(attempt.utcOffsetMinutes))),
      ("rolloverHour", rolloverHour == LogEntry.defaultRolloverHour ? nil : .integer(rolloverHour)),
      ("set", only.map { .string($0.rawValue) }), ("sets", .array(attempt.sets.map { .string($0.rawValue) })),
      ("quiz", .string(attempt.quiz.rawValue)), ("correct", .integer(Int64(result.correct))),
      ("incorrect", .integer(Int64(result.incorrect))), ("unanswered", .integer(Int64(result.unanswered))),
    ])
    return try LogEntry(RecordID(trusted: attempt.id.rawValue), .quizResults, SyncFields(fields.members))
  }
}
