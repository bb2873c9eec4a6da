import Contracts
import Persistence

/// Stripe's customers, at most one per user.
enum StripeCustomerStore {
  static func find(_ user: UserID, in db: any Connection) throws -> String? {
    try db.value("SELECT customer_id FROM stripe_customers WHERE user_id = \(user)")
  }

  /// Stores a user's customer, unless another request has done so.
  static func insert(_ customer: String, of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO stripe_customers (user_id, customer_id) VALUES (\(user), \(customer)) ON CONFLICT DO NOTHING
      """
    )
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM stripe_customers WHERE user_id = \(user)")
  }
}
