import Contracts
import Persistence
import ServiceKit

/// A device as stored, with the token to which push notifications are sent.
struct StoredDevice: Sendable {
  var id: DeviceID
  var app: ClientApp
  var token: String
}

struct DeviceStore: Sendable {
  let keys: DataKeys

  static let tokenColumn = SealedColumn("devices", "token")

  func find(_ id: DeviceID, in db: any Connection) throws -> StoredDevice? {
    try db.first("SELECT app, token FROM devices WHERE id = \(id)") { row in
      let token = try keys.open(try row["token"], in: Self.tokenColumn, row: id.rawValue)
      return StoredDevice(id: id, app: try row["app"], token: String(decoding: token, as: UTF8.self))
    }
  }

  /// Devices whose sessions have neither ended nor expired.
  static func ids(of user: UserID, usedSince moment: Timestamp, in db: any Connection) throws -> [DeviceID] {
    try db.values(
      """
      SELECT d.id FROM devices d JOIN sessions s ON s.id = d.session_id
      WHERE d.user_id = \(user) AND s.revoked_at IS NULL AND s.rotated_at >= \(moment) ORDER BY d.id LIMIT 100
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

  /// A token belongs to one installation: the latest registration replaces earlier ones.
  func replace(_ id: DeviceID, _ token: PushToken, of user: UserCaller, in tx: Transaction) throws {
    let lookup = keys.lookup(token.rawValue, for: "devices.token")
    let sealed = try keys.seal(Array(token.rawValue.utf8), in: Self.tokenColumn, row: id.rawValue)
    try tx.execute("DELETE FROM devices WHERE (token_lookup = \(lookup) OR id = \(id))")
    try tx.execute(
      """
      INSERT INTO devices (id, user_id, session_id, app, token, token_lookup, updated_at)
      VALUES (\(id), \(user.id), \(user.sessionID), \(user.app), \(sealed), \(lookup), \(tx.now))
      """
    )
  }

  static func delete(_ id: DeviceID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM devices WHERE id = \(id)")
  }

  static func delete(_ id: DeviceID, of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM devices WHERE id = \(id) AND user_id = \(user)")
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
