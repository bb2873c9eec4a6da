import Contracts
import Persistence

/// The members of courses.
enum CourseMemberStore {
  struct Stored: Sendable {
    let user: UserID
    let role: CourseRole
    let joinedAt: Timestamp
  }

  // MARK: reading

  static func list(_ role: CourseRole?, of course: CourseID, after: UserID?, limit: Int, in db: any Connection) throws
    -> [Stored]
  {
    try list(
      .and(
        "m.course_id = \(course)", role.map { "m.role = \($0)" }, after.map { "m.user_id > \($0)" }), limit: limit,
      in: db)
  }

  /// - Parameter condition: A further condition on the member `m`.
  static func students(
    of course: CourseID, after: UserID? = nil, where condition: SQL? = nil, limit: Int, in db: any Connection
  ) throws -> [Stored] {
    try list(
      .and(
        "m.course_id = \(course)", "m.role = \(CourseRole.student)", after.map { "m.user_id > \($0)" }, condition),
      limit: limit, in: db)
  }

  private static func list(_ condition: SQL, limit: Int, in db: any Connection) throws -> [Stored] {
    try db.all(
      """
      SELECT m.user_id, m.role, m.joined_at FROM course_members m WHERE \(condition) ORDER BY m.user_id LIMIT \(limit)
      """
    ) { row in Stored(user: try row["user_id"], role: try row["role"], joinedAt: try row["joined_at"]) }
  }

  static func count(of course: CourseID, in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM course_members WHERE course_id = \(course)")
  }

  static func memberships(of user: UserID, in db: any Connection) throws -> [(course: CourseID, role: CourseRole)] {
    try db.all("SELECT course_id, role FROM course_members WHERE user_id = \(user) ORDER BY course_id") { row in
      (try row["course_id"], try row["role"])
    }
  }

  /// The courses of which a user is a member.
  static func courses(among ids: [CourseID], of user: UserID, in db: any Connection) throws -> Set<CourseID> {
    Set(
      try db.values(
        "SELECT course_id FROM course_members WHERE user_id = \(user) AND course_id IN \(list: ids)",
        as: CourseID.self))
  }

  /// The instructor other than the owner who joined first.
  static func firstInstructor(of course: CourseID, in db: any Connection) throws -> UserID? {
    try db.value(
      """
      SELECT user_id FROM course_members WHERE course_id = \(course) AND role = 'instructor'
      ORDER BY joined_at, user_id LIMIT 1
      """
    )
  }

  // MARK: writing

  static func insert(_ user: UserID, into course: CourseID, as role: CourseRole, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO course_members (course_id, user_id, role, joined_at)
      VALUES (\(course), \(user), \(role), \(tx.now))
      """
    )
  }

  static func update(_ user: UserID, of course: CourseID, to role: CourseRole, in tx: Transaction) throws {
    try tx.execute("UPDATE course_members SET role = \(role) WHERE course_id = \(course) AND user_id = \(user)")
  }

  static func delete(_ user: UserID, from course: CourseID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM course_members WHERE course_id = \(course) AND user_id = \(user)")
  }
}
