import Contracts
import Persistence
import ServiceKit

/// The dependencies that the features of courses share.
@dynamicMemberLookup
struct CourseCore: Sendable {
  let core: StudyCore
  let store: CourseStore
  let quizzes: QuizStore
  let sets: CourseSets
  let notices: CourseNotices
  let media: CourseMedia

  init(_ core: StudyCore) throws {
    self.core = core
    (store, quizzes) = (CourseStore(keys: core.keys), QuizStore(keys: core.keys))
    sets = try CourseSets(core.environment)
    notices = try CourseNotices(core.environment)
    media = CourseMedia(core.environment)
  }

  subscript<Value>(dynamicMember member: KeyPath<StudyCore, Value>) -> Value { core[keyPath: member] }

  /// The signed-in user.
  /// - Throws: ``Problem`` for guests, whom no one could grade or hold responsible.
  func caller(_ call: Call) throws -> UserID {
    let user = try call.user
    guard !user.roles.contains(.guest) else {
      throw Problem(.forbidden, detail: "Guests must sign up to take part in courses.")
    }
    return user.id
  }

  /// Whether a user may have courses, or teach in those of others.
  static func mayTeach(_ user: UserCaller) -> Bool {
    !user.roles.isDisjoint(with: [.instructor, .owner, .administrator])
  }
}

/// A member of a course, who may do there what the role allows. What belongs to the platform's roles, such as
/// administration, gives no access to courses: grades concern students and their instructors only.
struct CourseAccess: Sendable {
  let course: CourseID
  let user: UserID
  let role: CourseRole
  let joinedAt: Timestamp
  let state: Course.State

  /// - Throws: ``Problem`` when the user is no member, the same as for an unknown course.
  init(_ course: CourseID, of user: UserID, in db: any Connection) throws {
    guard let access = try Self.find(course, of: user, in: db) else { throw Problem(.courseNotFound) }
    self = access
  }

  private init(course: CourseID, user: UserID, role: CourseRole, joinedAt: Timestamp, state: Course.State) {
    (self.course, self.user, self.role, self.joinedAt, self.state) = (course, user, role, joinedAt, state)
  }

  static func find(_ course: CourseID, of user: UserID, in db: any Connection) throws -> CourseAccess? {
    try db.first(
      """
      SELECT m.role, m.joined_at, c.state FROM course_members m JOIN courses c ON c.id = m.course_id
      WHERE m.course_id = \(course) AND m.user_id = \(user)
      """
    ) { row in
      CourseAccess(
        course: course, user: user, role: try row["role"], joinedAt: try row["joined_at"], state: try row["state"])
    }
  }

  /// The caller as an instructor of the course.
  static func teaching(_ course: CourseID, _ user: UserID, in db: any Connection) throws -> CourseAccess {
    let access = try CourseAccess(course, of: user, in: db)
    guard access.role.teaches else { throw Problem(.forbidden) }
    return access
  }

  /// The caller as an instructor who changes something.
  static func editing(_ course: CourseID, _ user: UserID, in tx: Transaction) throws -> CourseAccess {
    let access = try teaching(course, user, in: tx)
    try access.requireActive()
    return access
  }

  func requireOwner() throws {
    guard role == .owner else { throw Problem(.forbidden) }
  }

  func requireActive() throws {
    guard state == .active else { throw Problem(.courseArchived) }
  }
}

extension DataKeys {
  func sealContent(_ content: some Encodable, in column: SealedColumn, row: String) throws -> String {
    try seal(WireJSON.encode(content), in: column, row: row)
  }

  func openContent<Content: Decodable>(_ text: String, in column: SealedColumn, row: String) throws -> Content {
    try WireJSON.decode(Content.self, from: open(text, in: column, row: row))
  }
}

extension Problem {
  /// A value of the body that the course does not allow.
  static func invalid(_ location: String, _ message: String) -> Problem {
    Problem(.invalidRequest, errors: [.init(location: "body.\(location)", message: message)])
  }
}
