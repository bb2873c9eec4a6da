import Persistence

/// The tables of likes, comments and archived listings.
enum InteractionSchema {
  static let tables: Schema = """
    CREATE TABLE marks
      (kind TEXT NOT NULL, object_id TEXT NOT NULL, user_id TEXT NOT NULL, id TEXT NOT NULL,
       PRIMARY KEY (kind, object_id, user_id));
    CREATE INDEX marks_by_user ON marks (kind, user_id, id);

    CREATE TABLE comments
      (id TEXT PRIMARY KEY, subject TEXT NOT NULL, parent_id TEXT REFERENCES comments (id), author_id TEXT, text TEXT,
       like_count BIGINT NOT NULL, reply_count BIGINT NOT NULL, created_at BIGINT NOT NULL, edited_at BIGINT,
       version BIGINT NOT NULL);
    CREATE INDEX comments_by_subject ON comments (subject, parent_id, id);
    CREATE INDEX comments_by_parent ON comments (parent_id, id) WHERE parent_id IS NOT NULL;
    CREATE INDEX comments_by_author ON comments (author_id, created_at);

    CREATE TABLE blocks (blocker_id TEXT NOT NULL, blocked_id TEXT NOT NULL, PRIMARY KEY (blocker_id, blocked_id));
    CREATE INDEX blocks_by_blocked ON blocks (blocked_id, blocker_id);
    """
}
