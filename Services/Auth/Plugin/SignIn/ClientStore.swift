import Contracts
import Persistence

/// A registered client as stored.
struct StoredClient: Sendable {
  var id: UserID
  var secretHash: String
  var scopes: [Scope]
  var roles: [Role]
}

enum ClientStore {
  static func find(_ id: UserID, in db: any Connection) throws -> StoredClient? {
    try db.first("SELECT secret_hash, scopes, roles FROM clients WHERE id = \(id)") { row in
      StoredClient(
        id: id, secretHash: try row["secret_hash"],
        scopes: try row[words: "scopes"], roles: try row[words: "roles"]
      )
    }
  }

  static func insert(_ client: StoredClient, name: String, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO clients (id, name, secret_hash, scopes, roles, created_at)
      VALUES (\(client.id), \(name), \(client.secretHash), \(words: client.scopes), \(words: client.roles), \(tx.now))
      """
    )
  }
}
