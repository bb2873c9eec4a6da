/// Reads an Anki package (`.apkg`), of the current format and the two before it: first the cards with ``next()``, then
/// the media files with ``nextMedia(into:where:)``.
///
/// A card's sides are what its template shows, as plain text; the back does not repeat the front. A package is never
/// trusted: its database is opened read-only with bounds on work and sizes, entries are decompressed as streams within
/// ``StudyFileLimits``, and names of entries and media are never used as paths.
public final class AnkiPackageReader: StudyFileReader {
  /// The name for a set with these cards: the level that all decks have in common, or else their names.
  public let title: String

  private let archive: ZipArchive
  private let collection: AnkiCollection
  private let collectionPath: String
  private let limits: StudyFileLimits
  private let isLatest: Bool
  private var check: CardCheck
  private var renderingWork: Int64
  /// How many cards and notes have been looked at.
  private var seen = 0
  private var lastCard: Int64?
  private var lastNote: (id: Int64, note: AnkiCollection.Note)?
  private var stage = Stage.log
  private var media: MediaWalk?

  private enum Stage { case log, cards, notes, end }

  /// - Parameters:
  ///   - path: The package.
  ///   - folder: An existing folder for the decompressed database, which is removed with the reader. Two readers must
  ///     not share it.
  /// - Throws: ``StudyFileError`` when the package or its collection cannot be read at all.
  public init(_ path: String, folder: String, limits: StudyFileLimits = StudyFileLimits()) throws(StudyFileError) {
    self.limits = limits
    check = CardCheck(limits)
    renderingWork = limits.renderedBytes
    archive = try ZipArchive(path, limits: limits)
    let names = ["collection.anki21b", "collection.anki21", "collection.anki2"]
    guard let entry = names.lazy.compactMap(archive.entry).first else { throw .damagedPackage }
    isLatest = entry.name == names[0]
    collectionPath = folder + "/collection.sqlite"
    let file = try OutputFile(collectionPath, replaces: false)
    do throws(StudyFileError) {
      try archive.read(entry, maxBytes: limits.collectionBytes, isZstandard: isLatest) {
        (bytes) throws(StudyFileError) in try file.write(bytes)
      }
      try file.flush()
      collection = try AnkiCollection(collectionPath, limits: limits)
      title = try Self.title(collection.deckNames())
    } catch {
      removeFile(folder + "/collection.sqlite")
      throw error
    }
  }

  deinit { removeFile(collectionPath) }

  private static func title(_ decks: [String]) -> String {
    var common = decks.first?.split(separator: "::").map(String.init) ?? []
    for deck in decks {
      let levels = deck.split(separator: "::").map(String.init)
      common = zip(common, levels).prefix { $0 == $1 }.map(\.0)
    }
    return common.isEmpty ? decks.joined(separator: ", ") : common.joined(separator: "::")
  }

  public func next() throws(StudyFileError) -> StudyFileItem? {
    if stage == .log {
      stage = .cards
      if collection.hasReviewsWithoutIndex {
        return .skipped(StudyFileSkip(.entry("revlog"), .reviewsWithoutIndex))
      }
    }
    if stage == .cards {
      if let id = try collection.nextCard(after: lastCard) {
        lastCard = id
        try count()
        return try item(id)
      }
      stage = .notes
    }
    if stage == .notes {
      if let id = try collection.nextNoteWithoutCards() {
        try count()
        return .skipped(StudyFileSkip(.note(id), .noCards))
      }
      stage = .end
    }
    return nil
  }

  private func count() throws(StudyFileError) {
    seen += 1
    guard seen <= 2 * limits.cards else { throw .tooManyCards }
  }

  private func item(_ id: Int64) throws(StudyFileError) -> StudyFileItem {
    func skipped(_ reason: StudyFileSkipReason) -> StudyFileItem { .skipped(StudyFileSkip(.card(id), reason)) }
    // A few bytes of a card can show a large note, or need a large note type.
    guard renderingWork >= 0 else { throw .workLimit }
    guard let row = try collection.card(id) else { return skipped(.invalidRecord) }
    let note: AnkiCollection.Note
    do throws(StudyFileError) {
      guard let found = try self.note(row.note) else { return skipped(.missingNote) }
      note = found
    } catch .tooLarge {
      renderingWork -= Int64(limits.recordBytes)
      return skipped(.tooLong)
    }
    renderingWork -= Int64(note.bytes + 100)
    guard note.tags.count <= limits.tags else { return skipped(.tooManyTags) }
    guard note.fields.allSatisfy({ $0.validText != nil }) else { return skipped(.invalidText) }
    guard let noteType = try collection.noteType(note.noteType, work: &renderingWork) else {
      return skipped(.missingNoteType)
    }
    let deck = try collection.deckName(row.deck)
    let special = ["Tags": note.tagsHTML, "Deck": Array(HTMLEntities.encode(deck ?? "").utf8)]
    let sides = noteType.card(row.ordinal, of: note.fields, special: special, limits: limits, work: &renderingWork)
    guard renderingWork >= 0 else { throw .workLimit }
    switch sides {
    case .failure(let problem): return skipped(problem.reason)
    case .success(let sides):
      let card = StudyFileCard(
        id: note.guid, front: sides.front.text, back: sides.back.text, tags: note.tags, deck: deck,
        frontMedia: sides.front.media, backMedia: sides.back.media, schedule: row.schedule)
      return try check.item(card, at: .card(id))
    }
  }

  private func note(_ id: Int64) throws(StudyFileError) -> AnkiCollection.Note? {
    // Cards of a note usually follow one another.
    if let last = lastNote, last.id == id { return last.note }
    guard let note = try collection.note(id) else { return nil }
    lastNote = (id, note)
    return note
  }

  // MARK: - media

  /// A media file of a package.
  public enum Media: Equatable, Sendable {
    /// - Parameter path: The file in the given folder, named by a number.
    case file(name: String, path: String, bytes: Int64)
    case skipped(StudyFileSkip)
  }

  private struct MediaWalk {
    var files: [AnkiMediaList.File]
    var entries: [String: ZipArchive.Entry] = [:]
    var names: Set<String> = []
    var index = 0
    /// Entries that no list names.
    var others: [ZipArchive.Entry] = []
  }

  /// Extracts the next media file.
  /// - Parameters:
  ///   - folder: An existing folder; existing files in it are not overwritten.
  ///   - isWanted: Whether to extract the file of a name; others are passed over.
  /// - Returns: `nil` when all have been seen.
  /// - Throws: ``StudyFileError/damagedPackage`` when the list of media is damaged, and what makes going on impossible.
  public func nextMedia(into folder: String, where isWanted: (String) -> Bool = { _ in true }) throws(StudyFileError)
    -> Media?
  {
    // Taken out, so that its changes do not copy it.
    var walk: MediaWalk
    if let started = media.take() { walk = started } else { walk = try startMedia() }
    defer { media = walk }
    while walk.index < walk.files.count {
      let file = walk.files[walk.index]
      walk.index += 1
      let position = StudyFilePosition.entry(file.name)
      guard AnkiMediaList.isSafe(file.name) else { return .skipped(StudyFileSkip(position, .unsafeName)) }
      guard walk.names.insert(file.name).inserted else { return .skipped(StudyFileSkip(position, .duplicateName)) }
      guard isWanted(file.name) else { continue }
      guard let entry = walk.entries[file.entry] else { return .skipped(StudyFileSkip(position, .missingFile)) }
      return try extract(entry, file, to: "\(folder)/\(walk.index - 1)")
    }
    guard let other = walk.others.popLast() else { return nil }
    let reason: StudyFileSkipReason =
      other.isDuplicate ? .duplicateName : AnkiMediaList.isSafe(other.name) ? .unknownEntry : .unsafeName
    return .skipped(StudyFileSkip(.entry(other.name), reason))
  }

  private func startMedia() throws(StudyFileError) -> MediaWalk {
    var walk = MediaWalk(files: [])
    if let entry = archive.entry("media") {
      let content = try archive.content(entry, maxBytes: limits.mediaListBytes, isZstandard: isLatest)
      walk.files =
        isLatest
        ? try AnkiMediaList(protobuf: content, maxCount: limits.entries).files
        : try AnkiMediaList(json: content, maxCount: limits.entries).files
    }
    let listed = Set(walk.files.map(\.entry))
    let own: Set = ["collection.anki21b", "collection.anki21", "collection.anki2", "media", "meta"]
    for entry in archive.entries {
      if listed.contains(entry.name), !entry.isDuplicate {
        walk.entries[entry.name] = entry
      } else if entry.isDuplicate || !own.contains(entry.name) {
        walk.others.append(entry)
      }
    }
    return walk
  }

  private func extract(_ entry: ZipArchive.Entry, _ file: AnkiMediaList.File, to path: String) throws(StudyFileError)
    -> Media
  {
    let output = try OutputFile(path, replaces: false)
    var bytes: Int64 = 0
    do throws(StudyFileError) {
      try archive.read(entry, maxBytes: limits.mediaBytes, isZstandard: isLatest) { (piece) throws(StudyFileError) in
        bytes += Int64(piece.count)
        try output.write(piece)
      }
      try output.flush()
      if let size = file.size, size != bytes { throw .damagedPackage }
      return .file(name: file.name, path: path, bytes: bytes)
    } catch {
      removeFile(path)
      switch error {
      case .tooLarge where archive.hasBudget, .compressionBomb:
        return .skipped(StudyFileSkip(.entry(file.name), .fileTooLarge))
      case .damagedPackage, .encryptedPackage, .unsupportedCompression:
        return .skipped(StudyFileSkip(.entry(file.name), .unreadableFile))
      default: throw error
      }
    }
  }
}
