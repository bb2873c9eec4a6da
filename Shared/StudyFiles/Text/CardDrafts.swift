/// A card that might be meant by a part of a text.
public struct CardDraft: Equatable, Sendable {
  public var front: String
  public var back: String
  /// The line at which it begins, from 1.
  public var line: Int

  public init(front: String, back: String, line: Int) { (self.front, self.back, self.line) = (front, back, line) }
}

/// How a text is divided into cards.
public enum DraftRule: String, Sendable, CaseIterable {
  /// Odd lines are questions, even lines their answers, as in text files (``TextFileReader``); empty lines, which
  /// recognition leaves between paragraphs, do not count.
  case parity
  /// A term and its definition in one line, separated by a tab, a dash between spaces, or a colon; lines without any
  /// continue the definition.
  case terms
  /// A heading is the front, what is below it the back.
  case headings
}

/// Makes drafts of cards of a text that was not written as a file of cards, such as recognized notes.
public enum CardDrafts {
  /// - Parameter rule: The one that fits best by default.
  /// - Returns: The drafts in the order of the text, and the rule that made them.
  public static func make(of text: String, by rule: DraftRule? = nil) -> (drafts: [CardDraft], rule: DraftRule) {
    let lines = NoteLine.all(in: text)
    let rule = rule ?? bestRule(for: lines)
    switch rule {
    case .parity: return (parity(lines), rule)
    case .terms: return (terms(lines), rule)
    case .headings: return (headings(lines), rule)
    }
  }

  private static func bestRule(for lines: [NoteLine]) -> DraftRule {
    let filled = lines.filter { !$0.isEmpty }
    let pairs = stride(from: 0, to: filled.count - 1, by: 2)
    let questions = pairs.lazy.filter { filled[$0].isQuestion }.count
    if questions > 0, 2 * questions >= filled.count / 2 { return .parity }
    let terms = filled.lazy.filter { $0.term != nil }.count
    if terms >= 2, 3 * terms >= filled.count { return .terms }
    if lines.contains(where: \.isHeading) { return .headings }
    return terms > 0 && 3 * terms >= filled.count ? .terms : .parity
  }

  private static func parity(_ lines: [NoteLine]) -> [CardDraft] {
    let filled = lines.filter { !$0.isEmpty }
    return stride(from: 0, to: filled.count - 1, by: 2).map { index in
      CardDraft(front: filled[index].unlabeled, back: filled[index + 1].unlabeled, line: filled[index].number)
    }
  }

  private static func terms(_ lines: [NoteLine]) -> [CardDraft] {
    var drafts: [CardDraft] = []
    // Whether the line above belongs to the last draft.
    var isOpen = false
    for line in lines {
      if let (term, definition) = line.term {
        drafts.append(CardDraft(front: term, back: definition, line: line.number))
        isOpen = true
      } else if line.isEmpty || line.isHeading {
        isOpen = false
      } else if isOpen, let last = drafts.indices.last {
        drafts[last].back = joined(drafts[last].back, line.text)
      }
    }
    return drafts
  }

  private static func headings(_ lines: [NoteLine]) -> [CardDraft] {
    var drafts: [CardDraft] = []
    var isAfterGap = false
    for line in lines {
      if line.isHeading {
        drafts.append(CardDraft(front: line.heading, back: "", line: line.number))
      } else if !line.isEmpty, let last = drafts.indices.last {
        let back = drafts[last].back
        let isNewLine = isAfterGap || line.isListItem
        drafts[last].back = back.isEmpty ? line.text : isNewLine ? back + "\n" + line.text : joined(back, line.text)
      }
      isAfterGap = line.isEmpty
    }
    return drafts.filter { !$0.back.isEmpty }
  }

  /// Joins a line with the one below, of which a word may have been divided.
  private static func joined(_ text: String, _ next: String) -> String {
    guard text.last == "-", text.dropLast().last?.isLetter == true, next.first?.isLowercase == true else {
      return text + " " + next
    }
    return text.dropLast() + next
  }
}

/// A line of notes, and what it may be.
private struct NoteLine {
  private static let maxHeading = 80
  private static let maxTerm = 80
  private static let dashes: [Character] = ["-", "–", "—"]
  private static let listMarks: [Character] = ["-", "–", "•", "*", "·"]

  var number: Int
  /// Without spaces at its ends.
  var text: String
  /// Whether the lines above and below are text.
  var followsText = false
  var precedesText = false

  var isEmpty: Bool { text.isEmpty }

  static func all(in text: String) -> [NoteLine] {
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated().map {
      NoteLine(number: $0.offset + 1, text: trimmed($0.element))
    }
    for index in lines.indices {
      lines[index].followsText = index > 0 && !lines[index - 1].isEmpty
      lines[index].precedesText = index + 1 < lines.count && !lines[index + 1].isEmpty
    }
    return lines
  }

  var isQuestion: Bool { text.last == "?" || hasLabel("Q") }

  /// Without `Q:` and `A:`.
  var unlabeled: String {
    hasLabel("Q") || hasLabel("A") ? Self.trimmed(text.dropFirst(2)) : text
  }

  private func hasLabel(_ letter: Character) -> Bool {
    text.first?.uppercased() == String(letter) && [":", "."].contains(text.dropFirst().first)
  }

  var isListItem: Bool { text.first.map(Self.listMarks.contains) ?? false }

  /// The term and the definition of a line that has both.
  var term: (String, String)? {
    guard !isListItem, !hasLabel("Q"), !hasLabel("A") else { return nil }
    let separator = text.indices.first { index in
      let (before, after) = (text[..<index].last, text[text.index(after: index)...].first)
      switch text[index] {
      case "\t": return true
      // "10:30" and "https://" contain no separator.
      case ":": return after?.isWhitespace == true
      case let mark where Self.dashes.contains(mark): return before?.isWhitespace == true && after?.isWhitespace == true
      default: return false
      }
    }
    guard let separator else { return nil }
    let (term, definition) = (Self.trimmed(text[..<separator]), Self.trimmed(text[text.index(after: separator)...]))
    guard !term.isEmpty, !definition.isEmpty, term.count <= Self.maxTerm, !".?!".contains(term.last ?? " ") else {
      return nil
    }
    return (term, definition)
  }

  /// A marked line, or a short one above text that begins a paragraph and is no sentence.
  var isHeading: Bool {
    if text.hasPrefix("#") { return !heading.isEmpty }
    guard !isEmpty, text.count <= Self.maxHeading, !isListItem, term == nil, precedesText, !followsText,
      text.first?.isLowercase == false, !".,;!?".contains(text.last ?? " ")
    else { return false }
    return text.contains(where: \.isLetter) && text.split(separator: " ").count <= 10
  }

  /// Without the marks of a heading.
  var heading: String {
    let title = Self.trimmed(text.drop { $0 == "#" })
    return title.last == ":" ? String(title.dropLast()) : title
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    var rest = Substring(text).drop(while: \.isWhitespace)
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}
