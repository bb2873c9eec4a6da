import Contracts
import Persistence
import ServiceKit

/// The devices and networks from which accounts have signed in, as keyed hashes that differ between accounts.
struct KnownPlaceStore: Sendable {
  let keys: DataKeys

  /// How many devices and networks an account may have; of more, the least recently used are forgotten.
  private static let maxCount = 60

  enum Verdict: Equatable {
    /// The account has not signed in before, as far as is known.
    case first
    case usual
    case unusual
  }

  /// Remembers where a user signs in.
  func record(_ client: ClientInfo, of user: UserID, in tx: Transaction) throws -> Verdict {
    let known: [String] = try tx.values("SELECT lookup FROM known_places WHERE user_id = \(user)")
    let places = [lookup("device", client.deviceName, of: user), lookup("network", client.network, of: user)]
    for place in places { try save(place, of: user, in: tx) }
    if known.count + places.count > Self.maxCount { try forget(user, in: tx) }
    if known.isEmpty { return .first }
    return places.allSatisfy { known.contains($0) } ? .usual : .unusual
  }

  /// Remembers where a session is used from: a refresh proves more than a password.
  func record(network client: ClientInfo, of user: UserID, in tx: Transaction) throws {
    // The device would still be unknown to an account that has signed in before places were remembered.
    guard try tx.exists("SELECT 1 FROM known_places WHERE user_id = \(user) LIMIT 1") else { return }
    try save(lookup("network", client.network, of: user), of: user, in: tx)
  }

  private func save(_ lookup: String, of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO known_places (user_id, lookup, first_at, last_at)
      VALUES (\(user), \(lookup), \(tx.now), \(tx.now))
      ON CONFLICT (user_id, lookup) DO UPDATE SET last_at = excluded.last_at
      """
    )
  }

  private func forget(_ user: UserID, in tx: Transaction) throws {
    let surplus: [String] = try tx.values(
      """
      SELECT lookup FROM known_places WHERE user_id = \(user) ORDER BY last_at DESC, lookup
      LIMIT 100 OFFSET \(Self.maxCount)
      """)
    for lookup in surplus {
      try tx.execute("DELETE FROM known_places WHERE user_id = \(user) AND lookup = \(lookup)")
    }
  }

  private func lookup(_ kind: String, _ text: String?, of user: UserID) -> String {
    keys.lookup("\(kind) \(user) \(text ?? "")", for: "known_places")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM known_places WHERE user_id = \(user)")
  }

  /// Forgets the places that were new at a moment or later.
  static func delete(of user: UserID, since moment: Timestamp, in tx: Transaction) throws {
    try tx.execute("DELETE FROM known_places WHERE user_id = \(user) AND first_at >= \(moment)")
  }

  static func delete(unusedSince moment: Timestamp, in tx: Transaction) throws {
    try tx.execute("DELETE FROM known_places WHERE last_at < \(moment)")
  }
}
