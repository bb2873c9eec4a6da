import Contracts
import Persistence
import ServiceKit

/// The answers of attempts, encrypted.
struct AnswerStore: Sendable {
  let keys: DataKeys

  static let answerColumn = SealedColumn("quiz_answers", "answer")

  /// The answers by the numbers of their questions.
  func list(of attempt: AttemptID, in db: any Connection) throws -> [Int: AttemptAnswer] {
    let rows = try db.all(
      "SELECT id, number, answer FROM quiz_answers WHERE attempt_id = \(attempt) ORDER BY number"
    ) { row -> (number: Int, answer: AttemptAnswer) in
      let (id, sealed): (String, String) = (try row["id"], try row["answer"])
      let bytes = try keys.open(sealed, in: Self.answerColumn, row: id)
      return (try row["number"], try WireJSON.decode(AttemptAnswer.self, from: bytes))
    }
    return Dictionary(rows.map { ($0.number, $0.answer) }) { first, _ in first }
  }

  /// How many questions of attempts are answered.
  static func counts(of attempts: [AttemptID], in db: any Connection) throws -> [AttemptID: Int] {
    guard !attempts.isEmpty else { return [:] }
    let rows = try db.all(
      """
      SELECT attempt_id, COUNT(*) AS count FROM quiz_answers WHERE attempt_id IN \(list: attempts) GROUP BY attempt_id
      """
    ) { row -> (attempt: AttemptID, count: Int) in (try row["attempt_id"], try row["count"]) }
    return Dictionary(rows.map { ($0.attempt, $0.count) }) { first, _ in first }
  }

  /// - Parameter answer: `nil` takes the answer back.
  func save(_ answer: AttemptAnswer?, to number: Int, of attempt: AttemptID, in tx: Transaction) throws {
    let id = "\(attempt)-\(number)"
    guard let answer else {
      try tx.execute("DELETE FROM quiz_answers WHERE id = \(id)")
      return
    }
    let sealed = try keys.seal(WireJSON.encode(answer), in: Self.answerColumn, row: id)
    try tx.execute(
      """
      INSERT INTO quiz_answers (id, attempt_id, number, answer, answered_at)
      VALUES (\(id), \(attempt), \(number), \(sealed), \(tx.now))
      ON CONFLICT (id) DO UPDATE SET answer = excluded.answer, answered_at = excluded.answered_at
      """
    )
  }

  /// Deletes the answers of a user; called before their attempts are deleted.
  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM quiz_answers WHERE attempt_id IN (SELECT id FROM quiz_attempts WHERE user_id = \(user))
      """
    )
  }
}
