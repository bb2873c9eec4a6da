import Contracts
import Persistence

/// The members of group plans.
enum PlanMemberStore {
  // MARK: reading

  static func exists(_ user: UserID, in subscription: SubscriptionID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM plan_members WHERE subscription_id = \(subscription) AND user_id = \(user)")
  }

  static func count(of subscription: SubscriptionID, in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM plan_members WHERE subscription_id = \(subscription)")
  }

  static func counts(of subscriptions: [SubscriptionID], in db: any Connection) throws -> [SubscriptionID: Int] {
    guard !subscriptions.isEmpty else { return [:] }
    let rows = try db.all(
      """
      SELECT subscription_id, COUNT(*) AS members FROM plan_members
      WHERE subscription_id IN \(list: subscriptions) GROUP BY subscription_id
      """
    ) { row -> (SubscriptionID, Int) in (try row["subscription_id"], try row["members"]) }
    return Dictionary(uniqueKeysWithValues: rows)
  }

  /// In the order of their ids.
  static func list(of subscription: SubscriptionID, after: UserID?, limit: Int, in db: any Connection) throws
    -> [PlanMember]
  {
    try db.all(
      """
      SELECT user_id, joined_at FROM plan_members
      WHERE \(.and("subscription_id = \(subscription)", after.map { "user_id > \($0)" }))
      ORDER BY user_id LIMIT \(limit)
      """
    ) { row in PlanMember(userID: try row["user_id"], name: nil, joinedAt: try row["joined_at"]) }
  }

  static func newest(_ count: Int, of subscription: SubscriptionID, in db: any Connection) throws -> [UserID] {
    try db.values(
      """
      SELECT user_id FROM plan_members WHERE subscription_id = \(subscription)
      ORDER BY joined_at DESC, user_id DESC LIMIT \(count)
      """
    )
  }

  static func memberships(of user: UserID, in db: any Connection) throws -> [PlanMembership] {
    try db.all(
      """
      SELECT m.subscription_id, m.joined_at, s.plan, s.is_active
      FROM plan_members m JOIN subscriptions s ON s.id = m.subscription_id
      WHERE m.user_id = \(user) ORDER BY m.subscription_id DESC LIMIT 100
      """
    ) { row in
      PlanMembership(
        subscriptionID: try row["subscription_id"], plan: try row["plan"], isActive: try row["is_active"],
        joinedAt: try row["joined_at"])
    }
  }

  // MARK: writing

  static func insert(_ user: UserID, into subscription: SubscriptionID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO plan_members (subscription_id, user_id, joined_at) VALUES (\(subscription), \(user), \(tx.now))
      ON CONFLICT DO NOTHING
      """
    )
  }

  /// - Returns: `false` when the user is no member.
  static func delete(_ user: UserID, from subscription: SubscriptionID, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM plan_members WHERE subscription_id = \(subscription) AND user_id = \(user)") == 1
  }

  static func delete(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM plan_members WHERE user_id = \(user)")
  }
}
