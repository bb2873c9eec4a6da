/// The reason why a study file cannot be read or written at all. Parts that can be left out are reported as
/// ``StudyFileSkip``.
public enum StudyFileError: Error, Equatable, Sendable {
  /// The operating system refused to open, read or write a file; the value is `errno`.
  case inputOutput(Int32)
  /// Not a format that is imported.
  case unknownFormat
  /// A damaged or truncated JSON file; the value is the line.
  case damagedJSON(line: Int)
  /// A damaged or truncated ZIP archive, or one without a collection.
  case damagedPackage
  /// The collection or the list of media files is encrypted.
  case encryptedPackage
  /// A method of compression that packages do not use.
  case unsupportedCompression
  /// The package has more entries than ``StudyFileLimits/entries``.
  case tooManyEntries
  /// Decompressed, the package is larger than ``StudyFileLimits`` allows.
  case tooLarge
  /// An entry decompresses to more than ``StudyFileLimits/compressionRatio`` allows, or needs a huge window.
  case compressionBomb
  /// More cards than ``StudyFileLimits/cards``.
  case tooManyCards
  /// Not a SQLite database, or a damaged one.
  case damagedCollection
  /// A table is absent, or is a view, a virtual table or has computed columns.
  case unexpectedSchema
  /// Queries exceeded ``StudyFileLimits/work``, or cards ``StudyFileLimits/renderedBytes``.
  case workLimit
  /// A value cannot be written in this format: an unsafe media name, or a number that is not finite.
  case unrepresentable

  /// The stable name of the error.
  public var code: String {
    switch self {
    case .inputOutput: "inputOutput"
    case .unknownFormat: "unknownFormat"
    case .damagedJSON: "damagedJSON"
    case .damagedPackage: "damagedPackage"
    case .encryptedPackage: "encryptedPackage"
    case .unsupportedCompression: "unsupportedCompression"
    case .tooManyEntries: "tooManyEntries"
    case .tooLarge: "tooLarge"
    case .compressionBomb: "compressionBomb"
    case .tooManyCards: "tooManyCards"
    case .damagedCollection: "damagedCollection"
    case .unexpectedSchema: "unexpectedSchema"
    case .workLimit: "workLimit"
    case .unrepresentable: "unrepresentable"
    }
  }
}
