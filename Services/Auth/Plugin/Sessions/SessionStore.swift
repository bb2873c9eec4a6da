import Contracts
import Persistence
import ServiceKit

/// A signed-in device.
struct Session: Sendable {
  var id: SessionID
  var userID: UserID
  var app: ClientApp
  /// The key that authenticates refresh tokens; never leaves the service.
  var tokenKey: [UInt8]
  var generation: Int64
  /// When its tokens were last rotated, which is its last use.
  var rotatedAt: Timestamp
  var createdAt: Timestamp
  var revokedAt: Timestamp?

  var refreshToken: RefreshToken { RefreshToken(session: id, generation: generation) }
}

/// The client device and address that a session is used from.
struct ClientInfo: Sendable {
  var device: String?
  var address: String?

  init(_ context: RequestContext) {
    device = context.userAgent
    address = context.clientAddress
  }
}

/// Sessions, and the feed of those that have ended.
struct SessionStore: Sendable {
  let keys: DataKeys
  let ids: IDGenerator
  let limits: SessionLimits

  static let keyColumn = SealedColumn("sessions", "token_key")
  /// How long after sign-in a session without a password may change the sign-in methods, in seconds.
  private static let recentSeconds = 600.0

  /// Maximum number of live sessions per user; a further one ends the least recently used. It also bounds how many can
  /// end at the same time, which the feed of revoked sessions relies on.
  private static let maxCount = 100

  func begin(for user: UserID, app: ClientApp, on clientInfo: ClientInfo, in tx: Transaction) throws -> Session {
    let surplus = try tx.values(
      """
      SELECT id FROM sessions WHERE user_id = \(user) AND revoked_at IS NULL
      ORDER BY rotated_at DESC LIMIT 10 OFFSET \(Self.maxCount - 1)
      """,
      as: SessionID.self
    )
    for id in surplus {
      try Self.end(.one(id), of: user, .displaced, by: .user(user, address: clientInfo.address), in: tx)
    }
    let session = Session(
      id: ids.make(),
      userID: user,
      app: app,
      tokenKey: SecureBytes.random(32),
      generation: 1,
      rotatedAt: tx.now,
      createdAt: tx.now,
      revokedAt: nil
    )
    try tx.execute(
      """
      INSERT INTO sessions (id, user_id, app, token_key, generation, rotated_at, created_at, device, address)
      VALUES (\(session.id), \(user), \(app), \(keys.seal(session.tokenKey, in: Self.keyColumn, row: session.id.rawValue)),
              \(session.generation), \(tx.now), \(tx.now), \(clientInfo.device), \(clientInfo.address))
      """
    )
    try tx.audit(
      "session.begun",
      object: "session:\(session.id)",
      by: .user(user, session: session.id, address: clientInfo.address, app: app),
      changes: [AuditChange("app", from: nil, to: app.rawValue)]
    )
    return session
  }

  func find(_ id: SessionID, in db: any Connection) throws -> Session? {
    try db.first(
      """
      SELECT id, user_id, app, token_key, generation, rotated_at, created_at, revoked_at FROM sessions WHERE id = \(id)
      """
    ) { row in
      Session(
        id: try row["id"], userID: try row["user_id"], app: try row["app"],
        tokenKey: try keys.open(try row["token_key"], in: Self.keyColumn, row: id.rawValue),
        generation: try row["generation"],
        rotatedAt: try row["rotated_at"], createdAt: try row["created_at"], revokedAt: try row["revoked_at"]
      )
    }
  }

  static func isLive(_ id: SessionID, of user: UserID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM sessions WHERE id = \(id) AND user_id = \(user) AND revoked_at IS NULL")
  }

  /// Requires a recent sign-in before a change of the sign-in methods, unless the user has given a password as proof.
  /// - Throws: ``Problem`` 403 when the sign-in is not recent, 401 when the session has ended.
  func requireRecent(_ id: SessionID, unless hasProof: Bool, in tx: Transaction) throws {
    guard let session = try find(id, in: tx), session.revokedAt == nil else { throw Problem(.sessionRevoked) }
    guard hasProof || tx.now.seconds(since: session.createdAt) <= Self.recentSeconds else {
      throw Problem(.recentSignInRequired)
    }
  }

  /// Moves a session to its next generation.
  func rotate(_ session: Session, on clientInfo: ClientInfo, in tx: Transaction) throws -> Session {
    var next = session
    next.generation += 1
    next.rotatedAt = tx.now
    try tx.execute(
      """
      UPDATE sessions SET generation = \(next.generation), rotated_at = \(tx.now), device = \(clientInfo.device),
        address = \(clientInfo.address)
      WHERE id = \(session.id)
      """
    )
    return next
  }

  /// A user's live sessions, most recently used first.
  func list(of user: UserID, current: SessionID, at now: Timestamp, in db: any Connection) throws -> [SessionInfo] {
    let since = now.advanced(bySeconds: -limits.idleSeconds)
    return try db.all(
      """
      SELECT id, app, device, address, created_at, rotated_at FROM sessions
      WHERE user_id = \(user) AND revoked_at IS NULL AND rotated_at >= \(since) ORDER BY rotated_at DESC LIMIT 1000
      """
    ) { row in
      let id: SessionID = try row["id"]
      return SessionInfo(
        id: id, app: try row["app"], device: try row["device"], address: try row["address"],
        createdAt: try row["created_at"], lastUsedAt: try row["rotated_at"], isCurrent: id == current
      )
    }
  }

  /// Ends sessions of a user and publishes the events.
  /// - Returns: The number of sessions ended.
  @discardableResult
  static func end(
    _ which: Selection,
    of user: UserID,
    _ reason: SessionEnded.Reason,
    by actor: AuditActor,
    in tx: Transaction
  ) throws -> Int {
    let condition: SQL =
      switch which {
      case .one(let id): "id = \(id)"
      case .allBut(let id): "id <> \(id)"
      case .all: "1 = 1"
      }
    let ended = try tx.values(
      "SELECT id FROM sessions WHERE user_id = \(user) AND revoked_at IS NULL AND \(condition)",
      as: SessionID.self
    )
    for id in ended {
      try tx.execute("UPDATE sessions SET revoked_at = \(tx.now) WHERE id = \(id)")
      try tx.execute("INSERT INTO revoked_sessions (id, revoked_at) VALUES (\(id), \(tx.now)) ON CONFLICT DO NOTHING")
      try DeviceStore.delete(of: id, in: tx)
      try tx.record(SessionEnded(sessionID: id, userID: user, reason: reason))
      try tx.record(RealtimeEvent(to: user, "session.ended", ["session": .string(id.rawValue)]))
      try tx.audit(
        "session.ended",
        object: "session:\(id)",
        by: actor,
        changes: [AuditChange("reason", from: nil, to: reason.rawValue)]
      )
    }
    return ended.count
  }

  enum Selection {
    case one(SessionID)
    case allBut(SessionID)
    case all
  }

  /// Sessions that ended at or after `since`, in this order.
  static func listRevoked(since: Timestamp, limit: Int, in db: any Connection) throws -> [RevokedSession] {
    try db.all(
      """
      SELECT id, revoked_at FROM revoked_sessions WHERE revoked_at >= \(since) ORDER BY revoked_at
      LIMIT \(limit)
      """
    ) { row in RevokedSession(id: try row["id"], revokedAt: try row["revoked_at"]) }
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM sessions WHERE user_id = \(user)")
  }

  static func delete(unusedSince moment: Timestamp, in tx: Transaction) throws {
    try tx.execute("DELETE FROM sessions WHERE rotated_at < \(moment)")
  }

  /// Shortens the feed of ended sessions.
  static func delete(revokedBefore moment: Timestamp, in tx: Transaction) throws {
    try tx.execute("DELETE FROM revoked_sessions WHERE revoked_at < \(moment)")
  }
}
