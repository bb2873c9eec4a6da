import Contracts
import Persistence
import ServiceKit

/// Usernames that their users have given up, kept for them for a while: otherwise someone else would take the name at once
/// and be mistaken for them, or get what they type when they sign in. Only keyed hashes are stored.
struct ReservedUsernameStore: Sendable {
  let keys: DataKeys

  private static let seconds = 30 * 86_400.0
  /// Names of one user. The first are kept, so that changing the name often neither frees a name nor collects names.
  private static let maxCount = 5

  /// Keeps a name for a user who gives it up.
  func reserve(_ username: String, for user: UserID, in tx: Transaction) throws {
    let kept = try tx.count(
      "SELECT COUNT(*) FROM reserved_usernames WHERE user_id = \(user) AND expires_at > \(tx.now)")
    guard kept < Self.maxCount else { return }
    try tx.execute(
      """
      INSERT INTO reserved_usernames (hash, user_id, expires_at)
      VALUES (\(hash(username)), \(user), \(tx.now.advanced(bySeconds: Self.seconds)))
      ON CONFLICT (hash) DO UPDATE SET user_id = excluded.user_id, expires_at = excluded.expires_at
      """
    )
  }

  /// - Throws: ``Problem`` when the name is kept for another user.
  func require(_ username: String?, for user: UserID, in tx: Transaction) throws {
    guard let username, try isReserved(username, besides: user, in: tx) else { return }
    throw Problem(.usernameTaken, errors: [.init(location: "body.username", message: "is taken")])
  }

  /// Whether the name is kept for someone, other than the user.
  func isReserved(_ username: String, besides user: UserID? = nil, in tx: Transaction) throws -> Bool {
    let owner = try tx.value(
      "SELECT user_id FROM reserved_usernames WHERE hash = \(hash(username)) AND expires_at > \(tx.now)",
      as: UserID.self)
    return owner.map { $0 != user } ?? false
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM reserved_usernames WHERE user_id = \(user)")
  }

  static func deleteExpired(in tx: Transaction) throws {
    try tx.execute("DELETE FROM reserved_usernames WHERE expires_at < \(tx.now)")
  }

  private func hash(_ username: String) -> String { keys.lookup(username.lowercased(), for: "reserved-usernames") }
}
