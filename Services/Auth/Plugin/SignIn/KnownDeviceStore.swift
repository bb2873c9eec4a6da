import Contracts
import Crypto
import Persistence
import ServiceKit

/// Devices that have signed in to an account: each keeps a secret, of which the hash is stored.
enum KnownDeviceStore {
  /// Devices of an account; a further one replaces the one that was not used for the longest time. Each may guess
  /// passwords on its own, so this bounds what someone who once knew the password can try later.
  private static let maxCount = 20

  /// A device as stored.
  struct Device: Sendable {
    var hash: String
    var userID: UserID
  }

  static func find(_ secret: String?, in db: any Connection) throws -> Device? {
    guard let secret, secret.utf8.count <= 100 else { return nil }
    let hash = hash(secret)
    let user = try db.value("SELECT user_id FROM known_devices WHERE hash = \(hash)", as: UserID.self)
    return user.map { Device(hash: hash, userID: $0) }
  }

  /// The device, if it is the user's.
  static func find(_ secret: String?, of user: UserID?, in db: any Connection) throws -> Device? {
    try find(secret, in: db).flatMap { $0.userID == user ? $0 : nil }
  }

  /// Notes that a device has signed in to an account.
  ///
  /// - Parameter secret: That of the device, if it has one.
  /// - Returns: The secret that the device keeps: the same if it is this account's, otherwise a new one.
  static func remember(_ secret: String?, of user: UserID, in tx: Transaction) throws -> String {
    if let secret, let known = try find(secret, in: tx), known.userID == user {
      try tx.execute("UPDATE known_devices SET used_at = \(tx.now) WHERE hash = \(known.hash)")
      return secret
    }
    let fresh = Base64URL.encode(SecureBytes.random(32))
    let surplus = try tx.values(
      "SELECT hash FROM known_devices WHERE user_id = \(user) ORDER BY used_at DESC LIMIT 100 OFFSET \(maxCount - 1)",
      as: String.self
    )
    try tx.execute("DELETE FROM known_devices WHERE hash IN \(list: surplus)")
    try tx.execute(
      """
      INSERT INTO known_devices (hash, user_id, created_at, used_at)
      VALUES (\(hash(fresh)), \(user), \(tx.now), \(tx.now))
      """
    )
    return fresh
  }

  /// An account's devices, for the data export.
  static func list(of user: UserID, in db: any Connection) throws -> [JSONValue] {
    try db.all("SELECT created_at, used_at FROM known_devices WHERE user_id = \(user) ORDER BY used_at DESC") { row in
      [
        "since": try JSONValue(row["created_at"] as Timestamp),
        "lastSignInAt": try JSONValue(row["used_at"] as Timestamp),
      ]
    }
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM known_devices WHERE user_id = \(user)")
  }

  static func delete(unusedSince moment: Timestamp, in tx: Transaction) throws {
    try tx.execute("DELETE FROM known_devices WHERE used_at < \(moment)")
  }

  /// The secret has 256 random bits, so a fast hash is sufficient.
  private static func hash(_ secret: String) -> String { Base64URL.encode(SHA256.hash(data: Array(secret.utf8))) }
}

/// The personal data of ``KnownDeviceStore``.
struct KnownDevices: Feature {
  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("knownDevices", .array(try KnownDeviceStore.list(of: user, in: db)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try KnownDeviceStore.delete(of: user, in: tx) }
}
