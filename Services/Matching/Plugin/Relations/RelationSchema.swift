import Persistence

/// The tables of relations between people.
enum RelationSchema {
  static let tables: Schema = """
    CREATE TABLE blocks
      (blocker_id TEXT NOT NULL, blocked_id TEXT NOT NULL, id TEXT NOT NULL, blocked_at BIGINT NOT NULL,
       PRIMARY KEY (blocker_id, blocked_id));
    CREATE INDEX blocks_by_blocked ON blocks (blocked_id, blocker_id);
    CREATE INDEX blocks_by_age ON blocks (blocker_id, id);

    CREATE TABLE connections
      (user_id TEXT NOT NULL, other_id TEXT NOT NULL, id TEXT NOT NULL, since BIGINT NOT NULL,
       PRIMARY KEY (user_id, other_id));
    CREATE INDEX connections_by_id ON connections (id);
    CREATE INDEX connections_by_age ON connections (user_id, since, id);

    CREATE TABLE connection_requests
      (id TEXT PRIMARY KEY, requester_id TEXT NOT NULL, recipient_id TEXT NOT NULL, note TEXT,
       requested_at BIGINT NOT NULL, UNIQUE (requester_id, recipient_id));
    CREATE INDEX connection_requests_outgoing ON connection_requests (requester_id, requested_at, id);
    CREATE INDEX connection_requests_incoming ON connection_requests (recipient_id, requested_at, id);

    CREATE TABLE follows
      (follower_id TEXT NOT NULL, followed_id TEXT NOT NULL, id TEXT NOT NULL, followed_at BIGINT NOT NULL,
       PRIMARY KEY (follower_id, followed_id));
    CREATE INDEX follows_by_followed ON follows (followed_id, id, follower_id);
    CREATE INDEX follows_by_follower ON follows (follower_id, id, followed_id);

    CREATE TABLE follow_counts (user_id TEXT PRIMARY KEY, followers BIGINT NOT NULL, following BIGINT NOT NULL);

    CREATE TABLE course_members (user_id TEXT NOT NULL, course_id TEXT NOT NULL, PRIMARY KEY (user_id, course_id));
    """
}
