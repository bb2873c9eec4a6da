import Contracts
import Persistence
import SyncMerge

/// Published sets, as the library shows and finds them. Publishing makes the texts public, so they are not encrypted.
enum PublicationStore {
  static let index = TextIndex("library")

  struct Stored: Sendable {
    var set: StudySetID
    var owner: UserID
    var title: String
    var description: String
    var tags: [String]
    var cardCount: Int
    var copies: Int
    var publishedAt: Timestamp
    /// When support has removed it.
    var removedAt: Timestamp?
  }

  /// A publication in any state.
  static func find(_ set: StudySetID, in db: any Connection) throws -> Stored? {
    try list("p.set_id = \(set)", "p.set_id", limit: 1, in: db).first
  }

  /// - Throws: ``Problem`` unless everyone may see the set.
  static func get(_ set: StudySetID, in db: any Connection) throws -> Stored {
    guard let stored = try find(set, in: db), stored.removedAt == nil else { throw Problem(.studySetNotFound) }
    return stored
  }

  static func list(_ condition: SQL, _ order: SQL, limit: Int, in db: any Connection) throws -> [Stored] {
    try db.all(
      """
      SELECT p.set_id, p.owner_id, p.title, p.description, p.tags, p.copies, p.published_at, p.removed_at, s.checksums
      FROM publications p JOIN spaces s ON s.id = p.set_id WHERE \(condition) ORDER BY \(order) LIMIT \(limit)
      """
    ) { row in
      let (set, owner): (StudySetID, UserID) = (try row["set_id"], try row["owner_id"])
      let (title, description): (String, String) = (try row["title"], try row["description"])
      let (tags, copies): ([String], Int) = (try row[json: "tags"], try row["copies"])
      let (publishedAt, removedAt): (Timestamp, Timestamp?) = (try row["published_at"], try row["removed_at"])
      let checksums: SpaceChecksums = try row[json: "checksums"]
      return Stored(
        set: set, owner: owner, title: title, description: description, tags: tags,
        cardCount: checksums[.cards].count, copies: copies, publishedAt: publishedAt, removedAt: removedAt)
    }
  }

  /// Publishes a set or updates what is shown of it; ``updateIndex(of:in:)`` follows.
  static func put(_ set: StudySetID, of owner: UserID, _ texts: PublishedTexts, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO publications (set_id, owner_id, title, description, tags, copies, published_at)
      VALUES (\(set), \(owner), \(texts.title), \(texts.description), \(json: texts.tags), 0, \(tx.now))
      ON CONFLICT (set_id) DO UPDATE SET owner_id = excluded.owner_id, title = excluded.title,
        description = excluded.description, tags = excluded.tags
      """
    )
  }

  private static let indexedWords = 100

  /// Makes searches find a set by what the library shows of it: by the first words.
  static func updateIndex(of set: StudySetID, in tx: Transaction) throws {
    guard let stored = try find(set, in: tx), stored.removedAt == nil else {
      return try index.remove(set.rawValue, in: tx)
    }
    try index.put(document(stored), in: tx)
  }

  private static func document(_ stored: Stored) -> TextDocument {
    var rest = indexedWords
    let fields = [stored.title, stored.tags.joined(separator: " "), stored.description].map { text in
      let words = text.split(maxSplits: rest, whereSeparator: \.isWhitespace).prefix(rest)
      rest -= words.count
      return words.joined(separator: " ")
    }
    return TextDocument(stored.set.rawValue, fields)
  }

  /// Indexes the sets that are published.
  static func fillIndex(_ database: any Database) async throws {
    try await index.fill(database, version: 1) { after, limit, tx in
      try list("p.set_id > \(after) AND p.removed_at IS NULL", "p.set_id", limit: limit, in: tx).map { document($0) }
    }
  }

  static func count(of owner: UserID, in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM publications WHERE owner_id = \(owner)")
  }

  static func setOwner(_ owner: UserID, of set: StudySetID, in tx: Transaction) throws {
    try tx.execute("UPDATE publications SET owner_id = \(owner) WHERE set_id = \(set)")
  }

  static func countCopy(of set: StudySetID, in tx: Transaction) throws {
    try tx.execute("UPDATE publications SET copies = copies + 1 WHERE set_id = \(set)")
  }

  /// Hides a set until support reinstates it; the owner cannot publish it meanwhile.
  static func remove(_ set: StudySetID, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE publications SET removed_at = \(tx.now), title = '', description = '', tags = '[]' WHERE set_id = \(set)
      """
    )
    try index.remove(set.rawValue, in: tx)
  }

  static func delete(_ set: StudySetID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM publications WHERE set_id = \(set)")
    try index.remove(set.rawValue, in: tx)
  }
}

/// The texts of a set that the library shows.
struct PublishedTexts: Sendable {
  var title: String
  var description: String
  var tags: [String]
}
