/// The collection of an Anki package, in schema 11 (note types and decks are JSON in the table `col`) or 18 (they have
/// tables of their own).
final class AnkiCollection {
  struct CardRow {
    let id: Int64
    let note: Int64
    let deck: Int64
    let ordinal: Int
    let schedule: StudyFileSchedule
  }

  struct Note {
    let guid: String
    let noteType: Int64
    let tags: [String]
    /// The tags as the value of a field.
    let tagsHTML: [UInt8]
    let fields: [[UInt8]]
    /// The size of all this.
    let bytes: Int
  }

  private let file: SQLiteFile
  private let limits: StudyFileLimits
  private let catalog: any AnkiCatalog
  private let timing: AnkiTiming
  private let hasReviews: Bool
  /// Whether the log has reviews that cannot be found by their cards.
  let hasReviewsWithoutIndex: Bool
  private var decks: [Int64: String] = [:]
  private var notesWithoutCards: Statement?

  init(_ path: String, limits: StudyFileLimits) throws(StudyFileError) {
    self.limits = limits
    file = try SQLiteFile(untrusted: path, limits: limits)
    let columns = [
      "col": ["crt", "models", "decks"],
      "notes": ["id", "guid", "mid", "tags", "flds"],
      "cards": [
        "id", "nid", "did", "ord", "type", "queue", "due", "ivl", "factor", "reps", "lapses", "odue", "odid", "data",
      ],
    ]
    for (table, columns) in columns {
      guard try file.hasTable(table, columns: columns) else { throw .unexpectedSchema }
    }
    let hasLog = try file.hasTable("revlog", columns: ["id", "cid", "ease", "ivl", "lastivl", "time", "type"])
    hasReviews = hasLog ? try file.hasIndex("revlog", on: "cid") : false
    let hasTables = try file.hasTable("notetypes", columns: ["id", "config"])
    if hasTables {
      for (table, columns) in [
        "fields": ["ntid", "ord", "name"], "templates": ["ntid", "ord", "config"], "decks": ["id", "name"],
      ] {
        guard try file.hasTable(table, columns: columns) else { throw .unexpectedSchema }
      }
    }
    file.denyWriting()
    hasReviewsWithoutIndex = hasLog && !hasReviews ? try file.statement("SELECT 1 FROM revlog LIMIT 1").step() : false
    let row = try file.statement("SELECT crt, models, decks FROM col LIMIT 1")
    guard try row.step(), let created = row.integer(0) else { throw .damagedCollection }
    timing = AnkiTiming(created: created)
    if hasTables {
      catalog = AnkiTableCatalog(file, limits: limits)
    } else {
      guard let models = row.bytes(1), let decks = row.bytes(2) else { throw .damagedCollection }
      catalog = try AnkiJSONCatalog(models: models, decks: decks, limits: limits)
    }
    row.reset()
  }

  /// The names of the decks that have cards, at most 100.
  func deckNames() throws(StudyFileError) -> [String] {
    let rows = try file.statement(
      "SELECT DISTINCT CASE WHEN odid <> 0 THEN odid ELSE did END FROM cards LIMIT 100")
    var ids: [Int64] = []
    while try rows.step() { if let id = rows.integer(0) { ids.append(id) } }
    rows.reset()
    var names: [String] = []
    for id in ids { if let name = try deckName(id) { names.append(name) } }
    return names.sorted()
  }

  /// The name of a deck, its levels separated by `::`.
  func deckName(_ id: Int64) throws(StudyFileError) -> String? {
    if let name = decks[id] { return name }
    guard let name = try catalog.deckName(id), name.utf8.count <= 1000 else { return nil }
    if decks.count >= 1000 { decks = [:] }
    decks[id] = name
    return name
  }

  /// - Parameter work: Is reduced by the number of bytes that were looked at.
  func noteType(_ id: Int64, work: inout Int64) throws(StudyFileError) -> NoteType? {
    try catalog.noteType(id, work: &work)
  }

  /// The id of the first card behind another, in the order in which cards were made.
  func nextCard(after id: Int64?) throws(StudyFileError) -> Int64? {
    let rows = try file.statement("SELECT id FROM cards WHERE id >= ?1 ORDER BY id LIMIT 1")
    // Ids of a damaged database do not have to grow.
    guard id != .max else { return nil }
    let least = id.map { $0 + 1 } ?? .min
    rows.bind(1, least)
    guard try rows.step() else { return nil }
    guard let next = rows.integer(0), next >= least else { throw .damagedCollection }
    return next
  }

  /// - Returns: `nil` when a value has the wrong type.
  func card(_ id: Int64) throws(StudyFileError) -> CardRow? {
    let row = try file.statement(
      """
      SELECT nid, did, ord, type, queue, due, ivl, factor, reps, lapses, odue, odid, data FROM cards WHERE id = ?1
      """)
    row.bind(1, id)
    guard try row.step(), let note = row.integer(0), let deck = row.integer(1), let ordinal = row.integer(2),
      let type = row.integer(3), let queue = row.integer(4), let due = row.integer(5), let interval = row.integer(6),
      let factor = row.integer(7), let repetitions = row.integer(8), let lapses = row.integer(9),
      let originalDue = row.integer(10), let originalDeck = row.integer(11), (0..<1000).contains(ordinal)
    else { return nil }
    let data = row.bytes(12) ?? []
    row.reset()
    var schedule = timing.schedule(
      type: type, queue: queue, due: originalDeck != 0 && originalDue != 0 ? originalDue : due, data: data)
    schedule.intervalDays = Int(clamping: max(0, interval))
    schedule.ease = factor > 0 ? Double(factor) / 1000 : nil
    schedule.repetitions = Int(clamping: repetitions)
    schedule.lapses = Int(clamping: lapses)
    schedule.reviews = try reviews(id)
    return CardRow(
      id: id, note: note, deck: originalDeck != 0 ? originalDeck : deck, ordinal: Int(ordinal), schedule: schedule)
  }

  private func reviews(_ card: Int64) throws(StudyFileError) -> [StudyFileReview] {
    guard hasReviews else { return [] }
    let rows = try file.statement(
      "SELECT id, ease, time, type, ivl, lastIvl FROM revlog WHERE cid = ?1 ORDER BY id LIMIT ?2")
    rows.bind(1, card)
    rows.bind(2, Int64(limits.reviews))
    var reviews: [StudyFileReview] = []
    while try rows.step() {
      guard let time = rows.integer(0), let rating = rows.integer(1), let duration = rows.integer(2),
        let type = rows.integer(3), let interval = rows.integer(4), let last = rows.integer(5)
      else { continue }
      let review = timing.review(
        time: time, rating: rating, duration: duration, type: type, interval: interval, lastInterval: last)
      if let review { reviews.append(review) }
    }
    return reviews
  }

  /// - Throws: ``StudyFileError/tooLarge`` for a note that exceeds the limits.
  func note(_ id: Int64) throws(StudyFileError) -> Note? {
    let row = try file.statement("SELECT guid, mid, tags, flds FROM notes WHERE id = ?1")
    row.bind(1, id)
    guard try row.step(), let guid = row.text(0), let noteType = row.integer(1), let tags = row.text(2),
      let content = row.bytes(3)
    else { return nil }
    row.reset()
    let bytes = content.count + tags.utf8.count + guid.utf8.count
    guard bytes <= limits.recordBytes else { throw .tooLarge }
    let fields = content.split(separator: 0x1F, maxSplits: 255, omittingEmptySubsequences: false).map(Array.init)
    let names = tags.split(whereSeparator: \.isWhitespace).map(String.init)
    return Note(
      guid: guid, noteType: noteType, tags: names,
      tagsHTML: Array(HTMLEntities.encode(names.joined(separator: " ")).utf8), fields: fields, bytes: bytes)
  }

  /// The next note that has no cards.
  func nextNoteWithoutCards() throws(StudyFileError) -> Int64? {
    let rows: Statement
    if let started = notesWithoutCards {
      rows = started
    } else {
      rows = try file.statement("SELECT id FROM notes WHERE id NOT IN (SELECT nid FROM cards)")
      notesWithoutCards = rows
    }
    return try rows.step() ? rows.integer(0) : nil
  }
}
