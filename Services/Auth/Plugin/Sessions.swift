import Contracts
import Foundation
import Persistence

/// A signed-in device.
struct Session: Sendable {
  var id: SessionID
  var userID: UserID
  var app: ClientApp
  /// Proves refresh tokens; never leaves the service.
  var tokenKey: [UInt8]
  var generation: Int64
  var rotatedAt: Timestamp
  var createdAt: Timestamp
  var revokedAt: Timestamp?

  var refreshToken: RefreshToken { RefreshToken(session: id, generation: generation) }
}

/// How long sessions and their tokens last, in seconds.
struct SessionLimits: Sendable {
  var reuseSeconds: Double
  var idleSeconds: Double
  var absoluteSeconds: Double
}

/// What to do with a refresh token.
enum RefreshDecision: Equatable {
  case rotate
  /// The answer to the last rotation may have got lost: answer it again.
  case repeatSuccessor
  /// A token older than that was copied by someone.
  case revoke
  case refuse

  /// The rule by itself; generations are integers, so that two rotations in one instant differ.
  static func of(_ presented: Int64, for session: Session, at now: Timestamp, _ limits: SessionLimits)
    -> RefreshDecision
  {
    let isOver =
      session.revokedAt != nil
      || now.seconds(since: session.rotatedAt) > limits.idleSeconds
      || now.seconds(since: session.createdAt) > limits.absoluteSeconds
    if isOver || presented > session.generation { return .refuse }
    if presented == session.generation { return .rotate }
    let isRecent = now.seconds(since: session.rotatedAt) <= limits.reuseSeconds
    return presented == session.generation - 1 && isRecent && limits.reuseSeconds > 0 ? .repeatSuccessor : .revoke
  }
}

/// Sessions in the database; every function runs inside a caller's transaction.
struct Sessions: Sendable {
  let ids: IDGenerator
  let limits: SessionLimits

  func begin(for user: UserID, app: ClientApp, in tx: Transaction) throws -> Session {
    let session = Session(
      id: ids.make(),
      userID: user,
      app: app,
      tokenKey: (0..<32).map { _ in UInt8.random(in: 0...255) },
      generation: 1,
      rotatedAt: tx.now,
      createdAt: tx.now,
      revokedAt: nil
    )
    try tx.execute(
      """
      INSERT INTO sessions (id, user_id, app, token_key, generation, rotated_at, created_at)
      VALUES (\(session.id), \(user), \(app.rawValue), \(Data(session.tokenKey).base64EncodedString()),
              \(session.generation), \(tx.now), \(tx.now))
      """
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
        id: try row[0],
        userID: try row[1],
        app: ClientApp(rawValue: try row[2]) ?? .web,
        tokenKey: Array(Data(base64Encoded: try row[3] as String) ?? Data()),
        generation: try row[4],
        rotatedAt: try row[5],
        createdAt: try row[6],
        revokedAt: try row[7]
      )
    }
  }

  /// Moves a session to its next generation.
  func rotate(_ session: Session, in tx: Transaction) throws -> Session {
    var next = session
    next.generation += 1
    next.rotatedAt = tx.now
    try tx.execute(
      "UPDATE sessions SET generation = \(next.generation), rotated_at = \(tx.now) WHERE id = \(session.id)"
    )
    return next
  }

  /// Ends a session and tells it.
  static func revoke(_ id: SessionID, of user: UserID, _ reason: SessionEnded.Reason, in tx: Transaction) throws {
    let changed = try tx.execute(
      "UPDATE sessions SET revoked_at = \(tx.now) WHERE id = \(id) AND user_id = \(user) AND revoked_at IS NULL"
    )
    if changed > 0 { try tx.record(SessionEnded(sessionID: id, userID: user, reason: reason)) }
  }
}
