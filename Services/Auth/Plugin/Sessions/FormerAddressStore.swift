import Contracts
import Persistence
import ServiceKit

/// The verified addresses that accounts had before they were changed, as long as a sign-in can be denied: whoever has
/// signed in as someone else must not keep the account by giving it another address.
struct FormerAddressStore: Sendable {
  let keys: DataKeys

  static let addressColumn = SealedColumn("former_addresses", "address")
  /// How long an address is kept, in seconds.
  static let lifetime = UnusualSignIns.lifetime

  /// How long an address can be restored, in seconds: whoever reads a mailbox that its owner has given up must not get the
  /// account by a report that went there before.
  static let restorableSeconds = 3 * 86_400.0

  /// - Parameter session: That changes the address; `nil` when it is changed without one.
  func add(_ address: String, of user: UserID, in session: Session?, in tx: Transaction) throws {
    let id = Base64URL.encode(SecureBytes.random(16))
    let isProved = session?.methods.contains(.multipleFactors) == true
    let factorAt = isProved ? try FactorState.oldest(of: user, in: tx) : nil
    try tx.execute(
      """
      INSERT INTO former_addresses (id, user_id, address, changed_at, session_at, factor_at)
      VALUES (\(id), \(user), \(keys.seal(Array(address.utf8), in: Self.addressColumn, row: id)), \(tx.now),
              \(session?.createdAt ?? tx.now), \(factorAt))
      """
    )
  }

  /// The address that an account had at a sign-in, if it has been changed since by that or a later session, a short time
  /// ago. Sessions from before are the owner's, and so are those that have proved a factor from before.
  func find(at signIn: Timestamp, of user: UserID, in tx: Transaction) throws -> String? {
    let start = SignInUndo.start(of: signIn)
    let found = try tx.first(
      """
      SELECT id, address FROM former_addresses
      WHERE user_id = \(user) AND changed_at >= \(start) AND session_at >= \(start)
        AND changed_at > \(tx.now.advanced(bySeconds: -Self.restorableSeconds))
        AND (factor_at IS NULL OR factor_at >= \(start))
      ORDER BY changed_at, id LIMIT 1
      """
    ) { row -> (id: String, address: String) in (try row["id"], try row["address"]) }
    guard let found else { return nil }
    return String(decoding: try keys.open(found.address, in: Self.addressColumn, row: found.id), as: UTF8.self)
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM former_addresses WHERE user_id = \(user)")
  }

  /// Deletes those that were changed at a moment or later.
  static func delete(of user: UserID, since moment: Timestamp, in tx: Transaction) throws {
    try tx.execute("DELETE FROM former_addresses WHERE user_id = \(user) AND changed_at >= \(moment)")
  }

  static func deleteExpired(in tx: Transaction) throws {
    try tx.execute("DELETE FROM former_addresses WHERE changed_at < \(tx.now.advanced(bySeconds: -lifetime))")
  }
}
