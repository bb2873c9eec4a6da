/// A text as answers are compared: small letters without accents, words separated by one space, no punctuation.
///
/// Characters compare by canonical equivalence, so letters outside ``LetterFolding``'s table (Hangul, kana with marks)
/// are equal however they are composed. Kept are digits with their sign and decimal separator (a comma becomes a point,
/// commas before groups of three digits go) and signs that carry meaning, as in `C#`, `C++` or `50 %`.
struct AnswerText: Hashable {
  let words: [[Character]]

  /// Longer texts are cut; no learner types them.
  static let maximumScalars = 4096

  init(_ text: String, umlautsAsDigraphs: Bool = false) {
    var folder = Folder(umlautsAsDigraphs: umlautsAsDigraphs)
    let scalars = Array(text.unicodeScalars.prefix(Self.maximumScalars))
    for index in scalars.indices {
      folder.add(
        scalars[index], before: index + 1 < scalars.count ? scalars[index + 1] : nil,
        after: index > 0 ? scalars[index - 1] : nil)
    }
    words = folder.text.split(separator: " ").map { Array(Self.withoutGroups($0)) }
  }

  private init(words: [[Character]]) { self.words = words }

  /// The words with single spaces.
  var characters: [Character] { Array(words.joined(separator: [" "])) }
  /// Without spaces.
  var compact: [Character] { Array(words.joined()) }
  /// Its article in front, if words follow it.
  var article: String? {
    guard words.count > 1 else { return nil }
    let first = String(words[0])
    return Self.articles.contains(first) ? first : nil
  }
  var withoutArticle: AnswerText { article == nil ? self : AnswerText(words: Array(words.dropFirst())) }
  var letters: Int { words.reduce(0) { $0 + $1.count(where: \.isLetter) } }

  /// The runs of digits, with signs and separators.
  var numbers: [String] {
    var numbers: [String] = []
    for word in words {
      var run = ""
      for character in word + [" "] {
        if character.isNumber || (!run.isEmpty && character == ".") || (run.isEmpty && character == "-") {
          run.append(character)
        } else {
          if run.contains(where: \.isNumber) { numbers.append(run) }
          run = ""
        }
      }
    }
    return numbers
  }

  static let englishArticles: Set<String> = ["a", "an", "the"]

  /// English, German, French, Spanish, Italian, Portuguese, Dutch.
  private static let articles: Set<String> = englishArticles.union([
    "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "eines", "le", "la", "les", "l",
    "un", "une", "el", "los", "las", "una", "unos", "unas", "il", "lo", "gli", "i", "uno", "o", "os", "um", "uma", "de",
    "het", "een",
  ])

  /// `1.000.000` with commas in the original arrives here as `1,000,000`.
  private static func withoutGroups(_ word: Substring) -> String {
    guard word.contains(",") else { return String(word) }
    let parts = word.split(separator: ",", omittingEmptySubsequences: false)
    let areGroups = parts.dropFirst().allSatisfy { $0.prefix(while: \.isNumber).count == 3 }
    return parts.joined(separator: areGroups ? "" : ".")
  }
}

/// Folds scalar by scalar.
private struct Folder {
  let umlautsAsDigraphs: Bool
  var text = ""
  private var previous: Unicode.Scalar?

  init(umlautsAsDigraphs: Bool) { self.umlautsAsDigraphs = umlautsAsDigraphs }

  mutating func add(_ original: Unicode.Scalar, before next: Unicode.Scalar?, after last: Unicode.Scalar?) {
    if umlautsAsDigraphs, original.value == 0x0308, let previous, "aou".unicodeScalars.contains(previous) {
      text.append("e")
      return
    }
    if LetterFolding.isAccent(original, after: previous) { return }
    for scalar in halfWidth(original).properties.lowercaseMapping.unicodeScalars
    where !LetterFolding.isAccent(scalar, after: previous) {
      append(scalar, before: next, after: last)
      previous = scalar
    }
  }

  private mutating func append(_ scalar: Unicode.Scalar, before next: Unicode.Scalar?, after last: Unicode.Scalar?) {
    if umlautsAsDigraphs, let digraph = ["ä": "ae", "ö": "oe", "ü": "ue"][scalar] {
      text += digraph
    } else if let base = LetterFolding.base(of: scalar) {
      text += base
    } else if ["'", "\u{2019}", "\u{02BC}", "\u{2018}", "\u{0060}", "\u{00B4}"].contains(scalar) {
      // Elided articles are words; elsewhere apostrophes are often left out.
      if ["l", "un"].contains(text.split(separator: " ", omittingEmptySubsequences: false).last) { text.append(" ") }
    } else if ["-", "\u{2212}", "\u{2010}", "\u{2011}", "\u{2013}"].contains(scalar) {
      text.append(isDigit(next) && !isWord(last) ? "-" : " ")
    } else if [".", ","].contains(scalar) {
      text.append(isDigit(next) && isDigit(last) ? Character(scalar) : " ")
    } else if "%#&@*§".unicodeScalars.contains(scalar) {
      text.unicodeScalars.append(scalar)
    } else if isSeparator(scalar) {
      text.append(" ")
    } else {
      text.unicodeScalars.append(scalar)
    }
  }

  /// ASCII for the full-width forms of East Asian keyboards.
  private func halfWidth(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    guard (0xFF01...0xFF5E).contains(scalar.value) else { return scalar }
    return Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar
  }

  private func isDigit(_ scalar: Unicode.Scalar?) -> Bool { scalar?.properties.generalCategory == .decimalNumber }

  private func isWord(_ scalar: Unicode.Scalar?) -> Bool {
    scalar.map { isDigit($0) || $0.properties.isAlphabetic } ?? false
  }

  private func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
      .finalPunctuation, .otherPunctuation, .spaceSeparator, .lineSeparator, .paragraphSeparator, .control, .format:
      true
    default: false
    }
  }
}
