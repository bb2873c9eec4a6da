import Contracts
import Persistence
import ServiceKit

/// A course as stored. Its texts stay encrypted until ``CourseStore/open(_:)``.
struct StoredCourse: Sendable {
  let id: CourseID
  var sealed: String
  var color: CourseColor?
  var state: Course.State
  /// The role of the member who reads it.
  let role: CourseRole
  let studentCount: Int
  let createdAt: Timestamp
  var version: Int
}

/// Courses in the database, with their texts encrypted.
struct CourseStore: Sendable {
  let keys: DataKeys

  static let contentColumn = SealedColumn("courses", "content")
  static let codeColumn = SealedColumn("courses", "code")

  struct Content: Codable, Sendable {
    var title: ShortText
    var description: LongText?
    var term: ShortText?
  }

  func seal(_ content: Content, of id: CourseID) throws -> String {
    try keys.sealContent(content, in: Self.contentColumn, row: id.rawValue)
  }

  func content(_ stored: StoredCourse) throws -> Content {
    try keys.openContent(stored.sealed, in: Self.contentColumn, row: stored.id.rawValue)
  }

  func open(_ stored: StoredCourse) throws -> Course {
    let content = try content(stored)
    return Course(
      id: stored.id, title: content.title, description: content.description, term: content.term, color: stored.color,
      state: stored.state, role: stored.role, studentCount: stored.studentCount, createdAt: stored.createdAt,
      version: stored.version)
  }

  // MARK: reading

  /// The courses of a member, newest first.
  static func list(_ state: Course.State?, of user: UserID, after: CourseID?, limit: Int, in db: any Connection) throws
    -> [StoredCourse]
  {
    try list(
      .and("m.user_id = \(user)", state.map { "c.state = \($0)" }, after.map { "m.course_id < \($0)" }), limit: limit,
      in: db)
  }

  static func get(_ id: CourseID, of user: UserID, in db: any Connection) throws -> StoredCourse {
    let found = try list("m.course_id = \(id) AND m.user_id = \(user)", limit: 1, in: db)
    guard let course = found.first else { throw Problem(.courseNotFound) }
    return course
  }

  private static func list(_ condition: SQL, limit: Int, in db: any Connection) throws -> [StoredCourse] {
    try db.all(
      """
      SELECT c.id, c.content, c.color, c.state, m.role, c.created_at, c.version,
        (SELECT COUNT(*) FROM course_members s WHERE s.course_id = c.id AND s.role = 'student') AS students
      FROM course_members m JOIN courses c ON c.id = m.course_id
      WHERE \(condition) ORDER BY m.course_id DESC LIMIT \(limit)
      """
    ) { row in
      StoredCourse(
        id: try row["id"], sealed: try row["content"], color: try row["color"], state: try row["state"],
        role: try row["role"], studentCount: try row["students"], createdAt: try row["created_at"],
        version: try row["version"])
    }
  }

  /// The number of a user's own courses that are not archived.
  static func activeCount(of owner: UserID, in db: any Connection) throws -> Int {
    try db.count(
      """
      SELECT COUNT(*) FROM course_members m JOIN courses c ON c.id = m.course_id
      WHERE m.user_id = \(owner) AND m.role = 'owner' AND c.state = 'active'
      """
    )
  }

  // MARK: codes

  private func hash(_ code: CourseCode) -> String { keys.lookup(code.rawValue, for: "courses.code") }

  func find(_ code: CourseCode, in db: any Connection) throws -> (id: CourseID, state: Course.State)? {
    try db.first("SELECT id, state FROM courses WHERE code_hash = \(hash(code))") { row in
      (try row["id"], try row["state"])
    }
  }

  func code(of id: CourseID, in db: any Connection) throws -> CourseCode? {
    let sealed = try db.value("SELECT code FROM courses WHERE id = \(id)", as: String?.self) ?? nil
    return try sealed.map { try keys.openContent($0, in: Self.codeColumn, row: id.rawValue) }
  }

  /// - Throws: ``DatabaseError`` when another course has the code.
  func set(_ code: CourseCode?, of id: CourseID, in tx: Transaction) throws {
    let sealed = try code.map { try keys.sealContent($0, in: Self.codeColumn, row: id.rawValue) }
    try tx.execute(
      "UPDATE courses SET code = \(sealed), code_hash = \(code.map { hash($0) }) WHERE id = \(id)")
  }

  // MARK: writing

  func insert(_ id: CourseID, _ content: Content, color: CourseColor?, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO courses (id, content, color, state, created_at, version)
      VALUES (\(id), \(seal(content, of: id)), \(color), \(Course.State.active), \(tx.now), 1)
      """
    )
  }

  static func update(_ course: StoredCourse, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE courses SET content = \(course.sealed), color = \(course.color), state = \(course.state),
        version = \(course.version + 1)
      WHERE id = \(course.id)
      """
    )
  }

  static func archive(_ id: CourseID, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE courses SET state = \(Course.State.archived), code = NULL, code_hash = NULL, version = version + 1
      WHERE id = \(id)
      """
    )
  }
}
