import Foundation
import TestKit
import Testing

@testable import StudyModel

struct AnswerGradingTests {
  @Test(arguments: [
    ("Berlin", "Berlin"), ("  berlin ", "Berlin"), ("BERLIN!", "Berlin"), ("creme brulee", "Crème brûlée"),
    ("Crème  brûlée", "creme brulee"), ("cre\u{301}me", "crème"), ("Tieng Viet", "Tiếng Việt"), ("Lodz", "Łódź"),
    ("Strasse", "Straße"), ("STRASSE", "straße"), ("Mädchen", "Madchen"), ("Maedchen", "Mädchen"),
    ("Maedchen", "Ma\u{308}dchen"), ("Ελλαδα", "Ελλάδα"), ("ΟΔΟΣ", "οδός"), ("елка", "ёлка"), ("ИСТАНБУЛ", "истанбул"),
    ("istanbul", "İSTANBUL"), ("the dog", "dog"), ("dog", "a dog"), ("an apple", "the apple"), ("Haus", "das Haus"),
    ("l’eau", "eau"), ("eau", "l'eau"), ("la maison", "maison"), ("gli amici", "amici"), ("dont", "don't"),
    ("e-mail", "email"), ("well known", "well-known"), ("color", "colour; color"), ("colour", "colour\ncolor"),
    ("she", "he/she"), ("he/she", "he/she"), ("km/h", "km/h"), ("1/2", "1/2"), ("3,14", "3.14"),
    ("1,000,000", "1000000"),
    ("-5", "−5"), ("run", "(to) run"), ("to run", "(to) run"), ("ＡＢＣ１", "abc1"), ("가", "\u{1100}\u{1161}"),
    ("の", "の"), ("the", "the"), ("...", "..."), ("big; red", "red; big"), ("שלום", "שָׁלוֹם"), ("C#", "c#"),
  ])
  func correct(given: String, expected: String) {
    #expect(AnswerGrading.grade(given, expected: expected) == .correct)
  }

  @Test(arguments: [
    ("Berln", "Berlin"), ("Belrin", "Berlin"), ("photosintesis", "photosynthesis"), ("fotosynthesis", "photosynthesis"),
    ("mitochondira", "mitochondria"), ("sometime", "some time"), ("der Haus", "das Haus"), ("la pomme", "le pomme"),
    ("Apolo 11", "Apollo 11"),
  ])
  func almost(given: String, expected: String) {
    #expect(AnswerGrading.grade(given, expected: expected) == .almost)
  }

  @Test(arguments: [
    ("", "Berlin"), ("Bonn", "Berlin"), ("cat", "car"), ("form", "from"), ("Brln", "Berlin"), ("1918", "1919"),
    ("in 1918 he died", "in 1919 he died"), ("5", "-5"), ("3.15", "3.14"), ("Apollo 12", "Apollo 11"), ("C", "C#"),
    ("km", "km/h"), ("h", "km/h"), ("1", "1/2"), ("Berlin", ""), ("!", "?"), ("the", "the dog"), ("か", "が"),
    ("й", "и"), ("red; green", "red; big"), ("100", "1,0,0"),
  ])
  func incorrect(given: String, expected: String) {
    #expect(AnswerGrading.grade(given, expected: expected) == .incorrect)
  }

  @Test func toleranceGrowsWithLength() {
    #expect((1...12).map(AnswerGrading.tolerance) == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2])
  }

  @Test func tableHoldsEveryLetterThatFoundationDecomposes() {
    let ranges: [ClosedRange<UInt32>] = [0xC0...0x24F, 0x370...0x3FF, 0x1E00...0x1FFF]
    var missing: [String] = []
    for scalar in ranges.joined().compactMap(Unicode.Scalar.init)
    where scalar.properties.generalCategory == .lowercaseLetter {
      let parts = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
      let base = String(String.UnicodeScalarView(parts.filter { $0.properties.generalCategory != .nonspacingMark }))
      if parts.count > 1, AnswerText(String(scalar)) != AnswerText(base) { missing.append(String(scalar)) }
    }
    #expect(missing.isEmpty, "\(missing)")
  }

  @Test func compositionDoesNotMatter() {
    var random = SeededGenerator()
    let letters = Array("aàáâäãåæçčdđeéèêëiíîïlłnñoóôöøsšßuúùûüyýzžάέήίόύώϊϋёйїўѓќабвгдまがぱ한글")
    for _ in 0..<2000 {
      let text = String((0..<6).compactMap { _ in letters.randomElement(using: &random) })
      let (composed, decomposed) = (
        text.precomposedStringWithCanonicalMapping, text.decomposedStringWithCanonicalMapping
      )
      #expect(AnswerText(composed) == AnswerText(decomposed), "\(text), \(random)")
      #expect(AnswerGrading.grade(composed.uppercased(), expected: decomposed) == .correct, "\(text), \(random)")
    }
  }

  @Test func editDistanceIsThatOfTheFullTable() {
    var random = SeededGenerator()
    for _ in 0..<3000 {
      let (one, other) = (Self.word(&random), Self.word(&random))
      let full = Self.distance(one, other)
      for limit in 0...3 {
        #expect(
          EditDistance.between(one, other, limit: limit) == (full <= limit ? full : nil), "\(one) \(other) \(random)")
      }
    }
  }

  private static func word(_ random: inout SeededGenerator) -> [Character] {
    (0..<Int.random(in: 0...7, using: &random)).compactMap { _ in "abc".randomElement(using: &random) }
  }

  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var table = Array(repeating: Array(repeating: 0, count: other.count + 1), count: one.count + 1)
    for i in 0...one.count {
      for j in 0...other.count {
        if i == 0 || j == 0 {
          table[i][j] = i + j
          continue
        }
        let replaced = table[i - 1][j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1)
        table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, replaced)
        if i > 1, j > 1, one[i - 1] == other[j - 2], one[i - 2] == other[j - 1] {
          table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
        }
      }
    }
    return table[one.count][other.count]
  }

  @Test func longTextsAreBounded() {
    let long = String(repeating: "word ", count: 100_000)
    #expect(AnswerGrading.grade(long, expected: "word") == .incorrect)
    #expect(AnswerGrading.grade("word", expected: long) == .incorrect)
    #expect(AnswerGrading.grade(long, expected: long) == .correct)
    #expect(AnswerGrading.grade(long + "x", expected: long) == .incorrect)
    let many = String(repeating: "a;", count: 5000)
    #expect(AnswerGrading.alternatives(many).count == AnswerGrading.maximumAlternatives)
  }

  @Test func anyTextIsGraded() {
    var random = SeededGenerator()
    for _ in 0..<1000 {
      let text = String(
        String.UnicodeScalarView(
          (0..<12).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &random)) }))
      let isBlank = AnswerGrading.trimmed(text).isEmpty
      #expect(AnswerGrading.grade(text, expected: text).isRight == !isBlank, "\(text) \(random)")
    }
  }
}
