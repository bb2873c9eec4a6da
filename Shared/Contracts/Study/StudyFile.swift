/// The formats in which sets are imported and exported.
public enum StudyFormat: String, WireEnum {
  /// Questions in odd lines, their answers in even lines.
  case txt
  case csv
  case json
  /// An Anki package.
  case apkg
}

/// The outcome of an imported file.
public struct StudyImport: Codable, Sendable, Equatable {
  /// Absent when the file has no cards and no set was named: no set is made of it.
  public var set: StudySetID?
  public var format: StudyFormat
  /// Cards that are in the set now.
  public var imported: Int
  /// How many of them are equal to an earlier card of the file.
  public var duplicates: Int
  /// Reviews that were added to the caller's log.
  public var reviews: Int
  /// Pictures and sounds of the file, which are not stored; the cards keep their names.
  public var mediaNotImported: Int
  public var skippedCount: Int
  /// The parts that were not imported, in the order of the file; up to 100,000 items, of which consecutive lines with
  /// the same reason make one.
  public var skipped: [SkippedPart]

  public init(
    set: StudySetID?, format: StudyFormat, imported: Int = 0, duplicates: Int = 0, reviews: Int = 0,
    mediaNotImported: Int = 0, skippedCount: Int = 0, skipped: [SkippedPart] = []
  ) {
    (self.set, self.format, self.imported, self.duplicates) = (set, format, imported, duplicates)
    (self.reviews, self.mediaNotImported) = (reviews, mediaNotImported)
    (self.skippedCount, self.skipped) = (skippedCount, skipped)
  }
}

/// A part of a file that was not imported.
public struct SkippedPart: Codable, Sendable, Equatable {
  /// A line of a text file, counted from 1.
  public var line: Int?
  /// The last one of several lines.
  public var lastLine: Int?
  /// A card of an Anki package.
  public var card: Int64?
  /// A note of an Anki package.
  public var note: Int64?
  /// An entry of an Anki package.
  public var entry: String?
  /// Such as `missingAnswer`; more may be added.
  public var reason: String

  public init(
    line: Int? = nil, lastLine: Int? = nil, card: Int64? = nil, note: Int64? = nil, entry: String? = nil,
    reason: String
  ) {
    (self.line, self.lastLine, self.card, self.note) = (line, lastLine, card, note)
    (self.entry, self.reason) = (entry, reason)
  }
}
