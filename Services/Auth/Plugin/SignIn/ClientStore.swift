import Contracts
import Persistence

/// A registered client as stored.
struct StoredClient: Sendable {
  var id: UserID
  var name: String
  var secretHash: String
  /// Named by its tokens instead of a session; another one after each change that ends them.
  var session: SessionID
  var scopes: [Scope]
  var roles: [Role]
  var createdAt: Timestamp
  var disabledAt: Timestamp?

  var object: String { "client:\(id)" }
}

enum ClientStore {
  static func find(_ id: UserID, in db: any Connection) throws -> StoredClient? {
    try db.first("SELECT \(columns) FROM clients WHERE id = \(id)") { try decode($0) }
  }

  static func find(name: String, in db: any Connection) throws -> StoredClient? {
    try db.first("SELECT \(columns) FROM clients WHERE name = \(name)") { try decode($0) }
  }

  /// In the order of their names.
  static func list(in db: any Connection) throws -> [StoredClient] {
    try db.all("SELECT \(columns) FROM clients ORDER BY name") { try decode($0) }
  }

  private static let columns: SQL =
    "id, name, secret_hash, session_id, scopes, roles, created_at, disabled_at"

  private static func decode(_ row: Row) throws -> StoredClient {
    StoredClient(
      id: try row["id"], name: try row["name"], secretHash: try row["secret_hash"], session: try row["session_id"],
      scopes: try row[words: "scopes"], roles: try row[words: "roles"], createdAt: try row["created_at"],
      disabledAt: try row["disabled_at"]
    )
  }

  static func insert(_ client: StoredClient, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO clients (id, name, secret_hash, session_id, scopes, roles, created_at)
      VALUES (\(client.id), \(client.name), \(client.secretHash), \(client.session), \(words: client.scopes),
              \(words: client.roles), \(client.createdAt))
      """
    )
  }

  static func update(_ client: StoredClient, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE clients SET secret_hash = \(client.secretHash), session_id = \(client.session),
        disabled_at = \(client.disabledAt)
      WHERE id = \(client.id)
      """
    )
  }
}
