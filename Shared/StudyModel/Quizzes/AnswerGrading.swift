/// How an answer compares with the right one.
public enum AnswerGrade: Int, Sendable, Hashable, CaseIterable, Comparable {
  case incorrect = 0
  /// Right but for a typing error or the article; counts as right and is worth showing.
  case almost = 1
  case correct = 2

  /// Whether the answer counts as right.
  public var isRight: Bool { self != .incorrect }

  public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// Grades written answers.
///
/// - Case, accents, punctuation, repeated spaces and an article in front do not matter; a German umlaut may be written
///   with e. Another article of a language with genders makes an answer ``AnswerGrade/almost``.
/// - Several accepted answers are separated by `;`, a new line, or `/` (not within fractions and units such as `km/h`);
///   a part in parentheses may be left out. Someone who gives several answers needs all of them right.
/// - Typing errors: none up to 4 letters, one up to 8, two from 9 (insertion, deletion, replacement, swap of
///   neighbors). Digits must be exact.
public enum AnswerGrading {
  /// Alternatives of an expected answer that count; more are ignored.
  public static let maximumAlternatives = 32

  public static func grade(_ given: String, expected: String) -> AnswerGrade {
    let alternatives = alternatives(expected)
    let whole = best(given, alternatives)
    if whole == .correct { return whole }
    let parts = split(given)
    guard parts.count > 1 else { return whole }
    return max(whole, parts.map { best($0, alternatives) }.min() ?? .incorrect)
  }

  /// The texts that are accepted: the whole, its parts, and both without what is in parentheses.
  static func alternatives(_ expected: String) -> [String] {
    var result: [String] = []
    for text in [expected] + split(expected) {
      result.append(text)
      if let shorter = withoutParentheses(text) { result.append(shorter) }
    }
    return Array(result.prefix(maximumAlternatives))
  }

  /// The key by which two answers are the same for a learner, apart from typing errors.
  static func key(_ text: String) -> String {
    let folded = AnswerText(text).withoutArticle
    return folded.words.isEmpty ? trimmed(text) : String(folded.characters)
  }

  /// The keys of all accepted answers, umlauts also written with e.
  static func keys(_ answer: String) -> Set<String> {
    var keys: Set<String> = []
    for text in alternatives(answer) {
      keys.insert(key(text))
      let digraphs = AnswerText(text, umlautsAsDigraphs: true).withoutArticle
      if !digraphs.words.isEmpty { keys.insert(String(digraphs.characters)) }
    }
    return keys
  }

  private static func best(_ given: String, _ alternatives: [String]) -> AnswerGrade {
    var best = AnswerGrade.incorrect
    for alternative in alternatives where best != .correct { best = max(best, compare(given, alternative)) }
    return best
  }

  private static func compare(_ given: String, _ expected: String) -> AnswerGrade {
    let answer = AnswerText(given)
    let right = AnswerText(expected)
    // Nothing but punctuation.
    if right.words.isEmpty || answer.words.isEmpty {
      let text = trimmed(expected)
      return !text.isEmpty && text == trimmed(given) ? .correct : .incorrect
    }
    if tooLong(given) || tooLong(expected) { return trimmed(given) == trimmed(expected) ? .correct : .incorrect }
    if answer == right { return .correct }
    let (bareAnswer, bareRight) = (answer.withoutArticle, right.withoutArticle)
    let digraphs = AnswerText(expected, umlautsAsDigraphs: true).withoutArticle
    let isSplitByHyphen = [given, expected].contains { $0.contains("-") }
    if bareAnswer == bareRight || bareAnswer == digraphs
      || (isSplitByHyphen && bareAnswer.compact == bareRight.compact && bareAnswer.numbers == bareRight.numbers)
    {
      return areCompatible(answer.article, right.article) ? .correct : .almost
    }
    guard bareAnswer.numbers == bareRight.numbers else { return .incorrect }
    let limit = tolerance(letters: bareRight.letters)
    let isClose = [bareRight, digraphs].contains {
      EditDistance.between(bareAnswer.characters, $0.characters, limit: limit) != nil
    }
    return isClose && limit > 0 ? .almost : .incorrect
  }

  /// A missing article is no error, nor one English article for another.
  private static func areCompatible(_ one: String?, _ other: String?) -> Bool {
    guard let one, let other, one != other else { return true }
    return AnswerText.englishArticles.contains(one) && AnswerText.englishArticles.contains(other)
  }

  static func tolerance(letters: Int) -> Int { letters <= 4 ? 0 : letters <= 8 ? 1 : 2 }

  private static func tooLong(_ text: String) -> Bool {
    text.unicodeScalars.dropFirst(AnswerText.maximumScalars).first != nil
  }

  private static func split(_ text: String) -> [String] {
    // Characters, so that a carriage return with line feed is one new line.
    text.split(whereSeparator: { $0 == ";" || $0 == "\u{FF1B}" || $0.isNewline }).flatMap { part -> [Substring] in
      let parts = part.split(separator: "/")
      let areAnswers = parts.allSatisfy { $0.count(where: \.isLetter) > 1 }
      return areAnswers ? parts : [part]
    }.map { trimmed(String($0)) }.filter { !$0.isEmpty }
  }

  private static func withoutParentheses(_ text: String) -> String? {
    var depth = 0
    var rest = ""
    for character in text {
      if character == "(" {
        depth += 1
      } else if character == ")", depth > 0 {
        depth -= 1
      } else if depth == 0 {
        rest.append(character)
      }
    }
    return depth == 0 && rest.count < text.count && !AnswerText(rest).words.isEmpty ? rest : nil
  }

  static func trimmed(_ text: String) -> String {
    let start = text.drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }
}
