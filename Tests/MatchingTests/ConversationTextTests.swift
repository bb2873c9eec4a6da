import Contracts
import TestKit
import Testing

/// What texts of messages and reactions may contain.
struct ConversationTextTests {
  @Test(arguments: [
    ("a\u{202E}b\u{2066}c\u{2069}", "abc"), ("\u{200B}a\u{FEFF}", "a"), ("a\r\nb\rc\n", "a\nb\nc\n"),
    ("\r\n\r\na", "\n\na"), ("Zwölf Boxkämpfer 👩‍👩‍👧‍👦 – „ok“", "Zwölf Boxkämpfer 👩‍👩‍👧‍👦 – „ok“"),
    // The joiner that Persian needs, and a direction mark.
    ("می‌خواهم\u{200F}", "می‌خواهم\u{200F}"),
    ("a\tb", "a\tb"),
  ])
  func deceptiveCharactersAreRemoved(text: String, kept: String) throws {
    #expect(try MessageText(validating: text).rawValue.unicodeScalars.elementsEqual(kept.unicodeScalars))
  }

  @Test(arguments: [
    "", " ", "\n\t ", "\u{200B}", "\u{202E}\u{2066}", "\u{200D}\u{200C}", "a\u{0}", "a\u{1B}", "a\u{9F}", "\u{7F}",
  ])
  func emptyAndControlCharactersAreRefused(_ text: String) {
    #expect(throws: ValueError.self) { try MessageText(validating: text) }
  }

  @Test func theLengthIsCountedInCharacters() throws {
    #expect(throws: Never.self) { try MessageText(validating: String(repeating: "😀", count: 5000)) }
    #expect(throws: ValueError.self) { try MessageText(validating: String(repeating: "a", count: 5001)) }
    #expect(throws: ValueError.self) { try MessageText(validating: String(repeating: "a", count: 10_000)) }
    // What is removed does not count.
    let padded = String(repeating: "a", count: 5000) + "\u{200B}"
    #expect(try MessageText(validating: padded).rawValue.count == 5000)
  }

  @Test(arguments: ["👍", "👍🏽", "❤️", "👩‍👩‍👧‍👦", "🇩🇪", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"])
  func anEmojiIsAReaction(_ text: String) throws { #expect(try Emoji(validating: text).rawValue == text) }

  @Test(arguments: ["", "a", "1", "#", "🇩", "👍👍", "👍 ", "©", "\u{FE0F}", "é"])
  func anythingElseIsNone(_ text: String) { #expect(throws: ValueError.self) { try Emoji(validating: text) } }
}
