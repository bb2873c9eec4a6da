/// Writes cards as CSV (RFC 4180): UTF-8, rows that end with CR LF, a first row `front,back,tags`. Tags are separated
/// by semicolons; a semicolon inside a tag becomes a comma. Media are not written.
public struct CSVFileWriter {
  private let file: OutputFile

  /// - Parameter path: A file that is created or overwritten.
  public init(_ path: String) throws(StudyFileError) {
    file = try OutputFile(path)
    try file.write("front,back,tags\r\n")
  }

  /// Writes a card.
  /// - Returns: Why the card was left out, when its front or back has no text or has NUL, which no reader would accept.
  @discardableResult
  public mutating func write(_ card: StudyFileCard) throws(StudyFileError) -> StudyFileSkipReason? {
    if card.front.isBlank { return .emptyFront }
    if card.back.isBlank { return .emptyBack }
    if card.front.utf8.contains(0) || card.back.utf8.contains(0) { return .invalidText }
    let tags = card.tags.map { $0.split(separator: ";").joined(separator: ",") }
    var joined = tags.joined(separator: ";")
    // A single tag of several words must not be read as several tags.
    if tags.count == 1, joined.contains(where: \.isWhitespace) { joined += ";" }
    try file.write([card.front, card.back, joined].map(Self.quoted).joined(separator: ",") + "\r\n")
    return nil
  }

  /// Completes the file.
  public mutating func finish() throws(StudyFileError) { try file.flush() }

  private static func quoted(_ text: String) -> String {
    let special = Array(",\"\r\n;\t".utf8)
    guard text.utf8.contains(where: special.contains) else { return text }
    var quoted: [UInt8] = [CSVRecords.quote]
    for byte in text.utf8 {
      if byte == CSVRecords.quote { quoted.append(byte) }
      quoted.append(byte)
    }
    quoted.append(CSVRecords.quote)
    return String(decoding: quoted, as: UTF8.self)
  }
}
