import Persistence

/// The tables of live streams.
enum LivestreamSchema {
  static let tables: Schema = """
    CREATE TABLE livestreams
      (id TEXT PRIMARY KEY, host_id TEXT, provider TEXT NOT NULL, state TEXT NOT NULL, failure TEXT,
       visibility TEXT NOT NULL, title TEXT NOT NULL, tags TEXT NOT NULL, workout_type TEXT, content TEXT NOT NULL,
       starts_at BIGINT NOT NULL, minutes BIGINT NOT NULL, is_listed BIGINT NOT NULL, collect_at BIGINT NOT NULL,
       meeting TEXT NOT NULL, zoom_user TEXT, attempted_at BIGINT, meeting_id BIGINT UNIQUE, zoom_event_at BIGINT,
       created_at BIGINT NOT NULL, version BIGINT NOT NULL);
    CREATE INDEX livestreams_by_start ON livestreams (is_listed, starts_at, id);
    CREATE INDEX livestreams_by_host ON livestreams (host_id, starts_at, id);
    CREATE INDEX livestreams_by_collection ON livestreams (collect_at, id);
    CREATE INDEX livestreams_by_meeting ON livestreams (meeting, zoom_user);

    CREATE TABLE livestream_tags (tag TEXT NOT NULL, livestream_id TEXT NOT NULL, PRIMARY KEY (tag, livestream_id));
    CREATE INDEX livestream_tags_by_livestream ON livestream_tags (livestream_id);

    CREATE TABLE zoom_requests
      (zoom_user TEXT NOT NULL, day BIGINT NOT NULL, count BIGINT NOT NULL, PRIMARY KEY (zoom_user, day));
    """
}
