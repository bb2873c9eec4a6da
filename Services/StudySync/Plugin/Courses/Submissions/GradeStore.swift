import Contracts
import Persistence

/// Every grade that a submission got.
enum GradeStore {
  static func list(of submission: SubmissionID, in db: any Connection) throws -> [SubmissionDetails.Grade] {
    try db.all(
      """
      SELECT points, graded_by, graded_at FROM submission_grades WHERE submission_id = \(submission) ORDER BY id
      """
    ) { row in
      let points: Int? = try row["points"]
      return SubmissionDetails.Grade(
        points: points.map { Points(checked: $0) }, gradedBy: try row["graded_by"], gradedAt: try row["graded_at"])
    }
  }

  /// Whether an instructor has graded, also one whose account was deleted since.
  static func isManual(_ submission: SubmissionID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM submission_grades WHERE submission_id = \(submission) AND is_manual = 1")
  }

  /// - Parameters:
  ///   - id: In ascending order.
  ///   - user: The instructor; `nil` for the result of a test.
  static func insert(_ id: String, _ points: Int?, of submission: SubmissionID, by user: UserID?, in tx: Transaction)
    throws
  {
    try tx.execute(
      """
      INSERT INTO submission_grades (id, submission_id, points, graded_by, graded_at, is_manual)
      VALUES (\(id), \(submission), \(points), \(user), \(tx.now), \(user != nil))
      """
    )
  }

  static func delete(by student: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM submission_grades
      WHERE submission_id IN (SELECT id FROM submissions WHERE student_id = \(student))
      """
    )
  }

  /// Grades stay when the instructor's account is deleted.
  static func forget(_ instructor: UserID, in tx: Transaction) throws {
    try tx.execute("UPDATE submission_grades SET graded_by = NULL WHERE graded_by = \(instructor)")
  }
}
