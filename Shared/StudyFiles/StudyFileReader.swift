/// Reads a study file from its beginning to its end, one card at a time, in memory that does not depend on its size.
public protocol StudyFileReader {
  /// The next card, or the next part that could not be imported; `nil` at the end.
  /// - Throws: What makes the rest of the file unreadable.
  mutating func next() throws(StudyFileError) -> StudyFileItem?
}

/// An item of a file.
public enum StudyFileItem: Equatable, Sendable {
  /// - Parameter isDuplicate: Whether the file has had a card with the same front and back.
  case card(StudyFileCard, at: StudyFilePosition, isDuplicate: Bool)
  case skipped(StudyFileSkip)
}

/// A part of a file that was not imported.
public struct StudyFileSkip: Equatable, Sendable {
  public var position: StudyFilePosition
  public var reason: StudyFileSkipReason

  public init(_ position: StudyFilePosition, _ reason: StudyFileSkipReason) {
    self.position = position
    self.reason = reason
  }
}

/// A position in a file.
public enum StudyFilePosition: Hashable, Sendable {
  /// A line of a text file, from 1; where a row has several, its first.
  case line(Int)
  /// A card of an Anki collection, by its id.
  case card(Int64)
  /// A note of an Anki collection, by its id.
  case note(Int64)
  /// A media file or another entry of a package, by its name.
  case entry(String)
}

/// The reason why a part of a file was not imported. The raw values are stable.
public enum StudyFileSkipReason: String, Sendable {
  /// The last line of a text file is a question without an answer.
  case missingAnswer
  case emptyFront, emptyBack
  /// Not UTF-8 or UTF-16, or a NUL character.
  case invalidText
  /// Longer than ``StudyFileLimits/textBytes`` or ``StudyFileLimits/recordBytes``.
  case tooLong
  case tooManyTags
  /// A row with fewer columns than a front and a back need.
  case missingColumn
  /// A row with more columns than a front, a back and tags.
  case unexpectedColumn
  /// A column of the header row that is not imported.
  case unknownColumn
  /// A quoted field that is not closed.
  case unterminatedQuote
  /// Text between a closing quote and the next separator.
  case textAfterQuote
  /// A card of a JSON file that is not one, or a row of a collection with values of wrong types.
  case invalidRecord
  /// A note, note type or template that a card refers to is absent.
  case missingNote, missingNoteType, missingTemplate
  /// A note without any card.
  case noCards
  /// A card of a cloze note without its deletion.
  case missingCloze
  /// The collection has no index by which the reviews of a card could be found.
  case reviewsWithoutIndex
  /// A media name that is a path, reserved or too long.
  case unsafeName
  case duplicateName
  /// A media file that the list names and the package does not contain.
  case missingFile
  /// A media file larger than ``StudyFileLimits/mediaBytes``.
  case fileTooLarge
  /// An entry that is damaged, encrypted, a link, or compressed by an unknown method.
  case unreadableFile
  /// An entry that no list names.
  case unknownEntry
}

/// Bounds on what a file may cost its reader.
public struct StudyFileLimits: Sendable {
  /// The longest front or back, in bytes of UTF-8.
  public var textBytes = 65_536
  /// The longest line, row, note or card, in bytes.
  public var recordBytes = 1 << 20
  public var tags = 100
  /// The cards; of a package, as many again may be skipped.
  public var cards = 1_000_000
  /// The reviews that are read for one card.
  public var reviews = 10_000
  /// The entries of a package.
  public var entries = 80_000
  /// The sum of everything that is decompressed from a package, in bytes.
  public var uncompressedBytes: Int64 = 4 << 30
  /// The size of the collection in a package, in bytes.
  public var collectionBytes: Int64 = 512 << 20
  /// The size of one media file, in bytes.
  public var mediaBytes: Int64 = 100 << 20
  /// The size of the list of media files, in bytes.
  public var mediaListBytes: Int64 = 8 << 20
  /// How many times larger than its compressed form an entry of more than 16 MiB may be.
  public var compressionRatio: Int64 = 200
  /// The names of the fields and the templates of one note type in a package, in bytes.
  public var noteTypeBytes = 1 << 20
  /// The bytes of fields and templates that the cards of a package may show in sum.
  public var renderedBytes: Int64 = 4 << 30
  /// The virtual-machine instructions that SQLite may execute for a package.
  public var work: Int64 = 1_000_000_000

  public init() {}
}

/// Counts the result of an import.
public struct ImportReport: Equatable, Sendable {
  public private(set) var imported = 0
  /// How many of the imported cards are equal to an earlier one.
  public private(set) var duplicates = 0
  public private(set) var skippedCount = 0
  /// The skipped parts, up to ``listed``.
  public private(set) var skipped: [StudyFileSkip] = []
  /// How many skipped parts are listed. ``skippedCount`` has them all.
  public let listed: Int

  public init(listed: Int = 10_000) { self.listed = listed }

  public mutating func record(_ item: StudyFileItem) {
    switch item {
    case .card(_, _, let isDuplicate):
      imported += 1
      if isDuplicate { duplicates += 1 }
    case .skipped(let skip): record(skip)
    }
  }

  public mutating func record(_ skip: StudyFileSkip) {
    skippedCount += 1
    if skipped.count < listed { skipped.append(skip) }
  }
}

/// Checks cards of all formats, and remembers which it has had.
struct CardCheck {
  let limits: StudyFileLimits
  private var seen: Set<Int> = []
  private var count = 0

  init(_ limits: StudyFileLimits) { self.limits = limits }

  mutating func item(_ card: StudyFileCard, at position: StudyFilePosition) throws(StudyFileError) -> StudyFileItem {
    if let reason = problem(card) { return .skipped(StudyFileSkip(position, reason)) }
    count += 1
    guard count <= limits.cards else { throw .tooManyCards }
    var hasher = Hasher()
    hasher.combine(card.front)
    hasher.combine(card.back)
    hasher.combine(card.frontMedia)
    hasher.combine(card.backMedia)
    return .card(card, at: position, isDuplicate: !seen.insert(hasher.finalize()).inserted)
  }

  private func problem(_ card: StudyFileCard) -> StudyFileSkipReason? {
    if card.front.utf8.count > limits.textBytes || card.back.utf8.count > limits.textBytes { return .tooLong }
    if card.hasEmptyFront { return .emptyFront }
    if card.hasEmptyBack { return .emptyBack }
    if card.tags.count > limits.tags { return .tooManyTags }
    return nil
  }
}
