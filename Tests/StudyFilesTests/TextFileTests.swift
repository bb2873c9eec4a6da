import TestKit
import Testing

@testable import StudyFiles

struct TextFileTests {
  private static let text = "Größe?\nhoch\nFrage\nAntwort\n"

  private static func utf16(_ text: String, bigEndian: Bool) -> [UInt8] {
    text.utf16.flatMap { bigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
  }

  struct Encoding: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let encode: @Sendable (String) -> [UInt8]
  }

  private static let encodings = [
    Encoding(testDescription: "UTF-8") { Array($0.utf8) },
    Encoding(testDescription: "UTF-8 with BOM") { [0xEF, 0xBB, 0xBF] + Array($0.utf8) },
    Encoding(testDescription: "UTF-16 LE with BOM") { [0xFF, 0xFE] + utf16($0, bigEndian: false) },
    Encoding(testDescription: "UTF-16 BE with BOM") { [0xFE, 0xFF] + utf16($0, bigEndian: true) },
  ]

  @Test(arguments: encodings, ["\n", "\r\n", "\r"])
  func readsEncodingsAndLineEnds(_ encoding: Encoding, _ lineEnd: String) async throws {
    let text = (Self.text + "👍\n\u{1F600}").split(separator: "\n", omittingEmptySubsequences: false)
      .joined(separator: lineEnd)
    let contents = try await textContents(encoding.encode(text))
    #expect(contents.pairs == [["Größe?", "hoch"], ["Frage", "Antwort"], ["👍", "😀"]])
    #expect(contents.skipped.isEmpty)
    #expect(contents.positions == [.line(1), .line(3), .line(5)])
  }

  @Test func aCarriageReturnAtTheEndOfAChunkDoesNotSplitALineEnd() async throws {
    for padding in 65_530...65_540 {
      let contents = try await textContents((String(repeating: "q", count: padding) + "\r\nanswer\r\nx\r\ny\r\n").utf8)
      #expect(contents.skipped.map(\.reason) == (padding > 65_536 ? [.tooLong] : []))
      #expect(contents.pairs.last == ["x", "y"])
    }
  }

  @Test func aBlankPairIsLeftOutWithoutShiftingTheNextOnes() async throws {
    let contents = try await textContents("a\nb\n\n  \nc\nd\n".utf8)
    #expect(contents.pairs == [["a", "b"], ["c", "d"]])
    #expect(contents.skipped.isEmpty)
  }

  @Test func aBlankLineTakesPartInItsPair() async throws {
    let contents = try await textContents("a\n\nc\nd\n\nf\n".utf8)
    #expect(contents.pairs == [["c", "d"]])
    #expect(
      contents.skipped == [StudyFileSkip(.line(2), .emptyBack), StudyFileSkip(.line(5), .emptyFront)])
  }

  @Test func anOddLastLineIsReportedByItsNumber() async throws {
    let contents = try await textContents("a\nb\nleft".utf8)
    #expect(contents.pairs == [["a", "b"]])
    #expect(contents.skipped == [StudyFileSkip(.line(3), .missingAnswer)])
    #expect(try await textContents("a\nb\n\n".utf8).skipped.isEmpty)
  }

  @Test func invalidBytesAreReportedByLineAndNotReplaced() async throws {
    let lines: [[UInt8]] = [
      Array("a".utf8), [0x62, 0xFF], Array("c".utf8), Array("d".utf8), [0xC3], [0], [0x65], [0x66],
    ]
    let contents = try await textContents(lines.joined(separator: [10]))
    #expect(contents.pairs == [["c", "d"], ["e", "f"]])
    #expect(
      contents.skipped == [
        StudyFileSkip(.line(2), .invalidText), StudyFileSkip(.line(5), .invalidText),
        StudyFileSkip(.line(6), .invalidText),
      ])
  }

  @Test func halfCharactersOfUTF16AreReportedByLine() async throws {
    var bytes: [UInt8] = [0xFF, 0xFE] + Self.utf16("a\nb\nc", bigEndian: false)
    bytes += [0x00, 0xD8] + Self.utf16("\nd\ne\nf", bigEndian: false) + [0x41]
    let contents = try await textContents(bytes)
    #expect(contents.pairs == [["a", "b"]])
    #expect(contents.skipped == [StudyFileSkip(.line(3), .invalidText), StudyFileSkip(.line(6), .invalidText)])
  }

  @Test func overlongLinesAreReported() async throws {
    var limits = StudyFileLimits()
    limits.textBytes = 100
    let long = String(repeating: "x", count: 200_000)
    let contents = try await textContents("a\n\(long)\nb\nc\n\(long)".utf8, limits: limits)
    #expect(contents.pairs == [["b", "c"]])
    #expect(contents.skipped == [StudyFileSkip(.line(2), .tooLong), StudyFileSkip(.line(5), .missingAnswer)])
  }

  @Test func duplicatesAreImportedAndFlagged() async throws {
    let contents = try await textContents("a\nb\na\nc\na\nb\n".utf8)
    #expect(contents.cards.count == 3)
    #expect(contents.duplicates == [.line(5)])
  }

  @Test func tooManyCardsEndTheImport() async throws {
    var limits = StudyFileLimits()
    limits.cards = 2
    await #expect(throws: StudyFileError.tooManyCards) {
      try await textContents("a\nb\nc\nd\ne\nf".utf8, limits: limits)
    }
  }

  @Test func anExportedFileIsImportedUnchanged() async throws {
    try await withFolder { folder in
      var random = SeededGenerator()
      for _ in 0..<60 {
        let cards = (0..<40).map { _ in StudyFileCard(front: random.text(), back: random.text()) }
        var writer = try TextFileWriter(folder + "/file")
        for card in cards { try writer.write(card) }
        try writer.finish()
        let contents = try Contents(TextFileReader(folder + "/file"))
        #expect(
          contents.pairs.map { $0.map { Array($0.utf8) } }
            == cards.map { [Array($0.front.utf8), Array($0.back.utf8)] }, "\(random)")
        #expect(contents.skipped.isEmpty)
      }
    }
  }

  @Test func lineBreaksSurviveExport() async throws {
    try await withFolder { folder in
      var writer = try TextFileWriter(folder + "/file")
      try writer.write(StudyFileCard(front: "one\ntwo\r\nthree\rfour\n", back: "\nback"))
      #expect(try writer.write(StudyFileCard(front: "picture only", back: " ", backMedia: ["a.png"])) == .emptyBack)
      try writer.finish()
      #expect(
        try Contents(TextFileReader(folder + "/file")).pairs == [["one\ntwo\nthree\nfour\n", "\nback"]])
    }
  }
}
