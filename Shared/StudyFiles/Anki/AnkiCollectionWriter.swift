#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

enum JSONText {
  static func encode(_ value: some Encodable) throws(StudyFileError) -> String {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    } catch {
      throw .unrepresentable
    }
  }
}

/// Writes a collection of schema 11.
final class AnkiCollectionWriter {
  private static let noteType: Int64 = 1_607_392_319_001

  private let file: SQLiteFile
  private let timing: AnkiTiming
  private let createdAt: Int64
  private let title: String
  /// The ids of decks by their names.
  private var decks: [String: Int64] = [:]
  private var count: Int64 = 0
  /// For times of reviews that were taken when another had the same, a later one that may be free.
  private var taken: [Int64: Int64] = [:]

  init(_ path: String, title: String, createdAt: Int64) throws(StudyFileError) {
    file = try SQLiteFile(creating: path)
    let seconds = createdAt / 1000
    // Days begin at four o'clock.
    let shift: Int64 = 4 * 3600
    timing = AnkiTiming(created: (seconds - shift) / AnkiTiming.secondsPerDay * AnkiTiming.secondsPerDay + shift)
    self.createdAt = createdAt
    self.title = Self.deckName(title)
    for table in Self.tables { try file.execute(table) }
    try file.execute("BEGIN")
  }

  private static let tables = [
    """
    CREATE TABLE col (id INTEGER PRIMARY KEY, crt INTEGER NOT NULL, mod INTEGER NOT NULL, scm INTEGER NOT NULL,
      ver INTEGER NOT NULL, dty INTEGER NOT NULL, usn INTEGER NOT NULL, ls INTEGER NOT NULL, conf TEXT NOT NULL,
      models TEXT NOT NULL, decks TEXT NOT NULL, dconf TEXT NOT NULL, tags TEXT NOT NULL)
    """,
    """
    CREATE TABLE notes (id INTEGER PRIMARY KEY, guid TEXT NOT NULL, mid INTEGER NOT NULL, mod INTEGER NOT NULL,
      usn INTEGER NOT NULL, tags TEXT NOT NULL, flds TEXT NOT NULL, sfld INTEGER NOT NULL, csum INTEGER NOT NULL,
      flags INTEGER NOT NULL, data TEXT NOT NULL)
    """,
    """
    CREATE TABLE cards (id INTEGER PRIMARY KEY, nid INTEGER NOT NULL, did INTEGER NOT NULL, ord INTEGER NOT NULL,
      mod INTEGER NOT NULL, usn INTEGER NOT NULL, type INTEGER NOT NULL, queue INTEGER NOT NULL, due INTEGER NOT NULL,
      ivl INTEGER NOT NULL, factor INTEGER NOT NULL, reps INTEGER NOT NULL, lapses INTEGER NOT NULL,
      left INTEGER NOT NULL, odue INTEGER NOT NULL, odid INTEGER NOT NULL, flags INTEGER NOT NULL, data TEXT NOT NULL)
    """,
    """
    CREATE TABLE revlog (id INTEGER PRIMARY KEY, cid INTEGER NOT NULL, usn INTEGER NOT NULL, ease INTEGER NOT NULL,
      ivl INTEGER NOT NULL, lastIvl INTEGER NOT NULL, factor INTEGER NOT NULL, time INTEGER NOT NULL,
      type INTEGER NOT NULL)
    """,
    "CREATE TABLE graves (usn INTEGER NOT NULL, oid INTEGER NOT NULL, type INTEGER NOT NULL)",
  ]

  /// Created last, which is faster than to keep them during the writing.
  private static let indexes = [
    "CREATE INDEX ix_notes_usn ON notes (usn)",
    "CREATE INDEX ix_cards_usn ON cards (usn)",
    "CREATE INDEX ix_revlog_usn ON revlog (usn)",
    "CREATE INDEX ix_cards_nid ON cards (nid)",
    "CREATE INDEX ix_cards_sched ON cards (did, queue, due)",
    "CREATE INDEX ix_revlog_cid ON revlog (cid)",
    "CREATE INDEX ix_notes_csum ON notes (csum)",
  ]

  func write(_ card: StudyFileCard) throws(StudyFileError) {
    let id = createdAt + count
    count += 1
    let seconds = createdAt / 1000
    let tags = card.tags.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: "_") }.filter { !$0.isEmpty }
    let note = try file.statement("INSERT INTO notes VALUES (?1, ?2, ?3, ?4, -1, ?5, ?6, ?7, 0, 0, '')")
    note.bind(1, id)
    note.bind(2, card.id ?? "quintet-\(id)")
    note.bind(3, Self.noteType)
    note.bind(4, seconds)
    note.bind(5, tags.isEmpty ? "" : " \(tags.joined(separator: " ")) ")
    note.bind(6, Self.field(card.front, card.frontMedia) + "\u{1F}" + Self.field(card.back, card.backMedia))
    note.bind(7, card.front)
    guard try note.run() else { throw .unrepresentable }
    try writeCard(card, id: id, at: seconds)
  }

  private func writeCard(_ card: StudyFileCard, id: Int64, at seconds: Int64) throws(StudyFileError) {
    let schedule = card.schedule ?? StudyFileSchedule()
    let numbers = try timing.numbers(schedule, position: count)
    guard schedule.ease?.isFinite ?? true else { throw .unrepresentable }
    let factor = min(max(schedule.ease ?? 0, 0), 60) * 1000
    let row = try file.statement(
      "INSERT INTO cards VALUES (?1, ?1, ?2, 0, ?3, -1, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 0, 0, 0, ?12)")
    row.bind(1, id)
    row.bind(2, deck(card.deck.map(Self.deckName) ?? title))
    row.bind(3, seconds)
    row.bind(4, numbers.type)
    row.bind(5, numbers.queue)
    row.bind(6, numbers.due)
    row.bind(7, Int64(schedule.intervalDays))
    row.bind(8, Int64(factor.rounded()))
    row.bind(9, Int64(schedule.repetitions))
    row.bind(10, Int64(schedule.lapses))
    // One learning step is left.
    row.bind(11, schedule.phase == .learning || schedule.phase == .relearning ? 1 : 0)
    row.bind(12, numbers.data)
    guard try row.run() else { throw .unrepresentable }
    for review in schedule.reviews { try write(review, of: id) }
  }

  private func write(_ review: StudyFileReview, of card: Int64) throws(StudyFileError) {
    // The time is the key. Reviews at the same millisecond get the next ones.
    var time = free(review.time)
    while true {
      let row = try file.statement("INSERT INTO revlog VALUES (?1, ?2, -1, ?3, ?4, ?5, 0, ?6, ?7)")
      row.bind(1, time)
      row.bind(2, card)
      row.bind(3, Int64(review.rating))
      row.bind(4, AnkiTiming.interval(review.interval))
      row.bind(5, AnkiTiming.interval(review.lastInterval))
      row.bind(6, Int64(review.duration))
      row.bind(7, AnkiTiming.type(review.kind))
      if try row.run() { return }
      guard time < .max else { throw .unrepresentable }
      taken[time] = time + 1
      time = free(time)
    }
  }

  /// The first time from one on that is not known to be taken.
  private func free(_ time: Int64) -> Int64 {
    var end = time
    while let next = taken[end] { end = next }
    // The next search takes a short way.
    var current = time
    while let next = taken[current], next != end {
      taken[current] = end
      current = next
    }
    return end
  }

  private func deck(_ name: String) -> Int64 {
    if let id = decks[name] { return id }
    let id = createdAt + Int64(decks.count)
    decks[name] = id
    return id
  }

  private static func deckName(_ name: String) -> String {
    let levels = name.split(separator: "::").map { String($0).trimmed }.filter { !$0.isEmpty }
    return levels.isEmpty ? "Quintet" : levels.joined(separator: "::")
  }

  /// The HTML of a field: the text, and then the media.
  private static func field(_ text: String, _ media: [String]) -> String {
    // The separator of fields cannot be in one.
    var html = HTMLEntities.encode(String(text.unicodeScalars.filter { $0 != "\u{1F}" && $0 != "\0" }))
    for name in media {
      let pictures = [".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".avif", ".bmp", ".tif", ".tiff", ".ico"]
      let lowercase = name.lowercased()
      let isPicture = pictures.contains { lowercase.hasSuffix($0) }
      if !html.isEmpty { html += "<br>" }
      html += isPicture ? "<img src=\"\(HTMLEntities.encode(name))\">" : "[sound:\(name)]"
    }
    return html
  }

  /// Writes the decks and the note type.
  func finish() throws(StudyFileError) {
    let seconds = createdAt / 1000
    _ = deck(title)
    var decks = ["1": Deck(id: 1, name: "Default", mod: seconds)]
    for (name, id) in self.decks { decks[String(id)] = Deck(id: id, name: name, mod: seconds) }
    let row = try file.statement(
      "INSERT INTO col VALUES (1, ?1, ?2, ?2, 11, 0, 0, 0, ?3, ?4, ?5, ?6, '{}')")
    row.bind(1, timing.created)
    row.bind(2, createdAt)
    row.bind(3, try JSONText.encode(Configuration(nextPos: count + 1)))
    row.bind(4, try JSONText.encode([String(Self.noteType): Model(id: Self.noteType, mod: seconds)]))
    row.bind(5, try JSONText.encode(decks))
    row.bind(6, try JSONText.encode(["1": DeckOptions()]))
    guard try row.run() else { throw .unrepresentable }
    for index in Self.indexes { try file.execute(index) }
    try file.execute("COMMIT")
  }
}
