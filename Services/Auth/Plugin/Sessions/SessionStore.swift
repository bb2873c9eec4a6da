import Contracts
import Persistence
import ServiceKit

/// Sessions, and the feed of those that have ended.
struct SessionStore: Sendable {
  let keys: DataKeys
  let ids: IDGenerator
  let limits: SessionLimits
  private let places: KnownPlaceStore
  private let unusualSignIns: PendingJobs<UnusualSignIn>

  init(_ environment: ServiceEnvironment, limits: SessionLimits) {
    (keys, ids, self.limits) = (environment.dataKeys, environment.ids, limits)
    places = KnownPlaceStore(keys: keys)
    unusualSignIns = PendingJobs(UnusualSignIns.kind, environment)
  }

  static let keyColumn = SealedColumn("sessions", "token_key")
  /// How long a proof counts as recent, in seconds.
  static let recentSeconds = 300.0

  /// Maximum number of live sessions per user; a further one ends the least recently used.
  private static let maxCount = 100

  /// - Parameter methods: How the user has proved who they are.
  func begin(
    for user: UserID, app: ClientApp, by methods: [AuthenticationMethod] = [], on clientInfo: ClientInfo,
    in tx: Transaction
  ) throws -> Session {
    let surplus = try tx.values(
      """
      SELECT id FROM sessions WHERE user_id = \(user) AND revoked_at IS NULL
      ORDER BY used_at DESC, id DESC LIMIT 10 OFFSET \(Self.maxCount - 1)
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
      revokedAt: nil,
      usedAt: tx.now,
      provedAt: tx.now,
      methods: methods
    )
    let wish = try PreferenceStore.find(user, in: tx).logOutAfterMinutes
    try tx.execute(
      """
      INSERT INTO sessions
        (id, user_id, app, token_key, generation, rotated_at, created_at, used_at, ends_at, device, device_model,
         app_version, address, proved_at, methods)
      VALUES (\(session.id), \(user), \(app), \(keys.seal(session.tokenKey, in: Self.keyColumn, row: session.id.rawValue)),
              \(session.generation), \(tx.now), \(tx.now), \(tx.now), \(limits.narrowed(to: wish).end(after: tx.now)),
              \(clientInfo.device), \(clientInfo.deviceModel), \(clientInfo.appVersion), \(clientInfo.network),
              \(tx.now), \(words: methods))
      """
    )
    if try places.record(clientInfo, of: user, in: tx) == .unusual {
      let signIn = UnusualSignIn(
        session: session.id, device: clientInfo.shownDeviceName, network: clientInfo.network, at: tx.now)
      try unusualSignIns.add(signIn, person: user, in: tx)
    }
    try tx.audit(
      "session.begun",
      object: "session:\(session.id)",
      by: .user(user, session: session.id, address: clientInfo.address, app: app),
      changes: [AuditChange("app", from: nil, to: app.rawValue)]
        + methods.map { AuditChange("proved", from: nil, to: $0.rawValue) }
    )
    return session
  }

  func find(_ id: SessionID, in db: any Connection) throws -> Session? {
    try db.first(
      """
      SELECT id, user_id, app, token_key, generation, rotated_at, created_at, revoked_at, used_at, address, proved_at,
        methods
      FROM sessions WHERE id = \(id)
      """
    ) { row in
      Session(
        id: try row["id"], userID: try row["user_id"], app: try row["app"],
        tokenKey: try keys.open(try row["token_key"], in: Self.keyColumn, row: id.rawValue),
        generation: try row["generation"],
        rotatedAt: try row["rotated_at"], createdAt: try row["created_at"], revokedAt: try row["revoked_at"],
        usedAt: try row["used_at"], network: try row["address"],
        provedAt: try row["proved_at"], methods: try row[words: "methods"]
      )
    }
  }

  static func isLive(_ id: SessionID, of user: UserID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM sessions WHERE id = \(id) AND user_id = \(user) AND revoked_at IS NULL")
  }

  /// Requires that the user has proved who they are recently (``RecentProof``), unless the request itself is a proof. A
  /// session of a protected account has proved it only with a second factor.
  /// - Throws: ``Problem`` 403 when the proof is not recent, 401 when the session has ended.
  func requireRecent(_ id: SessionID, of user: UserID, unless hasProof: Bool, in tx: Transaction) throws {
    guard let session = try find(id, in: tx), session.userID == user, session.revokedAt == nil else {
      throw Problem(.sessionRevoked)
    }
    guard hasProof || tx.now.seconds(since: session.provedAt) <= Self.recentSeconds else {
      throw Problem(.recentSignInRequired)
    }
    if !hasProof, !session.methods.contains(.multipleFactors), try FactorState(of: user, in: tx).isProtected {
      throw Problem(.recentSignInRequired)
    }
  }

  /// Notes that the user has proved who they are again.
  func prove(_ id: SessionID, by methods: [AuthenticationMethod], in tx: Transaction) throws -> Session {
    guard var session = try find(id, in: tx), session.revokedAt == nil else { throw Problem(.sessionRevoked) }
    let known = Set(session.methods + methods)
    session.provedAt = tx.now
    session.methods = AuthenticationMethod.allCases.filter { known.contains($0) }
    try tx.execute(
      "UPDATE sessions SET proved_at = \(tx.now), methods = \(words: session.methods) WHERE id = \(id)")
    return session
  }

  /// A user's live sessions that have proved a second factor.
  static func proved(of user: UserID, in db: any Connection) throws -> [SessionID] {
    try db.values("SELECT id FROM sessions WHERE user_id = \(user) AND revoked_at IS NULL AND methods LIKE '%mfa%'")
  }

  /// Forgets the second factors that a user's sessions have proved.
  static func forgetFactors(of user: UserID, in tx: Transaction) throws {
    try tx.execute("UPDATE sessions SET methods = '' WHERE user_id = \(user) AND methods LIKE '%mfa%'")
  }

  /// Moves a session to its next generation.
  ///
  /// - Parameter limits: Those that apply to its user now.
  func rotate(_ session: Session, _ limits: SessionLimits, on clientInfo: ClientInfo, in tx: Transaction) throws
    -> Session
  {
    var next = session
    next.generation += 1
    next.rotatedAt = tx.now
    next.usedAt = tx.now
    next.network = clientInfo.network
    try tx.execute(
      """
      UPDATE sessions SET generation = \(next.generation), rotated_at = \(tx.now), used_at = \(tx.now),
        ends_at = \(limits.end(after: tx.now)), device = \(clientInfo.device),
        device_model = \(clientInfo.deviceModel), app_version = \(clientInfo.appVersion), address = \(next.network)
      WHERE id = \(session.id)
      """
    )
    if next.network != session.network { try places.record(network: clientInfo, of: session.userID, in: tx) }
    return next
  }

  /// Notes that a session is used, whose refresh token stays as it is.
  ///
  /// - Parameter limits: Those that apply to its user now.
  func keep(_ session: Session, _ limits: SessionLimits, in tx: Transaction) throws -> Session {
    var kept = session
    (kept.rotatedAt, kept.usedAt) = (tx.now, tx.now)
    try tx.execute(
      """
      UPDATE sessions SET rotated_at = \(tx.now), used_at = \(tx.now), ends_at = \(limits.end(after: tx.now))
      WHERE id = \(session.id)
      """
    )
    return kept
  }

  /// A user's live sessions, most recently used first.
  func list(of user: UserID, current: SessionID, at now: Timestamp, in db: any Connection) throws -> [SessionInfo] {
    try db.all(
      """
      SELECT id, app, device, device_model, app_version, address, created_at, used_at FROM sessions
      WHERE user_id = \(user) AND revoked_at IS NULL AND ends_at >= \(now) ORDER BY used_at DESC LIMIT 1000
      """
    ) { row in
      let id: SessionID = try row["id"]
      let device: String? = try row["device"]
      return SessionInfo(
        id: id, app: try row["app"], device: device, deviceName: device.flatMap { DeviceName.of($0) },
        deviceModel: try row["device_model"], appVersion: try row["app_version"], address: try row["address"],
        createdAt: try row["created_at"], lastUsedAt: try row["used_at"], isCurrent: id == current
      )
    }
  }

  // MARK: use

  /// Records a use that a service reports; sessions that have ended stay ended.
  static func record(_ use: SessionUse, in tx: Transaction) throws {
    let usedAt = min(use.usedAt, tx.now)
    try tx.executeLater(
      """
      UPDATE sessions SET ends_at = ends_at + (\(usedAt) - used_at), used_at = \(usedAt)
      WHERE id = \(use.session) AND revoked_at IS NULL AND used_at < \(usedAt)
      """
    )
  }

  /// Applies another limit of a user to the user's sessions.
  func apply(_ wish: InactivityMinutes?, to user: UserID, in tx: Transaction) throws {
    let length = Self.length(limits.narrowed(to: wish))
    try tx.execute(
      "UPDATE sessions SET ends_at = used_at + \(length) WHERE user_id = \(user) AND revoked_at IS NULL"
    )
  }

  /// Microseconds from the last use of a session to its end.
  private static func length(_ limits: SessionLimits) -> Int64 {
    limits.end(after: Timestamp(microseconds: 0)).microseconds
  }

  /// Sessions, in the order of their ids, that would end later than the platform allows: they began when it allowed more.
  func listTooLong(after id: SessionID?, limit: Int, in db: any Connection) throws -> [SessionID] {
    let condition = SQL.and(
      "revoked_at IS NULL AND ends_at > used_at + \(Self.length(limits))", id.map { "id > \($0)" })
    return try db.values("SELECT id FROM sessions WHERE \(condition) ORDER BY id LIMIT \(limit)")
  }

  /// Applies the platform's limit to sessions that would end later.
  func shorten(_ sessions: [SessionID], in tx: Transaction) throws {
    let length = Self.length(limits)
    try tx.execute(
      """
      UPDATE sessions SET ends_at = used_at + \(length)
      WHERE id IN \(list: sessions) AND revoked_at IS NULL AND ends_at > used_at + \(length)
      """
    )
  }

  /// Sessions that seem to have been unused for too long, the longest first.
  static func listUnused(at now: Timestamp, limit: Int, in db: any Connection) throws -> [(id: SessionID, user: UserID)]
  {
    try db.all(
      """
      SELECT id, user_id FROM sessions WHERE revoked_at IS NULL AND ends_at < \(now) ORDER BY ends_at LIMIT \(limit)
      """
    ) { row in (try row["id"], try row["user_id"]) }
  }

  /// Ends a session that has been unused for longer than its user and the platform allow; otherwise it is due later.
  func endIfUnused(_ id: SessionID, of user: UserID, in tx: Transaction) throws {
    guard let session = try find(id, in: tx), session.revokedAt == nil else { return }
    let wish = try PreferenceStore.find(user, in: tx).logOutAfterMinutes
    let end = limits.narrowed(to: wish).end(after: session.usedAt)
    if end < Self.forgotten(at: tx.now) {
      try Self.endForgotten([id], in: tx)
    } else if end < tx.now {
      try Self.end(.one(id), of: user, .inactive, by: AuditActor("service:auth"), in: tx)
    } else {
      try tx.execute("UPDATE sessions SET ends_at = \(end) WHERE id = \(id)")
    }
  }

  // MARK: forgotten sessions

  /// Sessions that ended before this have no token that could be accepted.
  private static func forgotten(at now: Timestamp) -> Timestamp {
    now.advanced(bySeconds: -TokenVerifier.maxLifetime)
  }

  /// Sessions that have been unused for so long that they should have ended more than an access token's life ago,
  /// whatever their users have chosen.
  func listForgotten(at now: Timestamp, limit: Int, in db: any Connection) throws -> [SessionID] {
    let moment = Self.forgotten(at: now)
    let use = moment.microseconds - Self.length(limits)
    return try db.values(
      """
      SELECT id FROM sessions
      WHERE revoked_at IS NULL AND ends_at < \(moment) AND used_at < \(use)
      ORDER BY ends_at LIMIT \(limit)
      """
    )
  }

  /// Ends sessions of which no token is valid any more. No one needs to learn of them, and a platform that has not
  /// looked for a long time may have very many.
  static func endForgotten(_ sessions: [SessionID], in tx: Transaction) throws {
    try tx.execute("UPDATE sessions SET revoked_at = \(tx.now) WHERE id IN \(list: sessions) AND revoked_at IS NULL")
    try DeviceStore.delete(of: sessions, in: tx)
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
    // A sign-in that waits for its second factor ends too.
    if case .one = which {} else { try FactorTicketStore.delete(of: user, in: tx) }
    return ended.count
  }

  /// Refuses the tokens of a session that is not stored here, such as that of a registered client.
  static func revoke(_ id: SessionID, in tx: Transaction) throws {
    try tx.execute("INSERT INTO revoked_sessions (id, revoked_at) VALUES (\(id), \(tx.now)) ON CONFLICT DO NOTHING")
  }

  enum Selection {
    case one(SessionID)
    case allBut(SessionID)
    case all
  }

  /// A position among the sessions that have ended.
  struct EndedCursor: PageCursor {
    var revokedAt: Int64
    var id: String

    init(revokedAt: Timestamp, id: String) { (self.revokedAt, self.id) = (revokedAt.microseconds, id) }

    init?(cursor: String) {
      let parts = cursor.split(separator: "_", maxSplits: 1)
      guard parts.count == 2, let revokedAt = Int64(parts[0]) else { return nil }
      self.init(revokedAt: Timestamp(microseconds: revokedAt), id: String(parts[1]))
    }

    var cursor: String { "\(revokedAt)_\(id)" }
  }

  /// Sessions that ended after a position, in the order of their end.
  static func listRevoked(after cursor: EndedCursor, limit: Int, in db: any Connection) throws
    -> (items: [RevokedSession], last: EndedCursor?)
  {
    let items = try db.all(
      """
      SELECT id, revoked_at FROM revoked_sessions WHERE (revoked_at, id) > (\(cursor.revokedAt), \(cursor.id))
      ORDER BY revoked_at, id LIMIT \(limit)
      """
    ) { row in RevokedSession(id: try row["id"], revokedAt: try row["revoked_at"]) }
    return (items, items.last.map { EndedCursor(revokedAt: $0.revokedAt, id: $0.id.rawValue) })
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
