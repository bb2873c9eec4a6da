import Contracts
import Persistence

/// Subscriptions, each with its provider's state.
enum SubscriptionStore {
  // MARK: reading

  static func list(_ condition: SQL, in db: any Connection) throws -> [Subscription] {
    try db.all(
      "SELECT id, plan, provider, is_active, until, renews FROM subscriptions WHERE \(condition) ORDER BY id DESC LIMIT 100"
    ) { row in
      Subscription(
        id: try row["id"], plan: try row["plan"], provider: try row["provider"],
        isActive: try row["is_active"], until: try row["until"], renews: try row["renews"]
      )
    }
  }

  static func find(_ provider: PaymentProviderName, _ reference: String, in db: any Connection) throws -> Subscription?
  {
    try list("provider = \(provider) AND reference = \(reference)", in: db).first
  }

  /// The user and the plan of a subscription whose account exists.
  static func owner(_ provider: PaymentProviderName, _ reference: String, in db: any Connection) throws
    -> (user: UserID, plan: String)?
  {
    try db.first(
      """
      SELECT user_id, plan FROM subscriptions
      WHERE provider = \(provider) AND reference = \(reference) AND user_id IS NOT NULL
      """
    ) { row in (try row["user_id"], try row["plan"]) }
  }

  /// The provider of a user's subscription, and the provider's id of it.
  static func reference(of id: SubscriptionID, _ user: UserID, in db: any Connection) throws
    -> (provider: PaymentProviderName, reference: String)?
  {
    try db.first("SELECT provider, reference FROM subscriptions WHERE id = \(id) AND user_id = \(user)") { row in
      (try row["provider"], try row["reference"])
    }
  }

  /// The provider's ids of a user's subscriptions that renew.
  static func renewing(_ provider: PaymentProviderName, of user: UserID, in db: any Connection) throws -> [String] {
    try db.values(
      "SELECT reference FROM subscriptions WHERE user_id = \(user) AND provider = \(provider) AND renews = 1"
    )
  }

  /// Active subscriptions that are no longer paid for.
  static func unpaid(since moment: Timestamp, in db: any Connection) throws -> [(id: SubscriptionID, user: UserID?)] {
    try db.all(
      "SELECT id, user_id FROM subscriptions WHERE is_active = 1 AND until < \(moment) ORDER BY until LIMIT 100"
    ) { row in (try row["id"], try row["user_id"]) }
  }

  // MARK: writing

  /// Stores the provider's state, unless a later one is stored.
  static func save(
    _ standing: ProviderSubscription, _ provider: PaymentProviderName, isActive: Bool, user: UserID, plan: String,
    id: SubscriptionID, in tx: Transaction
  ) throws {
    try tx.execute(
      """
      INSERT INTO subscriptions (id, user_id, plan, provider, reference, until, renews, is_active, changed_at)
      VALUES (\(id), \(user), \(plan), \(provider), \(standing.reference), \(standing.until),
              \(standing.renews), \(isActive), \(standing.at))
      ON CONFLICT (provider, reference) DO UPDATE SET until = excluded.until, renews = excluded.renews,
        is_active = excluded.is_active, changed_at = excluded.changed_at
      WHERE excluded.changed_at >= subscriptions.changed_at
      """
    )
  }

  static func deactivate(_ id: SubscriptionID, in tx: Transaction) throws {
    try tx.execute("UPDATE subscriptions SET is_active = 0 WHERE id = \(id)")
  }

  static func erase(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("UPDATE subscriptions SET user_id = NULL WHERE user_id = \(user)")
  }
}
