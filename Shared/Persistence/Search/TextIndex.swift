/// Full-text search by word prefixes that tolerates small typing errors; identical on both databases.
///
/// `search_words` has one row per word and document, and its primary key serves prefix queries. `search_grams` has the
/// trigrams of each distinct word; they are queried only when prefixes find too few documents, and their candidates are
/// filtered by edit distance. Every query reads a bounded number of rows. Words are stored as bytes, whose order does
/// not depend on a collation.
public struct TextIndex: Sendable {
  /// Distinguishes the indexes of one service.
  let kind: String

  public init(_ kind: String) { self.kind = kind }

  /// Creates the tables; list it in the service's migrations.
  public static let migration = Migration(
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

  /// Maximum number of words considered per query.
  static let queryWords = 5
  /// Maximum number of rows considered per word.
  private static let candidates = 400
  /// Trigrams that occur in more words than this are ignored.
  private static let commonGram = 1000

  /// Indexes a document under these texts, replacing its previous entries.
  public func put(_ document: String, _ texts: [String], in tx: Transaction) throws {
    let wanted = Set(texts.flatMap { Words.of($0) })
    let present = Set(
      try tx.all("SELECT word FROM search_words WHERE kind = \(kind) AND document = \(document)") {
        try Self.word($0)
      }
    )
    for word in present.subtracting(wanted) { try remove(word, of: document, in: tx) }
    for word in wanted.subtracting(present) {
      let isNew =
        try !tx.exists("SELECT 1 FROM search_words WHERE kind = \(kind) AND word = \(Array(word.utf8)) LIMIT 1")
      try tx.execute(
        "INSERT INTO search_words (kind, word, document) VALUES (\(kind), \(Array(word.utf8)), \(document))"
      )
      guard isNew else { continue }
      for gram in Words.grams(of: word) {
        try tx.execute(
          """
          INSERT INTO search_grams (kind, gram, word) VALUES (\(kind), \(Array(gram.utf8)), \(Array(word.utf8)))
          ON CONFLICT DO NOTHING
          """
        )
      }
    }
  }

  /// Removes a document from the index.
  public func remove(_ document: String, in tx: Transaction) throws { try put(document, [], in: tx) }

  private static func word(_ row: Row) throws -> String {
    String(decoding: try row["word"] as [UInt8], as: UTF8.self)
  }

  private func remove(_ text: String, of document: String, in tx: Transaction) throws {
    let word = Array(text.utf8)
    try tx.execute("DELETE FROM search_words WHERE kind = \(kind) AND word = \(word) AND document = \(document)")
    try tx.execute(
      """
      DELETE FROM search_grams WHERE kind = \(kind) AND word = \(word)
        AND NOT EXISTS (SELECT 1 FROM search_words WHERE kind = \(kind) AND word = \(word))
      """
    )
  }

  /// Returns the best matches of a query: exact words rank above prefixes and prefixes above misspelled words; ties are
  /// broken by the newest id.
  public func search(_ query: String, limit: Int, in db: any Connection) throws -> [String] {
    let words = Array(Words.of(query).prefix(Self.queryWords))
    guard let rarest = words.max(by: { $0.count < $1.count }) else { return [] }
    var ranked = try beginnings(rarest, others: words.filter { $0 != rarest }, in: db)
    if ranked.count < limit {
      let known = Set(ranked.map(\.document))
      ranked += try misspelt(words, limit: limit, in: db).filter { !known.contains($0.document) }
    }
    return ranked.sorted { ($1.score, $0.document) > ($0.score, $1.document) }.prefix(limit).map(\.document)
  }

  /// A document and its distance from the query; lower is better.
  private struct Match {
    var document: String
    var score: Int
  }

  /// Documents that contain, for each word of the query, a word with that prefix.
  private func beginnings(_ word: String, others: [String], in db: any Connection) throws -> [Match] {
    var conditions: SQL = "w.kind = \(kind) AND w.word >= \(Array(word.utf8)) AND w.word < \(Words.end(of: word))"
    for other in others {
      conditions = """
        \(conditions) AND EXISTS (SELECT 1 FROM search_words o WHERE o.kind = \(kind) AND o.document = w.document
          AND o.word >= \(Array(other.utf8)) AND o.word < \(Words.end(of: other)))
        """
    }
    let found = try db.all(
      "SELECT w.document, w.word FROM search_words w WHERE \(conditions) ORDER BY w.kind, w.word LIMIT \(Self.candidates)"
    ) { row -> (document: String, word: String) in (try row["document"], try Self.word(row)) }
    return found.reduce(into: [String: Int]()) { best, match in
      best[match.document] = min(best[match.document] ?? .max, match.word == word ? 0 : 1)
    }
    .map { Match(document: $0, score: $1) }
  }

  /// Documents that contain, for each word of the query, a word within its edit distance.
  private func misspelt(_ words: [String], limit: Int, in db: any Connection) throws -> [Match] {
    var documents: [String: Int]?
    for word in words {
      var best: [String: Int] = [:]
      let similar = try similar(to: word, in: db)
      let rows = try db.all(
        """
        SELECT document, word FROM search_words WHERE kind = \(kind) AND word IN \(list: similar.map { Array($0.word.utf8) })
        LIMIT \(Self.candidates)
        """
      ) { row -> (document: String, word: String) in (try row["document"], try Self.word(row)) }
      let distances = Dictionary(similar.map { ($0.word, $0.distance) }) { min($0, $1) }
      for row in rows { best[row.document] = min(best[row.document] ?? .max, distances[row.word] ?? 9) }
      documents =
        documents.map { known in
          known.reduce(into: [:]) { both, item in both[item.key] = best[item.key].map { $0 + item.value } }
        } ?? best
    }
    return (documents ?? [:]).map { Match(document: $0.key, score: 2 + $0.value) }
  }

  /// Words that share a trigram with this one and are within its edit distance. Very common trigrams are ignored
  /// because they are expensive and not selective.
  private func similar(to word: String, in db: any Connection) throws -> [(word: String, distance: Int)] {
    let allowed = Words.typingErrors(in: word)
    guard allowed > 0 else { return [(word, 0)] }
    var shared: [String: Int] = [:]
    for gram in Words.grams(of: word) {
      let words = try db.all(
        """
        SELECT word FROM search_grams WHERE kind = \(kind) AND gram = \(Array(gram.utf8)) LIMIT \(Self.commonGram + 1)
        """
      ) { try Self.word($0) }
      if words.count > Self.commonGram { continue }
      for found in words { shared[found, default: 0] += 1 }
    }
    let letters = Array(word.unicodeScalars)
    let nearest = shared.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.candidates)
    return nearest.compactMap { candidate, _ in
      let distance = Words.distance(letters, Array(candidate.unicodeScalars), atMost: allowed)
      return distance.map { (candidate, $0) }
    }
  }
}
