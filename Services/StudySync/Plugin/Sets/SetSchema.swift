import Persistence

/// The tables of study sets, sharing and the library.
enum SetSchema {
  static let tables: Schema = """
    CREATE TABLE set_visits
      (user_id TEXT NOT NULL, set_id TEXT NOT NULL, opened_at BIGINT NOT NULL, PRIMARY KEY (user_id, set_id));

    CREATE TABLE unfinished_sets
      (set_id TEXT PRIMARY KEY, user_id TEXT NOT NULL, attempt TEXT NOT NULL, touched_at BIGINT NOT NULL);
    CREATE INDEX unfinished_sets_by_time ON unfinished_sets (touched_at);

    CREATE TABLE card_media
      (card_id TEXT NOT NULL, media_id TEXT NOT NULL, set_id TEXT NOT NULL, claimed_by TEXT,
       PRIMARY KEY (card_id, media_id));
    CREATE INDEX card_media_by_set ON card_media (set_id, card_id);
    CREATE INDEX card_media_by_claimant ON card_media (claimed_by) WHERE claimed_by IS NOT NULL;

    CREATE TABLE set_links
      (id TEXT PRIMARY KEY, set_id TEXT NOT NULL, role TEXT NOT NULL, token_lookup TEXT NOT NULL UNIQUE,
       created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, uses BIGINT NOT NULL);
    CREATE INDEX set_links_by_set ON set_links (set_id, expires_at);

    CREATE TABLE set_removals (set_id TEXT NOT NULL, user_id TEXT NOT NULL, PRIMARY KEY (set_id, user_id));
    CREATE INDEX set_removals_by_user ON set_removals (user_id);

    CREATE TABLE set_ownership_offers (set_id TEXT PRIMARY KEY, user_id TEXT NOT NULL);
    CREATE INDEX set_ownership_offers_by_user ON set_ownership_offers (user_id);

    CREATE TABLE blocks (blocker_id TEXT NOT NULL, blocked_id TEXT NOT NULL, PRIMARY KEY (blocker_id, blocked_id));
    CREATE INDEX blocks_by_blocked ON blocks (blocked_id);

    CREATE TABLE publications
      (set_id TEXT PRIMARY KEY, owner_id TEXT NOT NULL, title TEXT NOT NULL, description TEXT NOT NULL,
       tags TEXT NOT NULL, copies BIGINT NOT NULL, published_at BIGINT NOT NULL, removed_at BIGINT);
    CREATE INDEX publications_by_time ON publications (published_at, set_id) WHERE removed_at IS NULL;
    CREATE INDEX publications_by_copies ON publications (copies, set_id) WHERE removed_at IS NULL;
    CREATE INDEX publications_by_owner ON publications (owner_id);

    CREATE TABLE library_reports
      (set_id TEXT NOT NULL, reporter_id TEXT NOT NULL, reason TEXT NOT NULL, reported_at BIGINT NOT NULL,
       PRIMARY KEY (set_id, reporter_id));
    CREATE INDEX library_reports_by_time ON library_reports (reported_at, set_id, reporter_id);
    CREATE INDEX library_reports_by_reporter ON library_reports (reporter_id);
    """
}
