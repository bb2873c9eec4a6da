import Contracts
import Persistence

/// The users who were removed from a course, and come back only by a newer invitation.
enum CourseRemovalStore {
  static func find(_ user: UserID, from course: CourseID, in db: any Connection) throws -> Timestamp? {
    try db.value("SELECT removed_at FROM course_removals WHERE course_id = \(course) AND user_id = \(user)")
  }

  static func list(of user: UserID, in db: any Connection) throws -> [(course: CourseID, at: Timestamp)] {
    try db.all(
      "SELECT course_id, removed_at FROM course_removals WHERE user_id = \(user) ORDER BY course_id"
    ) { row in (try row["course_id"], try row["removed_at"]) }
  }

  static func insert(_ user: UserID, from course: CourseID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO course_removals (course_id, user_id, removed_at) VALUES (\(course), \(user), \(tx.now))
      ON CONFLICT (course_id, user_id) DO UPDATE SET removed_at = excluded.removed_at
      """
    )
  }

  static func delete(_ user: UserID, from course: CourseID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM course_removals WHERE course_id = \(course) AND user_id = \(user)")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM course_removals WHERE user_id = \(user)")
  }
}
