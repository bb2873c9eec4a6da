import Contracts
import Persistence
import ServiceKit

/// An assignment as stored. Its texts stay encrypted until ``AssignmentStore/open(_:)``.
struct StoredAssignment: Sendable {
  let id: AssignmentID
  let course: CourseID
  let kind: Assignment.Kind
  var sealed: String
  var media: [MediaID]
  var points: Int
  var dueAt: Timestamp?
  var lateUntil: Timestamp?
  var resubmission: Assignment.Resubmission
  var test: CourseTest?
  var state: Assignment.State
  let createdAt: Timestamp
  var version: Int

  /// Whether a submission now is late.
  /// - Throws: ``Problem`` when it is too late.
  func isLate(at now: Timestamp) throws(Problem) -> Bool {
    guard let dueAt, now > dueAt else { return false }
    guard let lateUntil, now <= lateUntil else { throw Problem(.assignmentClosed) }
    return true
  }

  /// When nothing more is accepted.
  var closesAt: Timestamp? { lateUntil ?? dueAt }
}

/// The assignments of courses.
struct AssignmentStore: Sendable {
  let keys: DataKeys

  static let contentColumn = SealedColumn("assignments", "content")

  struct Content: Codable, Sendable {
    var title: ShortText
    var instructions: CourseText?
  }

  func seal(_ content: Content, of id: AssignmentID) throws -> String {
    try keys.sealContent(content, in: Self.contentColumn, row: id.rawValue)
  }

  func content(_ stored: StoredAssignment) throws -> Content {
    try keys.openContent(stored.sealed, in: Self.contentColumn, row: stored.id.rawValue)
  }

  func open(_ stored: StoredAssignment) throws -> Assignment {
    let content = try content(stored)
    return Assignment(
      id: stored.id, kind: stored.kind, title: content.title, instructions: content.instructions, media: stored.media,
      points: Points(checked: stored.points), dueAt: stored.dueAt, lateUntil: stored.lateUntil,
      resubmission: stored.resubmission, test: stored.test, state: stored.state, createdAt: stored.createdAt,
      version: stored.version)
  }

  // MARK: reading

  static func list(
    _ state: Assignment.State? = nil, of course: CourseID, after: AssignmentID? = nil, limit: Int,
    in db: any Connection
  ) throws -> [StoredAssignment] {
    try list(
      .and("course_id = \(course)", state.map { "state = \($0)" }, after.map { "id > \($0)" }), limit: limit, in: db)
  }

  /// The assignment as a member sees it.
  static func get(_ id: AssignmentID, for access: CourseAccess, in db: any Connection) throws -> StoredAssignment {
    guard let found = try list("id = \(id) AND course_id = \(access.course)", limit: 1, in: db).first,
      access.role.teaches || found.state == .published
    else { throw Problem(.notFound) }
    return found
  }

  /// The due date for notices; `nil` also in an archived course.
  static func dueDate(of id: AssignmentID, in db: any Connection) throws
    -> (state: Assignment.State, dueAt: Timestamp?)?
  {
    try db.first(
      """
      SELECT a.state, a.due_at FROM assignments a JOIN courses c ON c.id = a.course_id
      WHERE a.id = \(id) AND c.state = \(Course.State.active)
      """
    ) { row in (try row["state"], try row["due_at"]) }
  }

  static func count(of course: CourseID, in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM assignments WHERE course_id = \(course)")
  }

  /// The test that a quiz is.
  static func find(testOf quiz: QuizID, in db: any Connection) throws -> StoredAssignment? {
    try list("quiz_id = \(quiz)", limit: 1, in: db).first
  }

  private static func list(_ condition: SQL, limit: Int, in db: any Connection) throws -> [StoredAssignment] {
    try db.all(
      """
      SELECT id, course_id, kind, content, media, points, due_at, late_until, resubmission, test, state, created_at,
        version
      FROM assignments WHERE \(condition) ORDER BY id LIMIT \(limit)
      """
    ) { row in
      let (id, course): (AssignmentID, CourseID) = (try row["id"], try row["course_id"])
      let (kind, sealed): (Assignment.Kind, String) = (try row["kind"], try row["content"])
      let (media, points): ([MediaID], Int) = (try row[words: "media"], try row["points"])
      let (dueAt, lateUntil): (Timestamp?, Timestamp?) = (try row["due_at"], try row["late_until"])
      let resubmission: Assignment.Resubmission = try row["resubmission"]
      let (test, state): (CourseTest?, Assignment.State) = (try row[json: "test"], try row["state"])
      return StoredAssignment(
        id: id, course: course, kind: kind, sealed: sealed, media: media, points: points, dueAt: dueAt,
        lateUntil: lateUntil, resubmission: resubmission, test: test, state: state, createdAt: try row["created_at"],
        version: try row["version"])
    }
  }

  // MARK: writing

  static func insert(_ assignment: StoredAssignment, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO assignments
        (id, course_id, kind, content, media, points, due_at, late_until, resubmission, quiz_id, test, state,
         created_at, version)
      VALUES (\(assignment.id), \(assignment.course), \(assignment.kind), \(assignment.sealed),
              \(words: assignment.media), \(assignment.points), \(assignment.dueAt), \(assignment.lateUntil),
              \(assignment.resubmission), \(assignment.test?.quiz), \(json: assignment.test), \(assignment.state),
              \(assignment.createdAt), \(assignment.version))
      """
    )
  }

  static func update(_ assignment: StoredAssignment, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE assignments SET content = \(assignment.sealed), media = \(words: assignment.media),
        points = \(assignment.points), due_at = \(assignment.dueAt), late_until = \(assignment.lateUntil),
        resubmission = \(assignment.resubmission), quiz_id = \(assignment.test?.quiz),
        test = \(json: assignment.test), state = \(assignment.state),
        version = \(assignment.version)
      WHERE id = \(assignment.id)
      """
    )
  }

  static func delete(_ id: AssignmentID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM assignments WHERE id = \(id)")
  }
}
