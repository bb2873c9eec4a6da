import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Invitations to courses by e-mail.
struct CourseInvitations: Feature {
  static let lifetime = 14 * 86_400.0
  private static let maxOpen = 1000
  /// E-mails that an instructor causes.
  private static let limit = RateLimit(200, per: 86_400, pause: .untilOneIsForgotten)

  private let core: CourseCore
  private let store: CourseInvitationStore
  private let membership: CourseMembership
  private let mailer: Mailer
  private let purge: PeriodicTask

  init(_ core: CourseCore) throws {
    self.core = core
    (store, membership) = (CourseInvitationStore(keys: core.keys), CourseMembership(core))
    mailer = try Mailer(core.environment)
    let database = core.database
    purge = PeriodicTask("course-invitations.expire", per: .platform, every: .seconds(3600), logger: core.logger) {
      try await database.write { tx in try CourseInvitationStore.deleteExpired(in: tx) }
    }
  }

  var workers: [any Service] { mailer.workers + [purge] }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.InviteToCourse.self) { request, call in try await invite(request, by: core.caller(call)) }
    routes.on(StudyAPI.ListCourseInvitations.self) { request, call in
      try await list(request, for: core.caller(call))
    }
    routes.on(StudyAPI.DeleteCourseInvitation.self) { request, call in
      try await delete(request, by: core.caller(call))
    }
    routes.on(StudyAPI.AcceptCourseInvitation.self, accept)
  }

  private func invite(_ request: StudyAPI.InviteToCourse, by user: UserID) async throws -> CourseInvitation {
    let now = core.time.now()
    let invitation = CourseInvitation(
      id: core.ids.make(), email: request.email, role: request.role ?? .student, createdAt: now,
      expiresAt: now.advanced(bySeconds: Self.lifetime))
    let token = CourseInvitationToken(checked: Base64URL.encode(SecureBytes.random(32)))
    let limit = StoredLimit(Self.limit, of: user.rawValue, for: "course-invitation", core.keys)
    try await core.database.write { tx in
      let access = try CourseAccess.editing(request.id, user, in: tx)
      if invitation.role == .instructor { try access.requireOwner() }
      try limit.require(in: tx)
      try store.save(invitation, to: request.id, token, by: user, in: tx)
      guard try CourseInvitationStore.count(of: request.id, in: tx) <= Self.maxOpen else {
        throw Problem(.courseLimit)
      }
      let title = try core.store.content(CourseStore.get(request.id, of: user, in: tx)).title
      try mailer.send(CourseMails.invitation(invitation, to: title, token), in: tx)
    }
    return invitation
  }

  private func list(_ request: StudyAPI.ListCourseInvitations, for user: UserID) async throws
    -> Page<CourseInvitation>
  {
    let (page, now) = (try request.page(by: CourseInvitationID.self), core.time.now())
    let found = try await core.database.read { db in
      _ = try CourseAccess.teaching(request.id, user, in: db)
      return try page.fetch(
        { try CourseInvitationStore.list(of: request.id, after: $0, limit: $1, at: now, in: db) }, key: { $0.id })
    }
    return found.with(try found.rows.map(store.open))
  }

  private func delete(_ request: StudyAPI.DeleteCourseInvitation, by user: UserID) async throws {
    try await core.database.write { tx in
      _ = try CourseAccess.teaching(request.id, user, in: tx)
      try CourseInvitationStore.delete(request.invitation, of: request.id, in: tx)
    }
  }

  private func accept(_ request: StudyAPI.AcceptCourseInvitation, _ call: Call) async throws -> Course {
    let (user, mayTeach) = (try core.caller(call), try CourseCore.mayTeach(call.user))
    let stored = try await core.database.write { tx in
      let id = try tx.idempotent(call.idempotencyKey) {
        guard let invitation = try store.find(request.token, in: tx) else {
          throw Problem(.courseInvitationInvalid)
        }
        // Whoever was removed needs an invitation of a later time.
        let removedAt = try CourseRemovalStore.find(user, from: invitation.course, in: tx)
        guard removedAt.map({ $0 < invitation.createdAt }) ?? true else { throw Problem(.courseInvitationInvalid) }
        try CourseRemovalStore.delete(user, from: invitation.course, in: tx)
        guard invitation.role == .student || mayTeach else {
          throw Problem(.forbidden, detail: "Only instructors teach in courses.")
        }
        try CourseInvitationStore.delete(invitation.id, of: invitation.course, in: tx)
        try membership.join(user, invitation.course, as: invitation.role == .student ? .student : .instructor, in: tx)
        try CourseAccess(invitation.course, of: user, in: tx).requireActive()
        return invitation.course
      }
      return try CourseStore.get(id, of: user, in: tx)
    }
    return try core.store.open(stored)
  }

  // MARK: privacy

  /// Without the addresses, which are those of others.
  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let invitations = try CourseInvitationStore.list(by: user, in: db).map { invitation -> JSONValue in
      [
        "course": .string(invitation.course.rawValue), "role": .string(invitation.role.rawValue),
        "createdAt": .string(invitation.createdAt.description),
      ]
    }
    return [("courseInvitations", .array(invitations))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try CourseInvitationStore.delete(by: user, in: tx) }
}

/// The texts of the e-mails of courses. They contain the token instead of a link, because each app has its own links.
enum CourseMails {
  static func invitation(_ invitation: CourseInvitation, to title: ShortText, _ token: CourseInvitationToken)
    -> MailMessage
  {
    MailMessage(
      to: invitation.email,
      subject: "Invitation to a course",
      text: """
        You are invited to the course "\(title)". Enter this code in the app; it is valid for 14 days:

        \(token.rawValue)

        If you do not know about this course, you can ignore this message.
        """
    )
  }
}
