import Contracts
import Persistence
import ServiceKit

/// The transactions of Apple's customers, each with its most recently signed state.
enum StoreKitStore {
  struct Kept {
    var user: UserID?
    var order: OrderID?
    var isRevoked: Bool
  }

  /// Stores the state of a transaction, unless a more recently signed one is stored.
  static func keep(_ transaction: StoreKitTransaction, user: UserID?, order: OrderID?, in tx: Transaction) throws
    -> Kept
  {
    guard let signedAt = Timestamp(milliseconds: transaction.signedDate) else {
      throw Problem(.transactionInvalid, detail: "The time of the signature is invalid.")
    }
    let expiresAt = transaction.expiresDate.flatMap { Timestamp(milliseconds: $0) }
    let revokedAt = transaction.revocationDate.flatMap { Timestamp(milliseconds: $0) }
    try tx.execute(
      """
      INSERT INTO storekit_transactions
        (id, original_id, product_id, user_id, order_id, expires_at, revoked_at, signed_at)
      VALUES (\(transaction.transactionId), \(transaction.originalTransactionId), \(transaction.productId), \(user),
              \(order), \(expiresAt), \(revokedAt), \(signedAt))
      ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at, revoked_at = excluded.revoked_at,
        signed_at = excluded.signed_at
      WHERE excluded.signed_at > storekit_transactions.signed_at
      """
    )
    // The app reports the user and the order, possibly after the notification from Apple.
    try tx.execute(
      """
      UPDATE storekit_transactions SET user_id = COALESCE(user_id, \(user)), order_id = COALESCE(order_id, \(order))
      WHERE id = \(transaction.transactionId)
      """
    )
    let kept = try tx.first(
      "SELECT user_id, order_id, revoked_at FROM storekit_transactions WHERE id = \(transaction.transactionId)"
    ) { row in
      let revokedAt: Timestamp? = try row["revoked_at"]
      return Kept(user: try row["user_id"], order: try row["order_id"], isRevoked: revokedAt != nil)
    }
    return kept ?? Kept(user: user, order: order, isRevoked: false)
  }

  /// The state of a subscription according to all stored transactions of its renewals.
  static func standing(of original: String, in db: any Connection) throws -> ProviderSubscription {
    let row = try db.first(
      """
      SELECT COALESCE(MAX(CASE WHEN revoked_at IS NULL THEN expires_at END), 0) AS until, MAX(signed_at) AS signed_at
      FROM storekit_transactions WHERE original_id = \(original)
      """
    ) { row -> (until: Int64, signedAt: Int64) in (try row["until"], try row["signed_at"]) }
    let until = Timestamp(microseconds: row?.until ?? 0)
    return ProviderSubscription(
      reference: original, isActive: true, renews: true,
      until: until, at: Timestamp(microseconds: row?.signedAt ?? 0)
    )
  }

  static func erase(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("UPDATE storekit_transactions SET user_id = NULL WHERE user_id = \(user)")
  }
}
