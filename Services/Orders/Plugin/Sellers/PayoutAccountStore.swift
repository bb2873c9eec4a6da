import Contracts
import Persistence
import ServiceKit

/// The bank accounts of sellers, encrypted.
struct PayoutAccountStore: Sendable {
  let keys: DataKeys

  static let accountColumn = SealedColumn("payout_accounts", key: "user_id", "account")

  func find(of user: UserID, in db: any Connection) throws -> BankAccount? {
    let sealed = try db.value("SELECT account FROM payout_accounts WHERE user_id = \(user)", as: String.self)
    return try sealed.map {
      try WireJSON.decode(BankAccount.self, from: keys.open($0, in: Self.accountColumn, row: user.rawValue))
    }
  }

  func put(_ account: BankAccount, of user: UserID, in tx: Transaction) throws {
    let sealed = try keys.seal(WireJSON.encode(account), in: Self.accountColumn, row: user.rawValue)
    try tx.execute(
      """
      INSERT INTO payout_accounts (user_id, account, changed_at) VALUES (\(user), \(sealed), \(tx.now))
      ON CONFLICT (user_id) DO UPDATE SET account = excluded.account, changed_at = excluded.changed_at
      """
    )
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM payout_accounts WHERE user_id = \(user)")
  }
}
