import Contracts
import Persistence
import ServiceKit

/// An invitation as stored. Its address stays encrypted until ``CourseInvitationStore/open(_:)``.
struct StoredCourseInvitation: Sendable {
  let id: CourseInvitationID
  let course: CourseID
  let sealedEmail: String
  let role: InvitedRole
  let createdAt: Timestamp
  let expiresAt: Timestamp
}

/// Invitations by e-mail: addresses are encrypted and looked up by keyed hashes, tokens are stored as keyed hashes.
struct CourseInvitationStore: Sendable {
  let keys: DataKeys

  static let emailColumn = SealedColumn("course_invitations", "email")

  func open(_ stored: StoredCourseInvitation) throws -> CourseInvitation {
    let email: EmailAddress = try keys.openContent(
      stored.sealedEmail, in: Self.emailColumn, row: stored.id.rawValue)
    return CourseInvitation(
      id: stored.id, email: email, role: stored.role, createdAt: stored.createdAt, expiresAt: stored.expiresAt)
  }

  // MARK: reading

  static func list(
    of course: CourseID, after: CourseInvitationID?, limit: Int, at now: Timestamp, in db: any Connection
  )
    throws -> [StoredCourseInvitation]
  {
    try list(
      .and("course_id = \(course)", "expires_at > \(now)", after.map { "id > \($0)" }), limit: limit, in: db)
  }

  func find(_ token: CourseInvitationToken, in tx: Transaction) throws -> StoredCourseInvitation? {
    try Self.list("token_hash = \(hash(token)) AND expires_at > \(tx.now)", limit: 1, in: tx).first
  }

  static func count(of course: CourseID, in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM course_invitations WHERE course_id = \(course)")
  }

  static func list(by inviter: UserID, in db: any Connection) throws -> [StoredCourseInvitation] {
    try list("invited_by = \(inviter)", limit: .max, in: db)
  }

  private static func list(_ condition: SQL, limit: Int, in db: any Connection) throws -> [StoredCourseInvitation] {
    try db.all(
      """
      SELECT id, course_id, email, role, created_at, expires_at FROM course_invitations
      WHERE \(condition) ORDER BY id LIMIT \(limit)
      """
    ) { row in
      StoredCourseInvitation(
        id: try row["id"], course: try row["course_id"], sealedEmail: try row["email"], role: try row["role"],
        createdAt: try row["created_at"], expiresAt: try row["expires_at"])
    }
  }

  // MARK: writing

  /// Replaces another invitation of the address to the course.
  func save(
    _ invitation: CourseInvitation, to course: CourseID, _ token: CourseInvitationToken, by inviter: UserID,
    in tx: Transaction
  ) throws {
    let email = keys.lookup(invitation.email.rawValue, for: "course-invitations.email")
    let sealed = try keys.sealContent(invitation.email, in: Self.emailColumn, row: invitation.id.rawValue)
    try tx.execute("DELETE FROM course_invitations WHERE course_id = \(course) AND email_hash = \(email)")
    try tx.execute(
      """
      INSERT INTO course_invitations
        (id, course_id, email, email_hash, token_hash, role, invited_by, created_at, expires_at)
      VALUES (\(invitation.id), \(course), \(sealed), \(email), \(hash(token)), \(invitation.role), \(inviter),
              \(invitation.createdAt), \(invitation.expiresAt))
      """
    )
  }

  static func delete(_ id: CourseInvitationID, of course: CourseID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM course_invitations WHERE id = \(id) AND course_id = \(course)")
  }

  static func delete(by inviter: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM course_invitations WHERE invited_by = \(inviter)")
  }

  static func deleteExpired(in tx: Transaction) throws {
    try tx.execute("DELETE FROM course_invitations WHERE expires_at <= \(tx.now)")
  }

  private func hash(_ token: CourseInvitationToken) -> String {
    keys.lookup(token.rawValue, for: "course-invitations.token")
  }
}
