extension TextIndex {
  /// Creates the tables; list them in the service's migrations.
  public static let migrations = [first, second]

  private static let first = Migration(
    "platform-text-index",
    why: "full-text search tolerates typing errors",
    [
      """
      CREATE TABLE search_words
        (kind TEXT NOT NULL, word BYTEA NOT NULL, document TEXT NOT NULL, PRIMARY KEY (kind, word, document))
      """,
      "CREATE INDEX search_words_by_document ON search_words (kind, document, word)",
      """
      CREATE TABLE search_grams
        (kind TEXT NOT NULL, gram BYTEA NOT NULL, word BYTEA NOT NULL, PRIMARY KEY (kind, gram, word))
      """,
      "CREATE INDEX search_grams_by_word ON search_grams (kind, word)",
    ]
  )

  private static let second = Migration(
    "platform-text-index-2",
    why: "searches read a bounded number of rows, find everything that meets their filters, and rank it",
    [
      // Instances of the version before still use `search_words` and `search_grams` while this one starts: the next
      // version removes them.
      """
      CREATE TABLE search_pending
        (kind TEXT NOT NULL, document TEXT NOT NULL, added_at BIGINT NOT NULL, content BYTEA NOT NULL,
         PRIMARY KEY (kind, document))
      """,
      "CREATE INDEX search_pending_by_time ON search_pending (kind, added_at, document)",
      """
      CREATE TABLE search_documents
        (kind TEXT NOT NULL, number BIGINT NOT NULL, document TEXT NOT NULL, content BYTEA NOT NULL,
         PRIMARY KEY (kind, number), UNIQUE (kind, document))
      """,
      """
      CREATE TABLE search_postings
        (kind TEXT NOT NULL, term BYTEA NOT NULL, block BIGINT NOT NULL, numbers BYTEA NOT NULL,
         PRIMARY KEY (kind, term, block))
      """,
      """
      CREATE TABLE search_vocabulary
        (kind TEXT NOT NULL, lead BYTEA NOT NULL, first BYTEA NOT NULL, words BYTEA NOT NULL,
         PRIMARY KEY (kind, lead, first))
      """,
      """
      CREATE TABLE search_indexes
        (kind TEXT PRIMARY KEY, version BIGINT NOT NULL, reached TEXT NOT NULL, is_complete BIGINT NOT NULL,
         repeat_at BIGINT)
      """,
    ]
  )
}
