import Contracts
import Persistence

/// The right to take a quiz, and the sets that it includes.
struct QuizAccess: Sendable, Equatable {
  /// The sets whose cards are asked.
  var sets: [StudySetID]
  /// Set for a test.
  var rules: AttemptRules?

  /// - Returns: `nil` when the user may not know of the quiz.
  static func find(_ quiz: Quiz, _ user: UserID, _ core: StudyCore, at now: Timestamp, in db: any Connection) throws
    -> QuizAccess?
  {
    if let rules = try rules(for: quiz.id, user, core, at: now, in: db) {
      // A test asks what its author sees, also of sets that are not given to the students.
      return QuizAccess(sets: try visible(quiz.sets, to: quiz.ownerID, in: db), rules: rules)
    }
    let sets = try visible(quiz.sets, to: user, in: db)
    guard quiz.ownerID == user || quiz.isShared && sets == quiz.sets else { return nil }
    return QuizAccess(sets: sets, rules: nil)
  }

  static func rules(
    for quiz: QuizID, _ user: UserID, _ core: StudyCore, at now: Timestamp, in db: any Connection
  ) throws -> AttemptRules? {
    for observer in core.attemptObservers {
      if let rules = try observer.rules(for: quiz, takenBy: user, at: now, in: db) { return rules }
    }
    return nil
  }

  /// The sets that the user sees, in their order.
  static func visible(_ sets: [StudySetID], to user: UserID, in db: any Connection) throws -> [StudySetID] {
    let seen = Set(
      try db.values(
        """
        SELECT space_id FROM space_members
        WHERE user_id = \(user) AND left_at IS NULL AND space_id IN \(list: sets.map(\.space))
        """,
        as: SpaceID.self
      )
    )
    return sets.filter { seen.contains($0.space) }
  }
}
