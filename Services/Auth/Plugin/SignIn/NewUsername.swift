import Contracts
import Foundation

/// Usernames for users who sign up with a provider, by which others find them; they can choose another one.
enum NewUsername {
  /// Letters of the name that are used, so that a number has a place behind it.
  private static let maxLength = 20
  /// Letters that have a usual spelling with others.
  private static let spellings: [Character: String] = [
    "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "ø": "oe", "å": "aa", "œ": "oe", "ð": "d", "þ": "th",
    "ł": "l", "đ": "d", "ı": "i",
  ]

  /// Usernames from a name, most wanted first: `ada.lovelace`, `ada.lovelace2`, and some with a random number, one of
  /// which is free.
  static func candidates(_ givenName: String?, _ familyName: String?) -> [String] {
    let words = [givenName, familyName].compactMap { $0.map(letters) }.filter { !$0.isEmpty }
    var base = String(words.joined(separator: ".").prefix(maxLength))
    while base.last == "." { base.removeLast() }
    let isName = base.utf8.count >= 3
    if !isName { base = "user" }
    let plain = isName ? [base] + (2...5).map { "\(base)\($0)" } : []
    let random = [100..<1000, 1000..<100_000, 100_000..<10_000_000, 10_000_000..<100_000_000]
      .map { "\(base)\(Int.random(in: $0))" }
    return (plain + random).filter { (try? Username(validating: $0)) != nil }
  }

  /// Lowercase letters of ASCII and digits.
  private static func letters(_ name: String) -> String {
    let spelled = name.prefix(100).lowercased().map { spellings[$0] ?? String($0) }.joined()
    let latin = spelled.applyingTransform(.toLatin, reverse: false) ?? spelled
    let folded = latin.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    return folded.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }
}
