import GRDB

/// The schema of the device's file. Released migrations never change: an app may be updated from any earlier version.
enum DeviceMigrations {
  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("001: records, pending operations, refused operations") { db in
      // `server` is the copy of the server's record, `view` the same with the pending operations, unset without any.
      try db.execute(
        sql: """
          CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), content TEXT NOT NULL);
          CREATE TABLE records
            (collection TEXT NOT NULL, id TEXT NOT NULL, set_id TEXT, card_id TEXT, server TEXT, hash INTEGER,
             view TEXT, generation INTEGER NOT NULL, position TEXT NOT NULL, is_visible INTEGER NOT NULL,
             has_conflict INTEGER NOT NULL, dismissed TEXT, PRIMARY KEY (collection, id));
          CREATE INDEX records_by_position ON records (collection, position, id) WHERE is_visible = 1;
          CREATE INDEX records_by_set ON records (set_id, collection, position, id) WHERE set_id IS NOT NULL;
          CREATE INDEX records_by_card ON records (card_id, collection, position, id) WHERE card_id IS NOT NULL;
          CREATE INDEX records_by_conflict ON records (collection, id) WHERE has_conflict = 1;
          CREATE TABLE checksums (collection TEXT PRIMARY KEY, count INTEGER NOT NULL, sum INTEGER NOT NULL);
          CREATE TABLE pending
            (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, collection TEXT NOT NULL,
             record TEXT NOT NULL, set_id TEXT, operation TEXT NOT NULL);
          CREATE INDEX pending_by_record ON pending (collection, record, number);
          CREATE INDEX pending_by_set ON pending (set_id) WHERE set_id IS NOT NULL;
          CREATE TABLE refused
            (id TEXT PRIMARY KEY, operation TEXT NOT NULL, code TEXT NOT NULL, field TEXT, message TEXT NOT NULL,
             refused_at INTEGER NOT NULL);
          """
      )
    }
    return migrator
  }
}
