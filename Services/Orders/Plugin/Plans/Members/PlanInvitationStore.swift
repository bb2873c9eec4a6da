import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// An invitation as stored; its address stays encrypted until ``PlanInvitationStore/open(_:)``.
struct StoredPlanInvitation: Sendable {
  let id: PlanInvitationID
  let subscription: SubscriptionID
  let plan: String
  let sealedEmail: String?
  let user: UserID?
  /// The user who has used the code.
  let acceptedBy: UserID?
  let createdAt: Timestamp
  let expiresAt: Timestamp
}

/// Invitations to group plans: addresses are encrypted and looked up by keyed hashes, codes are stored as keyed hashes.
struct PlanInvitationStore: Sendable {
  let keys: DataKeys

  static let emailColumn = SealedColumn("plan_invitations", "email")

  /// - Parameter showsAddress: Only to who pays for the plan.
  func open(_ stored: StoredPlanInvitation, showsAddress: Bool) throws -> PlanInvitation {
    let email: EmailAddress? = try stored.sealedEmail.flatMap { sealed in
      showsAddress ? try address(sealed, of: stored.id) : nil
    }
    return PlanInvitation(
      id: stored.id, subscriptionID: stored.subscription, plan: stored.plan, email: email, userID: stored.user,
      createdAt: stored.createdAt, expiresAt: stored.expiresAt)
  }

  private func address(_ sealed: String, of id: PlanInvitationID) throws -> EmailAddress {
    let bytes = try keys.open(sealed, in: Self.emailColumn, row: id.rawValue)
    return EmailAddress(checked: String(decoding: bytes, as: UTF8.self))
  }

  // MARK: reading

  static func list(
    of subscription: SubscriptionID, after: PlanInvitationID?, limit: Int, at now: Timestamp, in db: any Connection
  ) throws -> [StoredPlanInvitation] {
    try list("i.subscription_id = \(subscription)", after: after, limit: limit, at: now, in: db)
  }

  static func list(
    for user: UserID, after: PlanInvitationID?, limit: Int, at now: Timestamp, in db: any Connection
  ) throws -> [StoredPlanInvitation] {
    try list(isFor(user), after: after, limit: limit, at: now, in: db)
  }

  /// An invitation across a block is invisible.
  private static func isFor(_ user: UserID) -> SQL {
    "i.user_id = \(user) AND COALESCE(s.user_id, '') NOT IN \(ReportedBlocks.others(of: user))"
  }

  /// The invitation that a user accepts with a code: that of an e-mail, or the id of one for the user.
  func find(_ code: PlanInvitationCode, by user: UserID, in tx: Transaction) throws -> StoredPlanInvitation? {
    let found =
      try Self.list("i.code_hash = \(hash(code))", limit: 1, in: tx).first
      ?? Self.list("i.id = \(code.rawValue) AND \(Self.isFor(user))", limit: 1, in: tx).first
    guard let found, found.expiresAt > tx.now, found.acceptedBy.map({ $0 == user }) ?? true else { return nil }
    return found
  }

  static func countOpen(of subscription: SubscriptionID, in tx: Transaction) throws -> Int {
    try tx.count(
      """
      SELECT COUNT(*) FROM plan_invitations
      WHERE subscription_id = \(subscription) AND accepted_by IS NULL AND expires_at > \(tx.now)
      """
    )
  }

  private static func list(
    _ condition: SQL, after: PlanInvitationID?, limit: Int, at now: Timestamp, in db: any Connection
  ) throws -> [StoredPlanInvitation] {
    let isOpen: SQL = "i.accepted_by IS NULL AND i.expires_at > \(now)"
    return try list(.and(condition, isOpen, after.map { "i.id > \($0)" }), limit: limit, in: db)
  }

  private static func list(_ condition: SQL, limit: Int, in db: any Connection) throws -> [StoredPlanInvitation] {
    try db.all(
      """
      SELECT i.id, i.subscription_id, s.plan, i.email, i.user_id, i.accepted_by, i.created_at, i.expires_at
      FROM plan_invitations i JOIN subscriptions s ON s.id = i.subscription_id
      WHERE \(condition) ORDER BY i.id LIMIT \(limit)
      """
    ) { row in
      StoredPlanInvitation(
        id: try row["id"], subscription: try row["subscription_id"], plan: try row["plan"],
        sealedEmail: try row["email"], user: try row["user_id"], acceptedBy: try row["accepted_by"],
        createdAt: try row["created_at"], expiresAt: try row["expires_at"])
    }
  }

  // MARK: writing

  /// Replaces another invitation of the address, or for the user, to the plan.
  func save(_ invitation: PlanInvitation, _ code: PlanInvitationCode?, in tx: Transaction) throws {
    let hashed = invitation.email.map { keys.lookup($0.rawValue, for: "plan-invitations.email") }
    let sealed = try invitation.email.map {
      try keys.seal(Array($0.rawValue.utf8), in: Self.emailColumn, row: invitation.id.rawValue)
    }
    let (id, subscription) = (invitation.id, invitation.subscriptionID)
    try tx.execute("DELETE FROM plan_invitations WHERE subscription_id = \(subscription) AND email_hash = \(hashed)")
    try tx.execute(
      "DELETE FROM plan_invitations WHERE subscription_id = \(subscription) AND user_id = \(invitation.userID)")
    try tx.execute(
      """
      INSERT INTO plan_invitations
        (id, subscription_id, code_hash, email, email_hash, user_id, created_at, expires_at)
      VALUES (\(id), \(subscription), \(code.map(hash)), \(sealed), \(hashed), \(invitation.userID),
              \(invitation.createdAt), \(invitation.expiresAt))
      """
    )
  }

  /// The address is no longer needed; the code stays, so that a repeated request finds what it has done.
  static func accept(_ id: PlanInvitationID, by user: UserID, in tx: Transaction) throws {
    try tx.execute(
      "UPDATE plan_invitations SET accepted_by = \(user), email = NULL, email_hash = NULL WHERE id = \(id)")
  }

  static func delete(_ id: PlanInvitationID, of subscription: SubscriptionID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM plan_invitations WHERE id = \(id) AND subscription_id = \(subscription)")
  }

  /// Whoever was removed needs another invitation.
  static func delete(acceptedByOrFor user: UserID, of subscription: SubscriptionID, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM plan_invitations
      WHERE subscription_id = \(subscription) AND (accepted_by = \(user) OR user_id = \(user))
      """
    )
  }

  /// Deletes the invitations to the plans that a user pays for.
  static func delete(by subscriber: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM plan_invitations
      WHERE subscription_id IN (SELECT id FROM subscriptions WHERE user_id = \(subscriber))
      """
    )
  }

  /// Deletes the invitations for a user and those that the user has accepted.
  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM plan_invitations WHERE user_id = \(user)")
    try tx.execute("DELETE FROM plan_invitations WHERE accepted_by = \(user)")
  }

  static func deleteExpired(in tx: Transaction) throws {
    try tx.execute("DELETE FROM plan_invitations WHERE expires_at <= \(tx.now)")
  }

  private func hash(_ code: PlanInvitationCode) -> String {
    keys.lookup(code.rawValue, for: "plan-invitations.code")
  }
}
