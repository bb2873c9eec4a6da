import Contracts
import Persistence
import ServiceKit

/// Subscriptions, each with its provider's last known state. Cards and client secrets are encrypted.
struct SubscriptionStore: Sendable {
  let keys: DataKeys

  static let methodColumn = SealedColumn("subscriptions", "method")
  static let secretColumn = SealedColumn("subscriptions", "client_secret")

  // MARK: reading

  func find(_ id: SubscriptionID, in db: any Connection) throws -> StoredSubscription? {
    try list("id = \(id)", limit: 1, in: db).first
  }

  func find(_ provider: PaymentProviderName, _ reference: String, in db: any Connection) throws -> StoredSubscription? {
    try list("provider = \(provider) AND reference = \(reference)", limit: 1, in: db).first
  }

  /// - Throws: ``Problem`` `subscription-not-found`, also for those of others.
  func get(_ id: SubscriptionID, of user: UserID, in db: any Connection) throws -> StoredSubscription {
    guard let found = try find(id, in: db), found.user == user else { throw Problem(.subscriptionNotFound) }
    return found
  }

  /// All that are living, then what was before, each newest first.
  /// - Parameter limit: Of those that were before: attempts that failed are not limited.
  func list(of user: UserID, limit: Int = 100, in db: any Connection) throws -> [StoredSubscription] {
    try living(of: user, in: db) + list("user_id = \(user) AND status IN ('ended', 'failed')", limit: limit, in: db)
  }

  /// Newest first; there is at most one for each plan and provider.
  func living(of user: UserID, in db: any Connection) throws -> [StoredSubscription] {
    try list("user_id = \(user) AND status IN ('pending', 'incomplete', 'active', 'pastDue')", limit: .max, in: db)
  }

  /// Whether a user subscribes to a plan, or is about to.
  func exists(_ plan: String, of user: UserID, besides id: SubscriptionID? = nil, in db: any Connection) throws -> Bool
  {
    try living(of: user, in: db).contains { other in
      other.id != id && other.concerns(plan) && (other.provider == .stripe || other.isActive)
    }
  }

  /// Whether a customer of Stripe has a subscription that has not ended.
  static func isLiving(of customer: String, in db: any Connection) throws -> Bool {
    try db.exists(
      """
      SELECT 1 FROM subscriptions
      WHERE customer = \(customer) AND status IN ('pending', 'incomplete', 'active', 'pastDue')
      """
    )
  }

  func hasAny(of provider: PaymentProviderName, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM subscriptions WHERE provider = \(provider) AND reference IS NOT NULL")
  }

  /// Active subscriptions that are no longer paid for.
  func overdue(in tx: Transaction) throws -> [StoredSubscription] {
    try list("is_active = 1 AND access_until <= \(tx.now)", by: "access_until", limit: 100, in: tx)
  }

  /// Living subscriptions whose provider was not asked since a moment although its state may have changed, in the order
  /// of their ids.
  func stale(since moment: Timestamp, after: SubscriptionID?, limit: Int, in db: any Connection) throws
    -> [StoredSubscription]
  {
    let condition: SQL = """
      is_stale = 1 AND changed_at <= \(moment) AND status IN ('pending', 'incomplete', 'active', 'pastDue')
      """
    return try list(.and(condition, after.map { "id > \($0)" }), by: "id", limit: limit, in: db)
  }

  /// The active subscriptions to a plan, in the order of their ids.
  func active(_ plan: String, after: SubscriptionID?, limit: Int, in db: any Connection) throws -> [StoredSubscription]
  {
    let condition: SQL = .and("plan = \(plan) AND is_active = 1", after.map { "id > \($0)" })
    return try list(condition, by: "id", limit: limit, in: db)
  }

  private func list(_ condition: SQL, by order: SQL = "id DESC", limit: Int, in db: any Connection) throws
    -> [StoredSubscription]
  {
    try db.all(
      """
      SELECT id, user_id, plan, provider, reference, status, quantity, until, grace_until, access_until, renews,
        is_active, next_plan, next_quantity, customer, method, method_is_kept, client_secret, failure, change, is_stale,
        contested, version, created_at, changed_at
      FROM subscriptions WHERE \(condition) ORDER BY \(order) LIMIT \(limit)
      """
    ) { row in
      let id: SubscriptionID = try row["id"]
      var subscription = StoredSubscription(
        id: id, user: try row["user_id"], plan: try row["plan"], provider: try row["provider"],
        reference: try row["reference"], status: try row["status"], until: try row["until"],
        accessUntil: try row["access_until"], createdAt: try row["created_at"], changedAt: try row["changed_at"])
      (subscription.quantity, subscription.graceUntil) = (try row["quantity"], try row["grace_until"])
      (subscription.renews, subscription.isActive) = (try row["renews"], try row["is_active"])
      (subscription.nextPlan, subscription.nextQuantity) = (try row["next_plan"], try row["next_quantity"])
      (subscription.customer, subscription.isMethodKept) = (try row["customer"], try row["method_is_kept"])
      (subscription.failure, subscription.change) = (try row["failure"], try row[json: "change"])
      (subscription.isStale, subscription.version) = (try row["is_stale"], try row["version"])
      subscription.contested = try row[json: "contested"]
      subscription.method = try open(row["method"], Self.methodColumn, id).map { ProviderToken(checked: $0) }
      subscription.clientSecret = try open(row["client_secret"], Self.secretColumn, id)
      return subscription
    }
  }

  private func open(_ sealed: String?, _ column: SealedColumn, _ id: SubscriptionID) throws -> String? {
    try sealed.map { String(decoding: try keys.open($0, in: column, row: id.rawValue), as: UTF8.self) }
  }

  private func seal(_ text: String?, _ column: SealedColumn, _ id: SubscriptionID) throws -> String? {
    try text.map { try keys.seal(Array($0.utf8), in: column, row: id.rawValue) }
  }

  // MARK: writing

  /// - Returns: `false` when the user subscribes to the plan already.
  func insert(_ new: StoredSubscription, in tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      INSERT INTO subscriptions
        (id, user_id, plan, provider, reference, status, quantity, until, grace_until, access_until, renews, is_active,
         next_plan, next_quantity, customer, method, method_is_kept, client_secret, failure, change, is_stale,
         contested, version, created_at, changed_at)
      VALUES (\(new.id), \(new.user), \(new.plan), \(new.provider), \(new.reference), \(new.status), \(new.quantity),
              \(new.until), \(new.graceUntil), \(new.accessUntil), \(new.renews), \(new.isActive), \(new.nextPlan),
              \(new.nextQuantity), \(new.customer), \(seal(new.method?.rawValue, Self.methodColumn, new.id)),
              \(new.isMethodKept), \(seal(new.clientSecret, Self.secretColumn, new.id)), \(new.failure),
              \(json: new.change), \(new.isStale), \(json: new.contested), \(new.version), \(new.createdAt), \(new.changedAt))
      ON CONFLICT DO NOTHING
      """
    ) == 1
  }

  func update(_ now: inout StoredSubscription, in tx: Transaction) throws {
    now.version += 1
    try tx.execute(
      """
      UPDATE subscriptions SET user_id = \(now.user), plan = \(now.plan), reference = \(now.reference),
        status = \(now.status), quantity = \(now.quantity), until = \(now.until), grace_until = \(now.graceUntil),
        access_until = \(now.accessUntil), renews = \(now.renews), is_active = \(now.isActive),
        next_plan = \(now.nextPlan), next_quantity = \(now.nextQuantity), customer = \(now.customer),
        method = \(seal(now.method?.rawValue, Self.methodColumn, now.id)), method_is_kept = \(now.isMethodKept),
        client_secret = \(seal(now.clientSecret, Self.secretColumn, now.id)), failure = \(now.failure),
        change = \(json: now.change), is_stale = \(now.isStale), contested = \(json: now.contested),
        version = \(now.version), changed_at = \(now.changedAt)
      WHERE id = \(now.id)
      """
    )
  }

  /// Separates all subscriptions from an account that is deleted.
  func forget(_ user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE subscriptions SET user_id = NULL, method = NULL, client_secret = NULL, version = version + 1
      WHERE user_id = \(user)
      """
    )
  }
}
