import Contracts
import Persistence
import ServiceKit

/// The verified addresses that accounts had before they were changed, as long as a sign-in can be denied: whoever has
/// signed in as somebody else must not keep the account by giving it another address.
struct FormerAddressStore: Sendable {
  let keys: DataKeys

  static let addressColumn = SealedColumn("former_addresses", "address")
  /// How long an address is kept, in seconds.
  static let lifetime = UnusualSignIns.lifetime

  /// - Parameter sessionAt: When the session began that changes the address; `nil` when it is changed without one.
  func add(_ address: String, of user: UserID, sessionAt: Timestamp?, in tx: Transaction) throws {
    let id = Base64URL.encode(SecureBytes.random(16))
    try tx.execute(
      """
      INSERT INTO former_addresses (id, user_id, address, changed_at, session_at)
      VALUES (\(id), \(user), \(keys.seal(Array(address.utf8), in: Self.addressColumn, row: id)), \(tx.now),
              \(sessionAt ?? tx.now))
      """
    )
  }

  /// The address that an account had at a sign-in, if it has been changed since by that or a later session: sessions
  /// from before are the owner's.
  func find(at signIn: Timestamp, of user: UserID, in db: any Connection) throws -> String? {
    let found = try db.first(
      """
      SELECT id, address FROM former_addresses
      WHERE user_id = \(user) AND changed_at >= \(signIn) AND session_at >= \(signIn)
      ORDER BY changed_at, id LIMIT 1
      """
    ) { row -> (id: String, address: String) in (try row["id"], try row["address"]) }
    guard let found else { return nil }
    return String(decoding: try keys.open(found.address, in: Self.addressColumn, row: found.id), as: UTF8.self)
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM former_addresses WHERE user_id = \(user)")
  }

  static func deleteExpired(in tx: Transaction) throws {
    try tx.execute("DELETE FROM former_addresses WHERE changed_at < \(tx.now.advanced(bySeconds: -lifetime))")
  }
}
