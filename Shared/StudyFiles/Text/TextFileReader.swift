/// Reads a text file in which odd lines are questions and even lines are their answers.
///
/// Blank lines count: a blank question and a blank answer are left out together, so that a blank line never makes
/// answers of the questions that follow. A pair with one bad line is skipped and reported at that line. The line
/// separator U+2028 inside a line is a line break of the card's text; nothing else is special.
public struct TextFileReader: StudyFileReader {
  private var lines: TextLines
  private var check: CardCheck
  private let limits: StudyFileLimits
  private var pending: StudyFileItem?

  /// - Parameter path: A file in UTF-8, or in UTF-16 with a byte order mark.
  public init(_ path: String, limits: StudyFileLimits = StudyFileLimits()) throws(StudyFileError) {
    self.limits = limits
    lines = TextLines(try TextSource(path), maxBytes: limits.textBytes)
    check = CardCheck(limits)
  }

  public mutating func next() throws(StudyFileError) -> StudyFileItem? {
    if let item = pending {
      pending = nil
      return item
    }
    while let question = try lines.next() {
      let front = text(question)
      guard let answer = try lines.next() else {
        if case .valid(let front) = front, front.isBlank { return nil }
        return .skipped(StudyFileSkip(.line(question.number), .missingAnswer))
      }
      switch (front, text(answer)) {
      case (.valid(let front), .valid(let back)):
        if front.isBlank, back.isBlank { continue }
        let line = front.isBlank || !back.isBlank ? question.number : answer.number
        return try check.item(StudyFileCard(front: front, back: back), at: .line(line))
      case (.invalid(let reason), .valid):
        return .skipped(StudyFileSkip(.line(question.number), reason))
      case (.valid, .invalid(let reason)):
        return .skipped(StudyFileSkip(.line(answer.number), reason))
      case (.invalid(let first), .invalid(let second)):
        pending = .skipped(StudyFileSkip(.line(answer.number), second))
        return .skipped(StudyFileSkip(.line(question.number), first))
      }
    }
    return nil
  }

  private enum LineText {
    case valid(String)
    case invalid(StudyFileSkipReason)
  }

  private func text(_ line: TextLines.Line) -> LineText {
    if line.isTooLong { return .invalid(.tooLong) }
    guard let text = line.bytes.validText else { return .invalid(.invalidText) }
    return .valid(TextFileWriter.restoringLineBreaks(text, in: line.bytes))
  }
}
