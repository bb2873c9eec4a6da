import Contracts
import Persistence
import ServiceKit

/// The devices that receive a user's push notifications.
struct Devices: Feature {
  let database: any Database
  let keys: DataKeys

  static let tokenColumn = SealedColumn("devices", "token")

  struct Device: Sendable {
    var id: DeviceID
    var app: ClientApp
    var token: String
  }

  init(_ core: AuthCore) { (database, keys) = (core.database, core.environment.dataKeys) }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.PutDevice.self) { request, call in try await put(request.id, request.apnsToken, of: call.user) }
    routes.on(AuthAPI.DeleteDevice.self) { request, call in try await delete(request.id, of: call.user.id) }
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
  func erase(_ id: DeviceID) async throws {
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

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let devices = try db.all("SELECT id, app, updated_at FROM devices WHERE user_id = \(user) ORDER BY id") {
      row -> JSONValue in
      [
        "id": .string(try row["id"]), "app": .string(try row["app"]),
        "since": try JSONValue(row["updated_at"] as Timestamp),
      ]
    }
    return [("devices", .array(devices))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM devices WHERE user_id = \(user)")
  }
}
