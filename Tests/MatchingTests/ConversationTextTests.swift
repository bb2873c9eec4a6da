import Contracts
import TestKit
import Testing

@testable import MatchingService

/// The rules for texts of messages and reactions.
struct ConversationTextTests {
  @Test(arguments: [
    ("a\u{202E}b\u{2066}c\u{2069}", "abc"), ("\u{200B}a\u{FEFF}", "a"), ("a\r\nb\rc\n", "a\nb\nc\n"),
    ("\r\n\r\na", "\n\na"), ("Zwölf Boxkämpfer 👩‍👩‍👧‍👦 – „ok“", "Zwölf Boxkämpfer 👩‍👩‍👧‍👦 – „ok“"),
    // The joiner that Persian needs, and a direction mark.
    ("می‌خواهم\u{200F}", "می‌خواهم\u{200F}"),
    ("a\tb", "a\tb"), ("a\u{061C}b", "ab"), ("سلام", "سلام"), ("co\u{00AD}operate", "co\u{00AD}operate"),
  ])
  func deceptiveCharactersAreRemoved(text: String, kept: String) throws {
    #expect(try MessageText(validating: text).rawValue.unicodeScalars.elementsEqual(kept.unicodeScalars))
  }

  @Test(arguments: [
    "", " ", "\n\t ", "\u{200B}", "\u{202E}\u{2066}", "\u{200D}\u{200C}", "a\u{0}", "a\u{1B}", "a\u{9F}", "\u{7F}",
    "\u{3164}", "\u{2800}", "\u{00AD}", "\u{034F}", "\u{061C}", "\u{E0041}", "\u{115F}\u{FFA0}",
    " \u{2800}\n\u{3164}\u{FE0F}",
  ])
  func emptyAndControlCharactersAreRefused(_ text: String) {
    #expect(throws: ValueError.self) { try MessageText(validating: text) }
  }

  @Test func theLengthIsCountedInCharacters() throws {
    #expect(throws: Never.self) { try MessageText(validating: String(repeating: "😀", count: 5000)) }
    #expect(throws: ValueError.self) { try MessageText(validating: String(repeating: "a", count: 5001)) }
    #expect(throws: ValueError.self) { try MessageText(validating: String(repeating: "a", count: 10_000)) }
    // Removed characters do not count.
    let padded = String(repeating: "a", count: 5000) + "\u{200B}"
    #expect(try MessageText(validating: padded).rawValue.count == 5000)
  }

  @Test(arguments: ["👍", "👍🏽", "❤️", "👩‍👩‍👧‍👦", "🇩🇪", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴‍☠️", "❤️‍🔥", "👩🏽‍⚕️", "🧑‍🦰"])
  func anEmojiIsAReaction(_ text: String) throws { #expect(try Emoji(validating: text).rawValue == text) }

  @Test(arguments: [
    "", "a", "1", "#", "🇩", "👍👍", "👍 ", "©", "\u{FE0F}", "é",
    "👍\u{301}", "👍\u{301}\u{302}\u{303}", "👍\u{E0041}", "👍\u{FE0F}\u{FE0F}", "👍\u{200D}", "👍\u{20E3}",
    "🏴\u{E0067}\u{E0062}", "1\u{FE0F}\u{20E3}\u{301}", "👍🏽\u{FE0E}",
  ])
  func anythingElseIsNone(_ text: String) { #expect(throws: ValueError.self) { try Emoji(validating: text) } }

  @Test func aPreviewIsCutByScalarsBetweenCharacters() {
    #expect(ConversationView.beginning(of: "short") == "short")
    let whole = String(repeating: "a", count: 200)
    #expect(ConversationView.beginning(of: whole) == whole)
    #expect(ConversationView.beginning(of: whole + "b") == whole)
    // Seven scalars each: 28 whole families.
    let families = String(repeating: "👩‍👩‍👧‍👦", count: 100)
    #expect(ConversationView.beginning(of: families) == String(repeating: "👩‍👩‍👧‍👦", count: 28))
    let tower = "a" + String(repeating: "\u{301}", count: 4999)
    #expect(ConversationView.beginning(of: tower).unicodeScalars.count == 200)
  }
}
