import Contracts
import Persistence
import ServiceKit

/// A device as stored, with the token to which push notifications are sent.
struct StoredDevice: Sendable {
  var id: DeviceID
  /// The user who is signed in there.
  var userID: UserID
  var app: ClientApp
  var token: String
}

struct DeviceStore: Sendable {
  let keys: DataKeys

  static let tokenColumn = SealedColumn("devices", "token")

  func find(_ id: DeviceID, in db: any Connection) throws -> StoredDevice? {
    try db.first("SELECT user_id, app, token FROM devices WHERE id = \(id)") { row in
      let token = try keys.open(try row["token"], in: Self.tokenColumn, row: id.rawValue)
      return StoredDevice(
        id: id, userID: try row["user_id"], app: try row["app"], token: String(decoding: token, as: UTF8.self))
    }
  }

  /// A user's devices whose sessions have neither ended nor expired.
  ///
  /// - Parameter session: The session whose devices are left out.
  static func ids(of user: UserID, sparing session: SessionID? = nil, in tx: Transaction) throws -> [DeviceID] {
    let spared = session?.rawValue ?? ""
    return try tx.values(
      """
      SELECT d.id FROM devices d JOIN sessions s ON s.id = d.session_id AND s.user_id = d.user_id
      WHERE d.user_id = \(user) AND s.id <> \(spared) AND s.revoked_at IS NULL AND s.ends_at >= \(tx.now)
      ORDER BY d.id LIMIT 100
      """
    )
  }

  /// A user's devices without their tokens, for the data export.
  static func list(of user: UserID, in db: any Connection) throws -> [JSONValue] {
    try db.all("SELECT id, app, updated_at FROM devices WHERE user_id = \(user) ORDER BY id") { row in
      [
        "id": .string(try row["id"]), "app": .string(try row["app"]),
        "since": try JSONValue(row["updated_at"] as Timestamp),
      ]
    }
  }

  /// A token belongs to one installation: the latest registration replaces earlier ones, also of the phone's former
  /// owner. The ID proves nothing, because other people may know it.
  ///
  /// - Throws: ``Problem`` 409 when another user is signed in on the device and its token is another one.
  func replace(_ id: DeviceID, _ token: PushToken, of user: UserCaller, in tx: Transaction) throws {
    let lookup = keys.lookup(token.rawValue, for: "devices.token")
    let isTaken = try tx.exists(
      """
      SELECT 1 FROM devices d JOIN sessions s ON s.id = d.session_id
      WHERE d.id = \(id) AND d.user_id <> \(user.id) AND d.token_lookup <> \(lookup) AND s.revoked_at IS NULL
        AND s.ends_at >= \(tx.now)
      """
    )
    if isTaken { throw Problem(.deviceTaken) }
    let sealed = try keys.seal(Array(token.rawValue.utf8), in: Self.tokenColumn, row: id.rawValue)
    try tx.execute("DELETE FROM devices WHERE (token_lookup = \(lookup) OR id = \(id))")
    try tx.execute(
      """
      INSERT INTO devices (id, user_id, session_id, app, token, token_lookup, updated_at)
      VALUES (\(id), \(user.id), \(user.sessionID), \(user.app), \(sealed), \(lookup), \(tx.now))
      """
    )
  }

  static func delete(_ id: DeviceID, of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM devices WHERE id = \(id) AND user_id = \(user)")
  }

  static func delete(of sessions: [SessionID], in tx: Transaction) throws {
    try tx.execute("DELETE FROM devices WHERE session_id IN \(list: sessions)")
  }

  static func delete(of session: SessionID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM devices WHERE session_id = \(session)")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM devices WHERE user_id = \(user)")
  }

  static func delete(unusedSince moment: Timestamp, in tx: Transaction) throws {
    try tx.execute("DELETE FROM devices WHERE session_id IN (SELECT id FROM sessions WHERE rotated_at < \(moment))")
  }
}
