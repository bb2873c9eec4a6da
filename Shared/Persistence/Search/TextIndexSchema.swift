extension TextIndex {
  /// Creates the tables; list it in the service's migrations.
  public static let migrations = [
    Migration(
      "platform-text-index", why: "full-text search that tolerates typing errors, in a bounded number of rows",
      creating: [tables])
  ]

  private static let tables: Schema = """
    CREATE TABLE search_pending
      (kind TEXT NOT NULL, document TEXT NOT NULL, added_at BIGINT NOT NULL, content BYTEA NOT NULL,
       PRIMARY KEY (kind, document));
    CREATE INDEX search_pending_by_time ON search_pending (kind, added_at, document);

    CREATE TABLE search_documents
      (kind TEXT NOT NULL, number BIGINT NOT NULL, document TEXT NOT NULL, content BYTEA NOT NULL,
       PRIMARY KEY (kind, number), UNIQUE (kind, document));

    CREATE TABLE search_postings
      (kind TEXT NOT NULL, term BYTEA NOT NULL, block BIGINT NOT NULL, numbers BYTEA NOT NULL,
       PRIMARY KEY (kind, term, block));

    CREATE TABLE search_vocabulary
      (kind TEXT NOT NULL, lead BYTEA NOT NULL, first BYTEA NOT NULL, words BYTEA NOT NULL,
       PRIMARY KEY (kind, lead, first));

    CREATE TABLE search_indexes
      (kind TEXT PRIMARY KEY, version BIGINT NOT NULL, reached TEXT NOT NULL, is_complete BIGINT NOT NULL,
       repeat_at BIGINT);
    """
}
