import Contracts
import Persistence
import ServiceKit

/// An attempt as stored. Its questions stay encrypted until ``AttemptStore/open(_:)``.
struct StoredAttempt: Sendable {
  let id: AttemptID
  let quiz: QuizID
  let user: UserID
  let sets: [StudySetID]
  /// `nil` in lists, because they are large, and when the owner of the quiz was erased.
  var sealedQuestions: String?
  let questionCount: Int
  let startedAt: Timestamp
  let deadline: Timestamp?
  var finishedAt: Timestamp?
  /// The grades by question; empty while it runs.
  var grades: [AttemptGrade]
  let utcOffsetMinutes: Int
  let mistakesOf: AttemptID?
  /// Whether it is one of a test of a course, whose rules decide when solutions are shown.
  let isTest: Bool

  /// How long after the deadline answers are accepted that were on their way, in seconds.
  static let graceSeconds = 5.0

  /// Whether nothing more is accepted.
  func isOver(at now: Timestamp) -> Bool {
    finishedAt != nil || deadline.map { now >= $0.advanced(bySeconds: Self.graceSeconds) } ?? false
  }
}

/// Attempts at quizzes.
struct AttemptStore: Sendable {
  let keys: DataKeys

  static let questionsColumn = SealedColumn("quiz_attempts", "questions")

  func seal(_ questions: [FrozenQuestion], of id: AttemptID) throws -> String {
    try keys.seal(WireJSON.encode(questions), in: Self.questionsColumn, row: id.rawValue)
  }

  func open(_ attempt: StoredAttempt) throws -> [FrozenQuestion] {
    guard let sealed = attempt.sealedQuestions else { return [] }
    let bytes = try keys.open(sealed, in: Self.questionsColumn, row: attempt.id.rawValue)
    return try WireJSON.decode([FrozenQuestion].self, from: bytes)
  }

  // MARK: reading

  static func find(_ id: AttemptID, in db: any Connection) throws -> StoredAttempt? {
    guard var attempt = try list("a.id = \(id)", limit: 1, in: db).first else { return nil }
    attempt.sealedQuestions = try db.value(
      "SELECT questions FROM quiz_attempts WHERE id = \(id) AND questions IS NOT NULL")
    return attempt
  }

  /// A user's attempts, newest first, without their questions.
  static func list(
    of user: UserID, quiz: QuizID? = nil, set: StudySetID? = nil, status: AttemptStatus? = nil,
    before cursor: AttemptID? = nil, limit: Int, in db: any Connection
  ) throws -> [StoredAttempt] {
    let finished: SQL? = status.map { $0 == .finished ? "a.finished_at IS NOT NULL" : "a.finished_at IS NULL" }
    return try list(
      .and(
        "a.user_id = \(user)", quiz.map { "a.quiz_id = \($0)" },
        set.map {
          "a.id IN (SELECT attempt_id FROM quiz_attempt_sets WHERE user_id = \(user) AND set_id = \($0))"
        }, finished, cursor.map { "a.id < \($0)" }),
      limit: limit, in: db)
  }

  /// A user's attempts whose time is over.
  static func overdue(of user: UserID, at now: Timestamp, in db: any Connection) throws -> [AttemptID] {
    try db.values(
      """
      SELECT id FROM quiz_attempts
      WHERE user_id = \(user) AND finished_at IS NULL AND deadline <= \(lastDeadline(now)) ORDER BY deadline LIMIT 100
      """
    )
  }

  /// Attempts of anyone whose time is over.
  static func overdue(at now: Timestamp, limit: Int, in db: any Connection) throws -> [AttemptID] {
    try db.values(
      """
      SELECT id FROM quiz_attempts
      WHERE finished_at IS NULL AND deadline IS NOT NULL AND deadline <= \(lastDeadline(now))
      ORDER BY deadline LIMIT \(limit)
      """
    )
  }

  static func count(of user: UserID, quiz: QuizID, in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM quiz_attempts WHERE quiz_id = \(quiz) AND user_id = \(user)")
  }

  static func countRunning(of user: UserID, in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM quiz_attempts WHERE user_id = \(user) AND finished_at IS NULL")
  }

  private static func lastDeadline(_ now: Timestamp) -> Timestamp {
    now.advanced(bySeconds: -StoredAttempt.graceSeconds)
  }

  private static func list(_ condition: SQL, limit: Int, in db: any Connection) throws -> [StoredAttempt] {
    try db.all(
      """
      SELECT id, quiz_id, user_id, sets, question_count, started_at, deadline, finished_at, grades, utc_offset,
        mistakes_of, is_test
      FROM quiz_attempts a WHERE \(condition) ORDER BY a.id DESC LIMIT \(limit)
      """
    ) { row in
      let grades: String? = try row["grades"]
      return StoredAttempt(
        id: try row["id"], quiz: try row["quiz_id"], user: try row["user_id"], sets: try row[words: "sets"],
        sealedQuestions: nil, questionCount: try row["question_count"],
        startedAt: try row["started_at"], deadline: try row["deadline"], finishedAt: try row["finished_at"],
        grades: grades == nil ? [] : try row[words: "grades"], utcOffsetMinutes: try row["utc_offset"],
        mistakesOf: try row["mistakes_of"], isTest: try row["is_test"])
    }
  }

  // MARK: writing

  static func insert(_ attempt: StoredAttempt, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO quiz_attempts
        (id, quiz_id, user_id, sets, questions, question_count, started_at, deadline, utc_offset, mistakes_of, is_test)
      VALUES (\(attempt.id), \(attempt.quiz), \(attempt.user), \(words: attempt.sets), \(attempt.sealedQuestions),
              \(attempt.questionCount), \(attempt.startedAt), \(attempt.deadline), \(attempt.utcOffsetMinutes),
              \(attempt.mistakesOf), \(attempt.isTest))
      """
    )
    for set in attempt.sets {
      try tx.execute(
        """
        INSERT INTO quiz_attempt_sets (user_id, set_id, attempt_id)
        VALUES (\(attempt.user), \(set), \(attempt.id))
        """
      )
    }
  }

  static func finish(_ attempt: StoredAttempt, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE quiz_attempts SET finished_at = \(attempt.finishedAt), grades = \(words: attempt.grades)
      WHERE id = \(attempt.id)
      """
    )
  }

  /// Deletes a user's attempts, and the texts of the attempts of others at the user's quizzes.
  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE quiz_attempts SET questions = NULL
      WHERE user_id <> \(user) AND quiz_id IN (SELECT id FROM quizzes WHERE owner_id = \(user))
      """
    )
    try tx.execute("DELETE FROM quiz_attempt_sets WHERE user_id = \(user)")
    try tx.execute("DELETE FROM quiz_attempts WHERE user_id = \(user)")
  }
}
