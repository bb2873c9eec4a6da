import Contracts
import Persistence

/// Accounts in the database.
enum AccountStore {
  static func find(_ id: UserID, in db: any Connection) throws -> Account? {
    try db.first("SELECT \(columns) FROM users WHERE id = \(id)") { try decode($0) }
  }

  /// The account of a login name and its password hash.
  static func find(login: String, in db: any Connection) throws -> (account: Account, hash: String)? {
    let name = login.lowercased()
    let condition: SQL = name.contains("@") ? "email = \(name)" : "username = \(name)"
    return try db.first("SELECT \(columns), password_hash FROM users WHERE \(condition)") { row in
      (try decode(row), try row[8])
    }
  }

  private static let columns: SQL = "id, email, username, display_name, bio, roles, created_at, version"

  private static func decode(_ row: any Row) throws -> Account {
    let roles: String = try row[5]
    return Account(
      id: try row[0],
      email: try row[1],
      username: try row[2],
      displayName: try row[3],
      bio: try row[4],
      roles: roles.split(separator: " ").compactMap { Role(rawValue: String($0)) },
      createdAt: try row[6],
      version: try row[7]
    )
  }
}
