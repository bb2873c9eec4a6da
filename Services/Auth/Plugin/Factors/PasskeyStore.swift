import Contracts
import Persistence
import ServiceKit

/// A passkey as stored.
struct StoredPasskey: Sendable {
  var passkey: Passkey
  var userID: UserID
  /// The id that the authenticator gave it, in base64url.
  var credential: String
  var key: PasskeyKey
  var signCount: Int64
  var isBackupEligible: Bool
  var transports: [String]

  var id: PasskeyID { passkey.id }
  var object: String { "passkey:\(passkey.id)" }

  var descriptor: PasskeyDescriptor {
    PasskeyDescriptor(id: WebAuthnBytes(checked: credential), transports: transports.isEmpty ? nil : transports)
  }
}

struct PasskeyStore: Sendable {
  let keys: DataKeys

  static let nameColumn = SealedColumn("passkeys", "name")
  /// The maximum number of passkeys of one account.
  static let maxCount = 20

  private static let columns: SQL = """
    id, user_id, credential, algorithm, public_key, sign_count, is_backup_eligible, is_backed_up, transports, name,
    created_at, last_used_at, distrusted_at
    """

  func find(credential: String, in db: any Connection) throws -> StoredPasskey? {
    try db.first("SELECT \(Self.columns) FROM passkeys WHERE credential = \(credential)") { try decode($0) }
  }

  func find(_ id: PasskeyID, of user: UserID, in db: any Connection) throws -> StoredPasskey {
    let found = try db.first("SELECT \(Self.columns) FROM passkeys WHERE id = \(id) AND user_id = \(user)") {
      try decode($0)
    }
    guard let found else { throw Problem(.passkeyNotFound) }
    return found
  }

  /// Newest first.
  func list(of user: UserID, in db: any Connection) throws -> [StoredPasskey] {
    try db.all(
      "SELECT \(Self.columns) FROM passkeys WHERE user_id = \(user) ORDER BY id DESC LIMIT \(Self.maxCount)"
    ) { try decode($0) }
  }

  /// How many passkeys a user has, and how many of them are accepted.
  static func count(of user: UserID, in db: any Connection) throws -> (all: Int, trusted: Int) {
    let distrusted = try db.all("SELECT distrusted_at FROM passkeys WHERE user_id = \(user) LIMIT \(maxCount)") { row in
      try row["distrusted_at"] as Timestamp?
    }
    return (distrusted.count, distrusted.count { $0 == nil })
  }

  /// Since when a user has had the first of the passkeys that are accepted.
  static func since(_ user: UserID, in db: any Connection) throws -> Timestamp? {
    try db.value(
      """
      SELECT created_at FROM passkeys WHERE user_id = \(user) AND distrusted_at IS NULL ORDER BY created_at LIMIT 1
      """)
  }

  private func decode(_ row: Row) throws -> StoredPasskey {
    let id: PasskeyID = try row["id"]
    let (code, text): (Int64, String) = (try row["algorithm"], try row["public_key"])
    guard let algorithm = PasskeyKey.Algorithm(rawValue: Int(code)), let bytes = Base64URL.decode(text) else {
      throw UnreadableKey()
    }
    let distrustedAt: Timestamp? = try row["distrusted_at"]
    let name = try keys.open(try row["name"], in: Self.nameColumn, row: id.rawValue)
    return StoredPasskey(
      passkey: Passkey(
        id: id, name: ShortText(checked: String(decoding: name, as: UTF8.self)), createdAt: try row["created_at"],
        lastUsedAt: try row["last_used_at"], isBackedUp: try row["is_backed_up"], isDistrusted: distrustedAt != nil
      ),
      userID: try row["user_id"], credential: try row["credential"], key: PasskeyKey(algorithm, bytes),
      signCount: try row["sign_count"], isBackupEligible: try row["is_backup_eligible"],
      transports: try row[words: "transports"]
    )
  }

  /// A stored public key is none.
  private struct UnreadableKey: Error {}

  // MARK: writing

  /// - Throws: ``Problem`` when the credential is registered already, by whomever.
  func insert(_ stored: StoredPasskey, in tx: Transaction) throws {
    let passkey = stored.passkey
    let inserted = try tx.execute(
      """
      INSERT INTO passkeys
        (id, user_id, credential, algorithm, public_key, sign_count, is_backup_eligible, is_backed_up, transports, name,
         created_at)
      VALUES (\(passkey.id), \(stored.userID), \(stored.credential), \(stored.key.algorithm.rawValue),
              \(Base64URL.encode(stored.key.bytes)), \(stored.signCount), \(stored.isBackupEligible),
              \(passkey.isBackedUp), \(words: stored.transports), \(seal(passkey.name, of: passkey.id)),
              \(passkey.createdAt))
      ON CONFLICT DO NOTHING
      """
    )
    guard inserted == 1 else { throw Problem(.passkeyKnown) }
  }

  static func noteUse(_ id: PasskeyID, signCount: UInt32, isBackedUp: Bool, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE passkeys SET sign_count = \(Int64(signCount)), is_backed_up = \(isBackedUp), last_used_at = \(tx.now)
      WHERE id = \(id)
      """
    )
  }

  static func distrust(_ id: PasskeyID, in tx: Transaction) throws {
    try tx.execute("UPDATE passkeys SET distrusted_at = \(tx.now) WHERE id = \(id) AND distrusted_at IS NULL")
  }

  func rename(_ id: PasskeyID, to name: ShortText, in tx: Transaction) throws {
    try tx.execute("UPDATE passkeys SET name = \(seal(name, of: id)) WHERE id = \(id)")
  }

  static func delete(_ id: PasskeyID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM passkeys WHERE id = \(id)")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM passkeys WHERE user_id = \(user)")
  }

  static func delete(of user: UserID, since moment: Timestamp, in tx: Transaction) throws -> Int {
    try tx.execute("DELETE FROM passkeys WHERE user_id = \(user) AND created_at >= \(moment)")
  }

  private func seal(_ name: ShortText, of id: PasskeyID) throws -> String {
    try keys.seal(Array(name.rawValue.utf8), in: Self.nameColumn, row: id.rawValue)
  }
}
