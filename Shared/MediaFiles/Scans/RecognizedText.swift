/// Text of a picture with how sure the recognition is of it.
public struct RecognizedText: Sendable, Equatable {
  /// Lines as they stand on the page; an empty line separates paragraphs.
  public var text: String
  /// The mean of the letters, from 0 to 100; 0 without text.
  public var confidence: Int

  /// Reads what `tesseract … tsv` prints.
  ///
  /// Its columns are level, page, block, paragraph, line, word, left, top, width, height, confidence and text; a word
  /// has level 5.
  ///
  /// - Parameter maxBytes: The rest of a longer text is left out.
  public init(tsv: String, maxBytes: Int = 40_000) {
    var (text, sum, letters) = ("", 0.0, 0)
    var last: (paragraph: [Substring], line: Substring)?
    for row in tsv.split(separator: "\n") {
      let columns = row.split(separator: "\t", omittingEmptySubsequences: false)
      guard columns.count >= 12, columns[0] == "5", let confidence = Double(columns[10]), confidence >= 0 else {
        continue
      }
      let word = String(columns[11].filter { !$0.isWhitespace })
      guard !word.isEmpty else { continue }
      guard text.utf8.count + word.utf8.count + 2 <= maxBytes else { break }
      let paragraph = Array(columns[1...3])
      if let last {
        text += last.paragraph != paragraph ? "\n\n" : last.line != columns[4] ? "\n" : " "
      }
      text += word
      sum += confidence * Double(word.count)
      letters += word.count
      last = (paragraph, columns[4])
    }
    self.text = text
    confidence = letters == 0 ? 0 : min(100, Int((sum / Double(letters)).rounded()))
  }
}
