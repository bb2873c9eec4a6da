import Contracts
import Persistence
import ServiceKit

/// The devices that receive a user's push notifications.
struct Devices: Sendable {
  let database: any Database
  let keys: DataKeys

  static let tokenColumn = SealedColumn("devices", "token")

  struct Device: Sendable {
    var id: DeviceID
    var app: ClientApp
    var token: String
  }

  /// A token belongs to one installation: the latest registration replaces earlier ones.
  func put(_ id: DeviceID, _ token: PushToken, of user: UserCaller) async throws {
    let lookup = keys.lookup(token.rawValue, for: "devices.token")
    let sealed = try keys.seal(Array(token.rawValue.utf8), in: Self.tokenColumn, row: id.rawValue)
    try await database.write { tx in
      let session = try tx.value(
        "SELECT id FROM sessions WHERE id = \(user.sessionID) AND user_id = \(user.id) AND revoked_at IS NULL",
        as: SessionID.self
      )
      guard session != nil else { throw Problem(.sessionRevoked) }
      try tx.execute("DELETE FROM devices WHERE (token_lookup = \(lookup) OR id = \(id))")
      try tx.execute(
        """
        INSERT INTO devices (id, user_id, session_id, app, token, token_lookup, updated_at)
        VALUES (\(id), \(user.id), \(user.sessionID), \(user.app), \(sealed), \(lookup), \(tx.now))
        """
      )
    }
  }

  func delete(_ id: DeviceID, of user: UserID) async throws {
    try await database.write { tx in try tx.execute("DELETE FROM devices WHERE id = \(id) AND user_id = \(user)") }
  }

  /// Deletes a device whose installation is gone, as reported by the push service.
  func forget(_ id: DeviceID) async throws {
    try await database.write { tx in try tx.execute("DELETE FROM devices WHERE id = \(id)") }
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

  func find(_ id: DeviceID) async throws -> Device? {
    try await database.read { [keys] db in
      try db.first("SELECT app, token FROM devices WHERE id = \(id)") { row in
        let token = try keys.open(try row["token"], in: Self.tokenColumn, row: id.rawValue)
        return Device(
          id: id,
          app: try row["app"],
          token: String(decoding: token, as: UTF8.self)
        )
      }
    }
  }
}
