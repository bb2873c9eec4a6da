/// The formats of study files.
public enum StudyFileFormat: String, CaseIterable, Sendable {
  case text, csv, json
  /// An Anki package (`.apkg`).
  case anki

  /// Recognizes the format of a file by its content.
  ///
  /// A text is CSV when it has Anki's headers or a row of known column names, or when tabs divide every row, or commas
  /// or semicolons divide more than two rows, into the same number of two or three columns; any other text is questions
  /// and answers.
  /// - Throws: ``StudyFileError/unknownFormat`` for a file that is neither an archive nor text.
  public static func detect(_ path: String) throws(StudyFileError) -> StudyFileFormat {
    let file = try InputFile(path)
    let start = try file.read(4096)
    if start.starts(with: Array("PK\u{3}\u{4}".utf8)) || start.starts(with: Array("PK\u{5}\u{6}".utf8)) { return .anki }
    let isUTF16 = start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF])
    guard isUTF16 || start.firstIndex(of: 0, from: 0) == nil else { throw .unknownFormat }
    var values = JSONValues(try TextSource(path), maxBytes: 0)
    if try values.take(UInt8(ascii: "{")), try values.take(UInt8(ascii: "\"")) { return .json }
    values = JSONValues(try TextSource(path), maxBytes: 0)
    if try values.take(UInt8(ascii: "[")), try values.take(UInt8(ascii: "{")) { return .json }
    let limits = StudyFileLimits()
    var lines = TextLines(try TextSource(path), maxBytes: limits.recordBytes)
    return try CSVLayout(&lines, limits: limits).isEvident ? .csv : .text
  }
}
