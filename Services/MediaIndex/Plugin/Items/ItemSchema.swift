import Persistence

/// The tables of media items.
enum ItemSchema {
  static let tables: Schema = """
    CREATE TABLE media
      (id TEXT PRIMARY KEY, owner_id TEXT NOT NULL, app TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL,
       failure TEXT, visibility TEXT NOT NULL, content_type TEXT NOT NULL, bytes BIGINT, sha256 TEXT, file_name TEXT,
       title TEXT, description TEXT, tags TEXT NOT NULL, workout_type TEXT, product_type TEXT, youtube_id TEXT,
       youtube_start BIGINT, milliseconds BIGINT, width BIGINT, height BIGINT, thumb_hash TEXT,
       created_at BIGINT NOT NULL, version BIGINT NOT NULL, deleted_at BIGINT);
    CREATE INDEX media_by_owner ON media (owner_id, id);
    CREATE INDEX media_deleted ON media (deleted_at, id) WHERE deleted_at IS NOT NULL;

    CREATE TABLE media_files
      (media_id TEXT NOT NULL, name TEXT NOT NULL, blob TEXT NOT NULL, bytes BIGINT NOT NULL,
       content_type TEXT NOT NULL, PRIMARY KEY (media_id, name));
    CREATE INDEX media_files_by_blob ON media_files (blob);

    CREATE TABLE media_references
      (media_id TEXT NOT NULL, service TEXT NOT NULL, object TEXT NOT NULL, access TEXT NOT NULL,
       readers TEXT NOT NULL, PRIMARY KEY (media_id, service, object, access, readers));
    CREATE INDEX media_references_by_object ON media_references (service, object);

    CREATE TABLE media_objects
      (service TEXT NOT NULL, object TEXT NOT NULL, sequence BIGINT NOT NULL, forget_at BIGINT,
       PRIMARY KEY (service, object));
    CREATE INDEX media_objects_to_forget ON media_objects (forget_at) WHERE forget_at IS NOT NULL;

    CREATE TABLE media_holds
      (media_id TEXT NOT NULL, service TEXT NOT NULL, object TEXT NOT NULL, expires_at BIGINT NOT NULL,
       PRIMARY KEY (media_id, service, object));
    CREATE INDEX media_holds_by_expiry ON media_holds (expires_at);
    CREATE INDEX media_holds_by_object ON media_holds (service, object);

    CREATE TABLE blob_checks (blob TEXT PRIMARY KEY, due_at BIGINT NOT NULL, removing BIGINT NOT NULL);
    CREATE INDEX blob_checks_by_due ON blob_checks (due_at);

    CREATE TABLE storage_use
      (owner_id TEXT PRIMARY KEY, bytes BIGINT NOT NULL, media BIGINT NOT NULL, is_guest BIGINT NOT NULL DEFAULT 0);

    CREATE TABLE released_files
      (blob TEXT NOT NULL, owner_id TEXT NOT NULL, bytes BIGINT NOT NULL, PRIMARY KEY (blob, owner_id));
    CREATE INDEX released_files_by_owner ON released_files (owner_id);

    CREATE TABLE blocks (blocker_id TEXT NOT NULL, blocked_id TEXT NOT NULL, PRIMARY KEY (blocker_id, blocked_id));
    CREATE INDEX blocks_by_blocked ON blocks (blocked_id);
    """
}
