import Contracts
import Persistence

/// The members of courses, as the service of study reports them.
enum CourseMemberStore {
  /// Whether two users are members of the same course.
  static func share(_ one: UserID, _ other: UserID, in db: any Connection) throws -> Bool {
    try db.exists(
      """
      SELECT 1 FROM course_members mine JOIN course_members theirs ON theirs.course_id = mine.course_id
      WHERE mine.user_id = \(one) AND theirs.user_id = \(other) LIMIT 1
      """
    )
  }

  static func insert(_ user: UserID, into course: CourseID, in tx: Transaction) throws {
    try tx.execute(
      "INSERT INTO course_members (user_id, course_id) VALUES (\(user), \(course)) ON CONFLICT DO NOTHING")
  }

  static func delete(_ user: UserID, from course: CourseID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM course_members WHERE user_id = \(user) AND course_id = \(course)")
  }

  static func delete(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM course_members WHERE user_id = \(user)")
  }
}
