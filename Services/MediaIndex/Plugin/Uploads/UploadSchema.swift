import Persistence

/// The tables of uploads.
enum UploadSchema {
  static let tables: Schema = """
    CREATE TABLE uploads
      (id TEXT PRIMARY KEY, media_id TEXT NOT NULL, owner_id TEXT NOT NULL, app TEXT NOT NULL, length BIGINT,
       received BIGINT NOT NULL, metadata TEXT, role TEXT NOT NULL, concat TEXT, parts TEXT NOT NULL,
       place TEXT NOT NULL, epoch BIGINT NOT NULL, writer TEXT, is_finished BIGINT NOT NULL,
       created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, final_id TEXT, reserved BIGINT NOT NULL,
       attempts BIGINT NOT NULL, next_attempt_at BIGINT NOT NULL);
    CREATE INDEX uploads_by_owner ON uploads (owner_id, is_finished);
    CREATE INDEX uploads_by_expiry ON uploads (expires_at);
    CREATE INDEX uploads_by_place ON uploads (place, is_finished);
    """
}
