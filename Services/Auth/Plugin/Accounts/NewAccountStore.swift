import Contracts
import Persistence
import ServiceKit

/// Accounts that have been made without proving anything, and have not been used since.
enum NewAccountStore {
  /// A use within this time of the sign-up is that of the sign-up, in microseconds.
  private static let signUpLength: Int64 = 3600 * 1_000_000

  private static var isUsed: SQL {
    """
    EXISTS (SELECT 1 FROM sessions WHERE sessions.user_id = new_accounts.user_id
      AND sessions.rotated_at >= new_accounts.created_at + \(signUpLength))
    """
  }

  static func add(_ user: UserID, in tx: Transaction) throws {
    try tx.execute(
      "INSERT INTO new_accounts (user_id, created_at) VALUES (\(user), \(tx.now)) ON CONFLICT DO NOTHING")
  }

  static func delete(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM new_accounts WHERE user_id = \(user)")
  }

  /// The accounts that have been signed in to, or have refreshed their tokens, after the sign-up, in the order of their
  /// ids.
  static func used(after id: UserID?, limit: Int, in db: any Connection) throws -> [UserID] {
    let filter = SQL.and(isUsed, id.map { "user_id > \($0)" })
    return try db.values("SELECT user_id FROM new_accounts WHERE \(filter) ORDER BY user_id LIMIT \(limit)")
  }

  /// Forgets those that have been used, which is looked up again.
  ///
  /// - Returns: How many.
  static func deleteUsed(among ids: [UserID], in tx: Transaction) throws -> Int {
    guard !ids.isEmpty else { return 0 }
    return try tx.execute("DELETE FROM new_accounts WHERE user_id IN \(list: ids) AND \(isUsed)")
  }

  /// The accounts that have not been used since a moment before which they were made, in the order of their ids.
  static func unused(since moment: Timestamp, after id: UserID?, limit: Int, in db: any Connection) throws -> [UserID] {
    let filter = SQL.and("created_at < \(moment) AND NOT \(isUsed)", id.map { "user_id > \($0)" })
    return try db.values("SELECT user_id FROM new_accounts WHERE \(filter) ORDER BY user_id LIMIT \(limit)")
  }
}

/// The personal data of ``NewAccountStore``, which is the time of the sign-up.
struct NewAccounts: Feature {
  func erase(_ user: UserID, in tx: Transaction) throws { try NewAccountStore.delete(user, in: tx) }
}
