/// Writes a text file in which odd lines are questions and even lines are their answers: UTF-8 without a byte order
/// mark, lines that end with LF. A line break inside a text is written as the line separator U+2028. Tags and media are
/// not written.
public struct TextFileWriter {
  private let file: OutputFile
  private var isEmpty = true

  /// - Parameter path: A file that is created or overwritten.
  public init(_ path: String) throws(StudyFileError) { file = try OutputFile(path) }

  /// Writes a card.
  /// - Returns: Why the card was left out, when its front or back has no text or has NUL, which no reader would accept.
  @discardableResult
  public mutating func write(_ card: StudyFileCard) throws(StudyFileError) -> StudyFileSkipReason? {
    if card.front.isBlank { return .emptyFront }
    if card.back.isBlank { return .emptyBack }
    if card.front.utf8.contains(0) || card.back.utf8.contains(0) { return .invalidText }
    // A text that begins with U+FEFF would lose it as a byte order mark.
    if isEmpty, card.front.utf8.starts(with: [0xEF, 0xBB, 0xBF]) { try file.write("\u{FEFF}") }
    isEmpty = false
    try file.write(Self.oneLine(card.front) + "\n" + Self.oneLine(card.back) + "\n")
    return nil
  }

  /// Completes the file.
  public mutating func finish() throws(StudyFileError) { try file.flush() }

  private static func oneLine(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 10 || $0 == 13 }) else { return text }
    var line = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      if scalar == "\n" || scalar == "\r" {
        if !(previous == "\r" && scalar == "\n") { line.append("\u{2028}") }
      } else {
        line.append(scalar)
      }
      previous = scalar
    }
    return String(line)
  }

  static func restoringLineBreaks(_ text: String, in bytes: [UInt8]) -> String {
    guard bytes.firstIndex(of: "\u{2028}", from: 0) != nil else { return text }
    var restored = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { restored.append(scalar == "\u{2028}" ? "\n" : scalar) }
    return String(restored)
  }
}
