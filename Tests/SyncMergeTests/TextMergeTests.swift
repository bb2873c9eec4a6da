import TestKit
import Testing

@testable import SyncMerge

struct TextMergeTests {
  @Test(arguments: [
    ("the quick fox", "the very quick fox", "the quick fox jumps", "the very quick fox jumps"),
    ("one two three", "ONE two three", "one two THREE", "ONE two THREE"),
    // Several places on both sides.
    ("a b c d e f g", "A b c D e f g", "a b C d e f G", "A b C D e f G"),
    // The same edit on both devices.
    ("a b c", "a x c", "a x c", "a x c"), ("a b c d", "a x c D", "a x c d", "a x c D"),
    ("a b c", "a b c", "a b", "a b"), ("", "", "new", "new"), ("word", "", "word", ""),
    // Neighboring words do not touch: there is a space between.
    ("left right", "LEFT right", "left RIGHT", "LEFT RIGHT"),
    // A script without spaces.
    ("私は水を飲む", "私は茶を飲む", "彼は水を飲む", "彼は茶を飲む"),
    ("l1\nl2\nl3", "l1\nl2\nl3\nl4", "l0\nl1\nl2\nl3", "l0\nl1\nl2\nl3\nl4"),
  ])
  func editsOfDifferentPlacesFit(_ base: String, _ one: String, _ other: String, _ merged: String) {
    #expect(TextMerge.merge(base: base, one, other) == merged)
    #expect(TextMerge.merge(base: base, other, one) == merged)
  }

  @Test(arguments: [
    ("cat", "cut", "bat"),  // letters of one word
    ("a b", "a x", "a y"),
    ("a", "a x", "a y"),  // two insertions at one place
    ("ab!", "cd!", "ab?"),  // touching
    ("a b c d", "a d", "a b x c d"),  // an edit in what the other removed
    ("", "x", "y"),
  ])
  func editsOfOnePlaceDoNot(_ base: String, _ one: String, _ other: String) {
    #expect(TextMerge.merge(base: base, one, other) == nil)
    #expect(TextMerge.merge(base: base, other, one) == nil)
  }

  @Test func aMergeIsSymmetricAndHasBothEdits() {
    var generator = SeededGenerator()
    var mergedCount = 0
    for _ in 0..<10_000 {
      let words = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        ["a", "b", "c", "水", "!", "long-word"].randomElement(using: &generator) ?? ""
      }
      let base = words.joined(separator: " ")
      let one = Self.insert("first", into: base, &generator)
      let other = Self.insert("second", into: base, &generator)
      let merged = TextMerge.merge(base: base, one, other)
      #expect(merged == TextMerge.merge(base: base, other, one), "\(generator)")
      #expect(TextMerge.merge(base: base, one, base) == one, "\(generator)")
      #expect(TextMerge.merge(base: base, one, one) == one, "\(generator)")
      guard let merged else { continue }
      mergedCount += 1
      #expect(merged.contains("first") && merged.contains("second"), "\(generator)")
      #expect(merged.utf8.count == one.utf8.count + other.utf8.count - base.utf8.count, "\(generator)")
    }
    #expect(mergedCount > 5000)
  }

  private static func insert(_ word: String, into text: String, _ generator: inout SeededGenerator) -> String {
    var words = text.split(separator: " ", omittingEmptySubsequences: false).map { String($0) }
    words.insert(word, at: .random(in: 0...words.count, using: &generator))
    return words.joined(separator: " ")
  }

  @Test func differencesTurnOneTextIntoTheOther() {
    var generator = SeededGenerator()
    for _ in 0..<5000 {
      let (one, other) = (Self.randomText(&generator), Self.randomText(&generator))
      let (base, text) = (Tokens(one), Tokens(other))
      var (result, position): ([UInt8], Int) = ([], 0)
      for hunk in TextDifference.hunks(from: base, to: text) {
        result += base.bytes(position..<hunk.base.lowerBound) + text.bytes(hunk.text)
        position = hunk.base.upperBound
      }
      result += base.bytes(position..<base.count)
      #expect(result == Array(other.utf8), "\(generator)")
    }
  }

  private static func randomText(_ generator: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0...30, using: &generator)).map { _ in
      ["a", "b", "é", " ", "\n", "水", ",", "👍🏽"].randomElement(using: &generator) ?? ""
    }.joined()
  }

  @Test func theWorkIsBounded() {
    // Texts of the greatest length without anything in common but their ends: one edit each.
    let base = "x" + String(repeating: "水火", count: 10_000) + "y"
    let one = "x" + String(repeating: "木金", count: 10_000) + "y"
    #expect(TextDifference.hunks(from: Tokens(base), to: Tokens(one)).count == 1)
    #expect(TextMerge.merge(base: base, one, base + " z") == one + " z")
    #expect(TextMerge.merge(base: base, one, "x" + String(repeating: "土", count: 20_000) + "y") == nil)
    #expect(TextMerge.merge(base: String(repeating: "a", count: 400_001), "b", "c") == nil)
  }
}
