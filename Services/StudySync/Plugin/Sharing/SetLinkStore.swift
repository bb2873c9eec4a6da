import Contracts
import Persistence
import ServiceKit

/// Links by which sets are shared. Their tokens are stored as keyed hashes.
struct SetLinkStore: Sendable {
  struct Stored: Sendable {
    var link: SetLink
    var set: StudySetID
  }

  let keys: DataKeys

  /// The link of a token, unless it has expired.
  func find(_ token: SetLinkToken, at now: Timestamp, in db: any Connection) throws -> Stored? {
    try Self.list("token_lookup = \(lookup(token.rawValue)) AND expires_at > \(now)", in: db).first
  }

  /// The links of a set that have not expired.
  static func list(of set: StudySetID, at now: Timestamp, in db: any Connection) throws -> [SetLink] {
    try list("set_id = \(set) AND expires_at > \(now)", in: db).map(\.link)
  }

  private static func list(_ condition: SQL, in db: any Connection) throws -> [Stored] {
    try db.all(
      """
      SELECT id, set_id, role, created_at, expires_at, uses FROM set_links WHERE \(condition) ORDER BY id LIMIT 1000
      """
    ) { row in
      let link = SetLink(
        id: try row["id"], role: try row["role"], createdAt: try row["created_at"], expiresAt: try row["expires_at"],
        uses: try row["uses"])
      return Stored(link: link, set: try row["set_id"])
    }
  }

  func insert(_ link: SetLink, token: String, of set: StudySetID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO set_links (id, set_id, role, token_lookup, created_at, expires_at, uses)
      VALUES (\(link.id), \(set), \(link.role), \(lookup(token)), \(link.createdAt), \(link.expiresAt), 0)
      """
    )
  }

  static func countUse(of link: SetLinkID, in tx: Transaction) throws {
    try tx.execute("UPDATE set_links SET uses = uses + 1 WHERE id = \(link)")
  }

  static func delete(_ link: SetLinkID, of set: StudySetID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM set_links WHERE id = \(link) AND set_id = \(set)")
  }

  static func delete(of set: StudySetID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM set_links WHERE set_id = \(set)")
  }

  static func deleteExpired(in tx: Transaction) throws {
    try tx.execute("DELETE FROM set_links WHERE expires_at <= \(tx.now)")
  }

  private func lookup(_ token: String) -> String { keys.lookup(token, for: "set-link") }
}
