import Contracts
import Persistence
import ServiceKit

/// A submission as stored. Its texts stay encrypted until ``SubmissionStore/open(_:for:)``.
struct StoredSubmission: Sendable {
  let id: SubmissionID
  let course: CourseID
  let assignment: AssignmentID
  let student: UserID
  var state: Submission.State
  /// `nil` when nothing was submitted.
  var sealedContent: String?
  /// A keyed hash of the content.
  var fingerprint: String?
  var count: Int
  var submittedAt: Timestamp?
  var isLate: Bool
  var points: Int?
  var sealedFeedback: String?
  var gradedAt: Timestamp?
  var version: Int

  init(_ id: SubmissionID, by student: UserID, to assignment: StoredAssignment) {
    (self.id, course, self.assignment, self.student) = (id, assignment.course, assignment.id, student)
    (state, count, isLate, version) = (.submitted, 0, false, 0)
  }

  fileprivate init(_ row: Row) throws {
    (id, course) = (try row["id"], try row["course_id"])
    (assignment, student) = (try row["assignment_id"], try row["student_id"])
    (state, sealedContent, fingerprint) = (try row["state"], try row["content"], try row["fingerprint"])
    (count, submittedAt, isLate) = (try row["count"], try row["submitted_at"], try row["is_late"])
    (points, sealedFeedback) = (try row["points"], try row["feedback"])
    (gradedAt, version) = (try row["graded_at"], try row["version"])
  }

  var isReturned: Bool { state == .returned }

  /// Whether its student knows of it: a grade without a submission is seen when it is returned.
  var isKnownToStudent: Bool { count > 0 || isReturned }
}

/// The current submissions of students, with their grades.
struct SubmissionStore: Sendable {
  let keys: DataKeys

  static let contentColumn = SealedColumn("submissions", "content")
  static let feedbackColumn = SealedColumn("submissions", "feedback")

  struct Content: Codable, Sendable {
    var text: CourseText?
    var media: [MediaID]
  }

  func seal(_ content: Content, of id: SubmissionID) throws -> String {
    try keys.sealContent(content, in: Self.contentColumn, row: id.rawValue)
  }

  func seal(feedback: CourseText?, of id: SubmissionID) throws -> String? {
    try feedback.map { try keys.sealContent($0, in: Self.feedbackColumn, row: id.rawValue) }
  }

  func fingerprint(_ content: Content) throws -> String {
    keys.lookup(String(decoding: try WireJSON.encode(content), as: UTF8.self), for: "submissions.content")
  }

  func content(_ stored: StoredSubmission) throws -> Content? {
    try stored.sealedContent.map { try keys.openContent($0, in: Self.contentColumn, row: stored.id.rawValue) }
  }

  /// The submission as an instructor sees it, or as its student, who sees a grade when it is returned.
  func open(_ stored: StoredSubmission, for role: CourseRole) throws -> Submission {
    let content = try content(stored)
    let showsGrade = role.teaches || stored.isReturned
    let feedback: CourseText? =
      try showsGrade
      ? stored.sealedFeedback.map { try keys.openContent($0, in: Self.feedbackColumn, row: stored.id.rawValue) } : nil
    return Submission(
      id: stored.id, assignment: stored.assignment, student: stored.student,
      state: showsGrade ? stored.state : .submitted, text: content?.text, media: content?.media ?? [],
      count: stored.count, submittedAt: stored.submittedAt, isLate: stored.isLate,
      points: showsGrade ? stored.points.map { Points(checked: $0) } : nil, feedback: feedback,
      gradedAt: showsGrade ? stored.gradedAt : nil, version: stored.version)
  }

  // MARK: reading

  static func find(_ assignment: AssignmentID, by student: UserID, in db: any Connection) throws -> StoredSubmission? {
    try list("assignment_id = \(assignment) AND student_id = \(student)", "id", limit: 1, in: db).first
  }

  static func find(_ id: SubmissionID, in db: any Connection) throws -> StoredSubmission? {
    try list("id = \(id)", "id", limit: 1, in: db).first
  }

  static func get(_ id: SubmissionID, of course: CourseID, in db: any Connection) throws -> StoredSubmission {
    guard let found = try list("id = \(id) AND course_id = \(course)", "id", limit: 1, in: db).first else {
      throw Problem(.notFound)
    }
    return found
  }

  /// The submissions of the course's students that a member sees, oldest first: instructors all, students their own.
  static func list(
    for access: CourseAccess, to assignment: AssignmentID?, by student: UserID?, after: SubmissionID?, limit: Int,
    in db: any Connection
  ) throws -> [StoredSubmission] {
    let isKnown: SQL? =
      access.role.teaches ? nil : "student_id = \(access.user) AND (count > 0 OR state = \(Submission.State.returned))"
    let isMember: SQL = """
      EXISTS (SELECT 1 FROM course_members m
        WHERE m.course_id = submissions.course_id AND m.user_id = submissions.student_id AND m.role = 'student')
      """
    return try list(
      .and(
        "course_id = \(access.course)", assignment.map { "assignment_id = \($0)" },
        student.map { "student_id = \($0)" },
        after.map { "id > \($0)" }, isMember, isKnown), "id", limit: limit, in: db)
  }

  /// All submissions of students to a course.
  static func list(of course: CourseID, by students: [UserID], in db: any Connection) throws -> [StoredSubmission] {
    try list("course_id = \(course) AND student_id IN \(list: students)", "assignment_id", limit: .max, in: db)
  }

  static func list(by student: UserID, in db: any Connection) throws -> [StoredSubmission] {
    try list("student_id = \(student)", "course_id, id", limit: .max, in: db)
  }

  static func exists(to assignment: AssignmentID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM submissions WHERE assignment_id = \(assignment) LIMIT 1")
  }

  private static func list(_ condition: SQL, _ order: SQL, limit: Int, in db: any Connection) throws
    -> [StoredSubmission]
  {
    try db.all(
      """
      SELECT id, course_id, assignment_id, student_id, state, content, fingerprint, count, submitted_at, is_late, points,
        feedback, graded_at, version
      FROM submissions WHERE \(condition) ORDER BY \(order) LIMIT \(limit)
      """
    ) { try StoredSubmission($0) }
  }

  // MARK: writing

  /// Stores a new or changed submission; its version is one more than before.
  static func save(_ submission: StoredSubmission, in tx: Transaction) throws -> StoredSubmission {
    var saved = submission
    saved.version += 1
    try tx.execute(
      """
      INSERT INTO submissions
        (id, course_id, assignment_id, student_id, state, content, fingerprint, count, submitted_at, is_late, points,
         feedback, graded_at, version)
      VALUES (\(saved.id), \(saved.course), \(saved.assignment), \(saved.student), \(saved.state),
              \(saved.sealedContent), \(saved.fingerprint), \(saved.count), \(saved.submittedAt), \(saved.isLate),
              \(saved.points), \(saved.sealedFeedback), \(saved.gradedAt), \(saved.version))
      ON CONFLICT (id) DO UPDATE SET state = excluded.state, content = excluded.content,
        fingerprint = excluded.fingerprint, count = excluded.count, submitted_at = excluded.submitted_at,
        is_late = excluded.is_late, points = excluded.points, feedback = excluded.feedback,
        graded_at = excluded.graded_at, version = excluded.version
      """
    )
    return saved
  }

  static func delete(by student: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM submissions WHERE student_id = \(student)")
  }
}
