import Persistence

/// The tables of plans and subscriptions.
enum PlanSchema {
  static let tables: Schema = """
    CREATE TABLE subscriptions
      (id TEXT PRIMARY KEY, user_id TEXT, plan TEXT NOT NULL, provider TEXT NOT NULL, reference TEXT,
       status TEXT NOT NULL, quantity BIGINT NOT NULL, until BIGINT NOT NULL, grace_until BIGINT,
       access_until BIGINT NOT NULL, renews BIGINT NOT NULL, is_active BIGINT NOT NULL, next_plan TEXT,
       next_quantity BIGINT, customer TEXT, method TEXT, method_is_kept BIGINT NOT NULL, client_secret TEXT,
       failure TEXT, change TEXT, is_stale BIGINT NOT NULL, contested TEXT NOT NULL, version BIGINT NOT NULL,
       created_at BIGINT NOT NULL, changed_at BIGINT NOT NULL, UNIQUE (provider, reference));
    CREATE INDEX subscriptions_by_user ON subscriptions (user_id, id);
    CREATE INDEX subscriptions_by_customer ON subscriptions (customer) WHERE customer IS NOT NULL;
    CREATE INDEX subscriptions_active ON subscriptions (access_until) WHERE is_active = 1;
    CREATE INDEX subscriptions_stale ON subscriptions (id) WHERE is_stale = 1;
    CREATE UNIQUE INDEX subscriptions_living ON subscriptions (user_id, plan)
      WHERE provider = 'stripe' AND status IN ('pending', 'incomplete', 'active', 'pastDue');
    CREATE INDEX subscriptions_active_by_plan ON subscriptions (plan, id) WHERE is_active = 1;

    CREATE TABLE plan_features (plan TEXT PRIMARY KEY, features TEXT NOT NULL);

    CREATE TABLE plan_members
      (subscription_id TEXT NOT NULL REFERENCES subscriptions (id), user_id TEXT NOT NULL, joined_at BIGINT NOT NULL,
       PRIMARY KEY (subscription_id, user_id));
    CREATE INDEX plan_members_by_user ON plan_members (user_id);
    CREATE INDEX plan_members_by_time ON plan_members (subscription_id, joined_at, user_id);

    CREATE TABLE plan_invitations
      (id TEXT PRIMARY KEY, subscription_id TEXT NOT NULL REFERENCES subscriptions (id), code_hash TEXT, email TEXT,
       email_hash TEXT, user_id TEXT, accepted_by TEXT, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
       UNIQUE (code_hash), UNIQUE (subscription_id, email_hash), UNIQUE (subscription_id, user_id));
    CREATE INDEX plan_invitations_by_subscription ON plan_invitations (subscription_id, id);
    CREATE INDEX plan_invitations_by_user ON plan_invitations (user_id, id);
    CREATE INDEX plan_invitations_by_guest ON plan_invitations (accepted_by) WHERE accepted_by IS NOT NULL;
    CREATE INDEX plan_invitations_by_time ON plan_invitations (expires_at);
    """
}
