import Contracts
import Persistence
import ServiceKit

/// Replaced versions of submissions, kept until the submission is graded.
struct SubmissionVersionStore: Sendable {
  let keys: DataKeys

  static let contentColumn = SealedColumn("submission_versions", "content")

  /// A version whose content is encrypted.
  struct Stored: Sendable {
    fileprivate let id: String
    fileprivate let number: Int
    fileprivate let sealed: String
    fileprivate let submittedAt: Timestamp
    fileprivate let isLate: Bool
  }

  func open(_ stored: Stored) throws -> SubmissionDetails.Version {
    let content: SubmissionStore.Content = try keys.openContent(
      stored.sealed, in: Self.contentColumn, row: stored.id)
    return SubmissionDetails.Version(
      number: stored.number, text: content.text, media: content.media, submittedAt: stored.submittedAt,
      isLate: stored.isLate)
  }

  static func list(of submission: SubmissionID, in db: any Connection) throws -> [Stored] {
    try list("submission_id = \(submission)", in: db)
  }

  static func list(by student: UserID, in db: any Connection) throws -> [Stored] {
    try list("submission_id IN (SELECT id FROM submissions WHERE student_id = \(student))", in: db)
  }

  private static func list(_ condition: SQL, in db: any Connection) throws -> [Stored] {
    try db.all(
      """
      SELECT id, number, content, submitted_at, is_late FROM submission_versions
      WHERE \(condition) ORDER BY submission_id, number
      """
    ) { row in
      Stored(
        id: try row["id"], number: try row["number"], sealed: try row["content"],
        submittedAt: try row["submitted_at"], isLate: try row["is_late"])
    }
  }

  /// Whether a version with this content was replaced.
  static func exists(_ fingerprint: String, of submission: SubmissionID, in db: any Connection) throws -> Bool {
    try db.exists(
      "SELECT 1 FROM submission_versions WHERE submission_id = \(submission) AND fingerprint = \(fingerprint)")
  }

  func insert(
    _ content: SubmissionStore.Content, of submission: StoredSubmission, _ id: String, in tx: Transaction
  ) throws {
    let sealed = try keys.sealContent(content, in: Self.contentColumn, row: id)
    try tx.execute(
      """
      INSERT INTO submission_versions (id, submission_id, number, content, submitted_at, is_late, fingerprint)
      VALUES (\(id), \(submission.id), \(submission.count), \(sealed), \(submission.submittedAt ?? tx.now),
              \(submission.isLate), \(submission.fingerprint))
      """
    )
  }

  static func delete(of submission: SubmissionID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM submission_versions WHERE submission_id = \(submission)")
  }

  static func delete(by student: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM submission_versions
      WHERE submission_id IN (SELECT id FROM submissions WHERE student_id = \(student))
      """
    )
  }
}
