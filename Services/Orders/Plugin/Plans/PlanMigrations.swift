import Persistence

enum PlanMigrations {
  static let all = [pendingSubscriptions, groupPlans, reportedFeatures]

  static let sealedColumns = [
    SubscriptionStore.methodColumn, SubscriptionStore.secretColumn, PlanInvitationStore.emailColumn,
  ]

  /// Tables are made anew because SQLite cannot remove the constraint that a subscription has its provider's id.
  private static let pendingSubscriptions = Migration(
    "orders-040-pending-subscriptions",
    why: "a subscription is stored before its provider knows it, once per user and plan",
    [
      """
      CREATE TABLE durable_subscriptions
        (id TEXT PRIMARY KEY, user_id TEXT, plan TEXT NOT NULL, provider TEXT NOT NULL, reference TEXT,
         status TEXT NOT NULL, quantity BIGINT NOT NULL, until BIGINT NOT NULL, grace_until BIGINT,
         access_until BIGINT NOT NULL, renews BIGINT NOT NULL, is_active BIGINT NOT NULL, next_plan TEXT,
         next_quantity BIGINT, customer TEXT, method TEXT, method_is_kept BIGINT NOT NULL, client_secret TEXT,
         failure TEXT, change TEXT, is_stale BIGINT NOT NULL, duplicate BIGINT NOT NULL,
         contested TEXT NOT NULL DEFAULT '[]', version BIGINT NOT NULL,
         created_at BIGINT NOT NULL, changed_at BIGINT NOT NULL, UNIQUE (provider, reference))
      """,
      // Two subscriptions of a user to a plan could be made before; the later ones are marked. One with Stripe that was
      // inactive may have been paid since, or late: Stripe is asked.
      """
      INSERT INTO durable_subscriptions
        (id, user_id, plan, provider, reference, status, quantity, until, access_until, renews, is_active,
         method_is_kept, is_stale, duplicate, version, created_at, changed_at)
      SELECT id, user_id, plan, provider, reference,
             CASE WHEN is_active = 1 THEN 'active' WHEN provider = 'stripe' AND renews = 1 THEN 'pastDue' ELSE 'ended' END,
             1, until, until + 86400000000, renews, is_active, 0,
             CASE WHEN provider = 'stripe' AND is_active = 0 AND renews = 1 THEN 1 ELSE 0 END,
             ROW_NUMBER() OVER (PARTITION BY user_id, plan ORDER BY is_active DESC, renews DESC, id) - 1, 1, changed_at,
             changed_at
      FROM subscriptions
      """,
      "DROP TABLE subscriptions",
      "ALTER TABLE durable_subscriptions RENAME TO subscriptions",
      "CREATE INDEX subscriptions_by_user ON subscriptions (user_id, id)",
      "CREATE INDEX subscriptions_by_customer ON subscriptions (customer) WHERE customer IS NOT NULL",
      "CREATE INDEX subscriptions_active ON subscriptions (access_until) WHERE is_active = 1",
      "CREATE INDEX subscriptions_stale ON subscriptions (id) WHERE is_stale = 1",
      """
      CREATE UNIQUE INDEX subscriptions_living ON subscriptions (user_id, plan, duplicate)
      WHERE provider = 'stripe' AND status IN ('pending', 'incomplete', 'active', 'pastDue')
      """,
    ]
  )

  private static let reportedFeatures = Migration(
    "orders-042-reported-plan-features",
    why: "subscribers learn of plan features that were changed in the settings",
    [
      "CREATE TABLE plan_features (plan TEXT PRIMARY KEY, features TEXT NOT NULL)",
      "CREATE INDEX subscriptions_active_by_plan ON subscriptions (plan, id) WHERE is_active = 1",
    ]
  )

  private static let groupPlans = Migration(
    "orders-041-group-plans",
    why: "an institution pays for its members",
    [
      """
      CREATE TABLE plan_members
        (subscription_id TEXT NOT NULL REFERENCES subscriptions (id), user_id TEXT NOT NULL, joined_at BIGINT NOT NULL,
         PRIMARY KEY (subscription_id, user_id))
      """,
      "CREATE INDEX plan_members_by_user ON plan_members (user_id)",
      "CREATE INDEX plan_members_by_time ON plan_members (subscription_id, joined_at, user_id)",
      """
      CREATE TABLE plan_invitations
        (id TEXT PRIMARY KEY, subscription_id TEXT NOT NULL REFERENCES subscriptions (id), code_hash TEXT, email TEXT,
         email_hash TEXT, user_id TEXT, accepted_by TEXT, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
         UNIQUE (code_hash), UNIQUE (subscription_id, email_hash), UNIQUE (subscription_id, user_id))
      """,
      "CREATE INDEX plan_invitations_by_subscription ON plan_invitations (subscription_id, id)",
      "CREATE INDEX plan_invitations_by_user ON plan_invitations (user_id, id)",
      "CREATE INDEX plan_invitations_by_guest ON plan_invitations (accepted_by) WHERE accepted_by IS NOT NULL",
      "CREATE INDEX plan_invitations_by_time ON plan_invitations (expires_at)",
    ]
  )
}
