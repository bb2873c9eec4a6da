import Contracts
import Persistence
import ServiceKit

/// Quizzes, with their titles encrypted.
struct QuizStore: Sendable {
  let keys: DataKeys

  static let titleColumn = SealedColumn("quizzes", "title")

  // MARK: reading

  func find(_ id: QuizID, in db: any Connection) throws -> Quiz? {
    try list("q.id = \(id)", limit: 1, in: db).first
  }

  /// The user's quizzes and shared ones of which the user sees all sets, newest first.
  func list(of user: UserID, set: StudySetID?, before cursor: QuizID?, limit: Int, in db: any Connection) throws
    -> [Quiz]
  {
    let visible: SQL = "SELECT space_id FROM space_members WHERE user_id = \(user) AND left_at IS NULL"
    return try list(
      .and(
        """
        (q.owner_id = \(user) OR (q.is_shared = 1
          AND q.id IN (SELECT v.quiz_id FROM quiz_sets v WHERE v.set_id IN (\(visible)))
          AND NOT EXISTS (SELECT 1 FROM quiz_sets h WHERE h.quiz_id = q.id AND h.set_id NOT IN (\(visible)))))
        """,
        set.map { "q.id IN (SELECT w.quiz_id FROM quiz_sets w WHERE w.set_id = \($0))" },
        cursor.map { "q.id < \($0)" }),
      limit: limit, in: db)
  }

  func list(by owner: UserID, in db: any Connection) throws -> [Quiz] {
    try list("q.owner_id = \(owner)", limit: 100_000, in: db)
  }

  /// The titles of quizzes; those without and deleted ones are missing.
  func titles(of quizzes: [QuizID], in db: any Connection) throws -> [QuizID: ShortText] {
    guard !quizzes.isEmpty else { return [:] }
    let rows = try db.all(
      "SELECT id, title FROM quizzes WHERE id IN \(list: quizzes) AND title IS NOT NULL"
    ) { row -> (id: QuizID, sealed: String) in (try row["id"], try row["title"]) }
    var titles: [QuizID: ShortText] = [:]
    for row in rows { titles[row.id] = try open(row.sealed, of: row.id) }
    return titles
  }

  static func count(of owner: UserID, in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM quizzes WHERE owner_id = \(owner)")
  }

  private func list(_ condition: SQL, limit: Int, in db: any Connection) throws -> [Quiz] {
    var quizzes = try db.all(
      """
      SELECT id, owner_id, title, question_count, time_limit, kinds, direction, seed, is_shared, created_at, version
      FROM quizzes q WHERE \(condition) ORDER BY q.id DESC LIMIT \(limit)
      """
    ) { row in
      let (id, sealed): (QuizID, String?) = (try row["id"], try row["title"])
      let (limit, seed): (Int?, Int?) = (try row["time_limit"], try row["seed"])
      return Quiz(
        id: id, ownerID: try row["owner_id"], title: try sealed.map { try open($0, of: id) }, sets: [],
        questionCount: QuestionCount(checked: try row["question_count"]),
        timeLimitSeconds: limit.map { TimeLimit(checked: $0) }, kinds: try row[words: "kinds"],
        direction: try row["direction"], seed: seed.map { QuizSeed(checked: $0) }, isShared: try row["is_shared"],
        createdAt: try row["created_at"], version: try row["version"])
    }
    guard !quizzes.isEmpty else { return [] }
    let rows = try db.all(
      """
      SELECT quiz_id, set_id FROM quiz_sets WHERE quiz_id IN \(list: quizzes.map(\.id)) ORDER BY quiz_id, position
      """
    ) { row -> (quiz: QuizID, set: StudySetID) in (try row["quiz_id"], try row["set_id"]) }
    let sets = Dictionary(grouping: rows, by: \.quiz)
    for index in quizzes.indices { quizzes[index].sets = (sets[quizzes[index].id] ?? []).map(\.set) }
    return quizzes
  }

  private func open(_ sealed: String, of id: QuizID) throws -> ShortText {
    let bytes = try keys.open(sealed, in: Self.titleColumn, row: id.rawValue)
    return ShortText(checked: String(decoding: bytes, as: UTF8.self))
  }

  // MARK: writing

  func save(_ quiz: Quiz, in tx: Transaction) throws {
    let title = try quiz.title.map {
      try keys.seal(Array($0.rawValue.utf8), in: Self.titleColumn, row: quiz.id.rawValue)
    }
    try tx.execute(
      """
      INSERT INTO quizzes
        (id, owner_id, title, question_count, time_limit, kinds, direction, seed, is_shared, created_at, version)
      VALUES (\(quiz.id), \(quiz.ownerID), \(title), \(quiz.questionCount.value), \(quiz.timeLimitSeconds?.value),
              \(words: quiz.kinds), \(quiz.direction), \(quiz.seed?.value), \(quiz.isShared), \(quiz.createdAt),
              \(quiz.version))
      ON CONFLICT (id) DO UPDATE SET title = excluded.title, question_count = excluded.question_count,
        time_limit = excluded.time_limit, kinds = excluded.kinds, direction = excluded.direction,
        seed = excluded.seed, is_shared = excluded.is_shared, version = excluded.version
      """
    )
    try tx.execute("DELETE FROM quiz_sets WHERE quiz_id = \(quiz.id)")
    for (position, set) in quiz.sets.enumerated() {
      try tx.execute(
        "INSERT INTO quiz_sets (quiz_id, position, set_id) VALUES (\(quiz.id), \(position), \(set))")
    }
  }

  static func delete(_ id: QuizID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM quiz_sets WHERE quiz_id = \(id)")
    try tx.execute("DELETE FROM quizzes WHERE id = \(id)")
  }

  static func delete(of owner: UserID, in tx: Transaction) throws {
    try tx.execute(
      "DELETE FROM quiz_sets WHERE quiz_id IN (SELECT id FROM quizzes WHERE owner_id = \(owner))")
    try tx.execute("DELETE FROM quizzes WHERE owner_id = \(owner)")
  }
}
