import Persistence

enum SetMigrations {
  static let all = TextIndex.migrations + [sets, sharing, library, consent, attempts, cardMedia]

  private static let sets = Migration(
    "study-sync-sets-001",
    why: "sets have one owner, are listed as they were opened, keep deleted cards, and are filled step by step",
    [
      "CREATE INDEX space_grants_owner ON space_grants (space_id) WHERE source = 'owner'",
      "CREATE INDEX sync_records_deleted ON sync_records (space_id, collection, id) WHERE deleted_at IS NOT NULL",
      """
      CREATE TABLE set_visits
        (user_id TEXT NOT NULL, set_id TEXT NOT NULL, opened_at BIGINT NOT NULL, PRIMARY KEY (user_id, set_id))
      """,
      """
      CREATE TABLE unfinished_sets
        (set_id TEXT PRIMARY KEY, user_id TEXT NOT NULL, touched_at BIGINT NOT NULL)
      """,
      "CREATE INDEX unfinished_sets_by_time ON unfinished_sets (touched_at)",
    ]
  )

  private static let sharing = Migration(
    "study-sync-sets-002",
    why: "sets are shared by links; nothing is shared between users of whom one has blocked the other",
    [
      """
      CREATE TABLE set_links
        (id TEXT PRIMARY KEY, set_id TEXT NOT NULL, role TEXT NOT NULL, token_lookup TEXT NOT NULL UNIQUE,
         created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, uses BIGINT NOT NULL)
      """,
      "CREATE INDEX set_links_by_set ON set_links (set_id, expires_at)",
      """
      CREATE TABLE blocks
        (blocker_id TEXT NOT NULL, blocked_id TEXT NOT NULL, PRIMARY KEY (blocker_id, blocked_id))
      """,
      "CREATE INDEX blocks_by_blocked ON blocks (blocked_id)",
    ]
  )

  private static let consent = Migration(
    "study-sync-sets-004",
    why: "links do not undo what owners take away; no one becomes an owner without accepting",
    [
      "CREATE TABLE set_removals (set_id TEXT NOT NULL, user_id TEXT NOT NULL, PRIMARY KEY (set_id, user_id))",
      "CREATE INDEX set_removals_by_user ON set_removals (user_id)",
      "CREATE TABLE set_ownership_offers (set_id TEXT PRIMARY KEY, user_id TEXT NOT NULL)",
      "CREATE INDEX set_ownership_offers_by_user ON set_ownership_offers (user_id)",
    ]
  )

  private static let attempts = Migration(
    "study-sync-sets-attempts",
    why: "an attempt to fill a set that has ended does nothing to the one that followed it",
    ["ALTER TABLE unfinished_sets ADD COLUMN attempt TEXT NOT NULL DEFAULT ''"]
  )

  private static let cardMedia = Migration(
    "study-sync-sets-media",
    why: "media-index is told what cards use; who has named media whose owners could not be checked",
    [
      """
      CREATE TABLE card_media
        (card_id TEXT NOT NULL, media_id TEXT NOT NULL, set_id TEXT NOT NULL, claimed_by TEXT,
         PRIMARY KEY (card_id, media_id))
      """,
      "CREATE INDEX card_media_by_set ON card_media (set_id, card_id)",
      "CREATE INDEX card_media_by_claimant ON card_media (claimed_by) WHERE claimed_by IS NOT NULL",
    ]
  )

  private static let library = Migration(
    "study-sync-sets-003",
    why: "the library shows and finds published sets; support settles reports",
    [
      """
      CREATE TABLE publications
        (set_id TEXT PRIMARY KEY, owner_id TEXT NOT NULL, title TEXT NOT NULL, description TEXT NOT NULL,
         tags TEXT NOT NULL, copies BIGINT NOT NULL, published_at BIGINT NOT NULL, removed_at BIGINT)
      """,
      "CREATE INDEX publications_by_time ON publications (published_at, set_id) WHERE removed_at IS NULL",
      "CREATE INDEX publications_by_copies ON publications (copies, set_id) WHERE removed_at IS NULL",
      "CREATE INDEX publications_by_owner ON publications (owner_id)",
      """
      CREATE TABLE library_reports
        (set_id TEXT NOT NULL, reporter_id TEXT NOT NULL, reason TEXT NOT NULL, reported_at BIGINT NOT NULL,
         PRIMARY KEY (set_id, reporter_id))
      """,
      "CREATE INDEX library_reports_by_time ON library_reports (reported_at, set_id, reporter_id)",
      "CREATE INDEX library_reports_by_reporter ON library_reports (reporter_id)",
    ]
  )
}
