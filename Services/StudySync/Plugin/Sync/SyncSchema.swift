import Persistence

/// The tables of synchronization.
enum SyncSchema {
  static let tables: Schema = """
    CREATE TABLE spaces (id TEXT PRIMARY KEY, sequence BIGINT NOT NULL, checksums TEXT NOT NULL, removed_at BIGINT);
    CREATE INDEX spaces_removed ON spaces (removed_at, id) WHERE removed_at IS NOT NULL;

    CREATE TABLE space_members
      (user_id TEXT NOT NULL, number BIGINT NOT NULL, space_id TEXT NOT NULL, role TEXT NOT NULL,
       joined_at BIGINT NOT NULL, left_at BIGINT, PRIMARY KEY (user_id, number));
    CREATE UNIQUE INDEX space_members_by_space ON space_members (space_id, user_id) WHERE left_at IS NULL;
    CREATE INDEX space_members_by_end ON space_members (left_at) WHERE left_at IS NOT NULL;

    CREATE TABLE space_grants
      (space_id TEXT NOT NULL, user_id TEXT NOT NULL, source TEXT NOT NULL, role TEXT NOT NULL,
       PRIMARY KEY (space_id, user_id, source));
    CREATE INDEX space_grants_by_source ON space_grants (source, user_id);
    CREATE INDEX space_grants_by_user ON space_grants (user_id);
    CREATE INDEX space_grants_owner ON space_grants (space_id) WHERE source = 'owner';

    CREATE TABLE sync_devices
      (user_id TEXT NOT NULL, device_id TEXT NOT NULL, seen_at BIGINT NOT NULL, PRIMARY KEY (user_id, device_id));
    CREATE INDEX sync_devices_by_age ON sync_devices (seen_at);

    CREATE TABLE sync_records
      (id TEXT PRIMARY KEY, space_id TEXT NOT NULL REFERENCES spaces (id), collection TEXT NOT NULL,
       sequence BIGINT NOT NULL, position TEXT NOT NULL, content TEXT NOT NULL, created_at BIGINT NOT NULL,
       changed_at BIGINT NOT NULL, deleted_at BIGINT, has_conflict BIGINT NOT NULL, expires_at BIGINT);
    CREATE UNIQUE INDEX sync_records_by_sequence ON sync_records (space_id, sequence);
    CREATE INDEX sync_records_by_position ON sync_records (space_id, collection, position, id)
      WHERE deleted_at IS NULL;
    CREATE INDEX sync_records_by_expiry ON sync_records (expires_at) WHERE expires_at IS NOT NULL;
    CREATE INDEX sync_records_by_conflict ON sync_records (space_id, id) WHERE has_conflict = 1;
    CREATE INDEX sync_records_deleted ON sync_records (space_id, collection, id) WHERE deleted_at IS NOT NULL;

    CREATE TABLE sync_operations
      (user_id TEXT NOT NULL, id TEXT NOT NULL, record_id TEXT NOT NULL, applied_at BIGINT NOT NULL,
       PRIMARY KEY (user_id, id));
    CREATE INDEX sync_operations_by_age ON sync_operations (applied_at);

    CREATE TABLE study_log
      (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, sequence BIGINT NOT NULL, collection TEXT NOT NULL,
       at BIGINT NOT NULL, day BIGINT NOT NULL, utc_offset BIGINT NOT NULL, milliseconds BIGINT NOT NULL, set_id TEXT,
       card_id TEXT, rating BIGINT, function TEXT, details TEXT);
    CREATE UNIQUE INDEX study_log_by_sequence ON study_log (user_id, sequence);
    """
}
