import Contracts
import Persistence

/// The features that users' plans unlock, as reported by orders: one row per user and plan.
enum EntitlementStore {
  struct Entitlement: Codable, Sendable {
    var subscription: SubscriptionID
    var plan: String
    var features: [FeatureName]
    /// The end of the paid period.
    var until: Timestamp
    /// When the features end by themselves.
    var accessUntil: Timestamp?
  }

  static func list(of user: UserID, in db: any Connection) throws -> [Entitlement] {
    try db.all(
      """
      SELECT subscription_id, plan, features, until, access_until FROM entitlements
      WHERE user_id = \(user) ORDER BY subscription_id
      """
    ) { row in
      Entitlement(
        subscription: try row["subscription_id"], plan: try row["plan"], features: try row[words: "features"],
        until: try row["until"], accessUntil: try row["access_until"])
    }
  }

  /// All features that a user has at a time, sorted.
  static func features(of user: UserID, at now: Timestamp, in db: any Connection) throws -> [FeatureName] {
    let features = try list(of: user, in: db).filter { $0.accessUntil.map { $0 > now } ?? true }.flatMap(\.features)
    return Set(features).sorted { $0.rawValue < $1.rawValue }
  }

  /// Has no effect when the user is unknown or already deleted.
  static func save(_ entitlement: Entitlement, of user: UserID, in tx: Transaction) throws {
    guard try tx.exists("SELECT 1 FROM users WHERE id = \(user)") else { return }
    try tx.execute(
      """
      INSERT INTO entitlements (user_id, subscription_id, plan, features, until, access_until)
      VALUES (\(user), \(entitlement.subscription), \(entitlement.plan), \(words: entitlement.features),
              \(entitlement.until), \(entitlement.accessUntil))
      ON CONFLICT (user_id, subscription_id) DO UPDATE SET plan = excluded.plan, features = excluded.features,
        until = excluded.until, access_until = excluded.access_until
      """
    )
  }

  static func delete(_ subscription: SubscriptionID, of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM entitlements WHERE user_id = \(user) AND subscription_id = \(subscription)")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM entitlements WHERE user_id = \(user)")
  }
}
