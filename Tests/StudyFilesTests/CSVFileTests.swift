import TestKit
import Testing

@testable import StudyFiles

struct CSVFileTests {
  @Test(arguments: [",", ";", "\t"])
  func findsTheSeparator(_ separator: String) async throws {
    let rows = [["front", "back", "tags"], ["Rome", "Italy, Europe; in the south\tmostly", "city;capital"]]
    let lines = rows.map { $0.map { "\"\($0)\"" }.joined(separator: separator) }.joined(separator: "\n")
    let contents = try await csvContents(lines)
    #expect(contents.cards == [StudyFileCard(front: "Rome", back: rows[1][1], tags: ["city", "capital"])])
  }

  @Test(arguments: [",", ";", "\t"])
  func findsTheSeparatorWithoutNames(_ separator: String) async throws {
    let rows = ["a|1", "b|2", "\"c|c\"|3"].map { $0.split(separator: "|").joined(separator: separator) }
    let contents = try await csvContents(rows.joined(separator: "\r\n"))
    #expect(contents.pairs == [["a", "1"], ["b", "2"], ["c\(separator)c", "3"]])
  }

  @Test func quotesSpanLines() async throws {
    let contents = try await csvContents("a,\"say \"\"hi\"\"\nnext\r\nlast\"\n5\" disk,b\n\n\"\",x\n")
    #expect(contents.pairs == [["a", "say \"hi\"\nnext\r\nlast"], ["5\" disk", "b"]])
    #expect(contents.positions == [.line(1), .line(4)])
    #expect(contents.skipped == [StudyFileSkip(.line(6), .emptyFront)])
  }

  @Test func columnsAreFoundByTheirNames() async throws {
    let contents = try await csvContents("\u{FEFF}Tags,Answer,Example,Question\nx y,A,e,Q\nt,short\n")
    #expect(contents.cards == [StudyFileCard(front: "Q", back: "A", tags: ["x", "y"])])
    #expect(
      contents.skipped == [StudyFileSkip(.line(1), .unknownColumn), StudyFileSkip(.line(3), .missingColumn)])
  }

  @Test func everyBadRowIsReportedByItsLine() async throws {
    let rows = [
      "good,1", "lonely", "a,b,c,d", "\"closed\"then,2", "good,2", "\"never closed,3", "good,4", "good,5",
    ]
    let contents = try await csvContents(rows.joined(separator: "\n"))
    #expect(contents.pairs.map { $0[1] } == ["1", "2", "4", "5"])
    #expect(
      contents.skipped == [
        StudyFileSkip(.line(2), .missingColumn), StudyFileSkip(.line(3), .unexpectedColumn),
        StudyFileSkip(.line(4), .textAfterQuote), StudyFileSkip(.line(6), .unterminatedQuote),
      ])
  }

  @Test func overlongRowsAreReported() async throws {
    var limits = StudyFileLimits()
    limits.recordBytes = 1000
    let long = String(repeating: "x", count: 2000)
    let lines = Array(repeating: "y,z", count: 400).joined(separator: "\n")
    let contents = try await csvContents("a,b\n\(long),c\n\"d,e\n\(lines)", limits: limits)
    #expect(contents.cards.count == 401)
    #expect(contents.skipped == [StudyFileSkip(.line(2), .tooLong), StudyFileSkip(.line(3), .unterminatedQuote)])
  }

  @Test func manyUnclosedQuotesAreRefusedInLittleTime() async {
    let text = "front,back\n" + String(repeating: "x\",\"\n", count: 400_000)
    await #expect(throws: StudyFileError.workLimit) { _ = try await csvContents(text) }
  }

  @Test func aStrayQuoteCostsOnlyItsRow() async throws {
    let rows = (0..<10_000).map { $0 % 5000 == 7 ? "\"\($0),x" : "\($0),x" }
    let contents = try await csvContents((rows + ["a,b"]).joined(separator: "\n"))
    #expect(contents.skipped.map(\.reason) == [.unterminatedQuote, .unterminatedQuote])
    #expect(contents.cards.count == 9999)
  }

  @Test func ankisHeadersAreFollowed() async throws {
    let text = """
      #separator:tab
      #html:true
      #guid column:1
      #notetype column:2
      #deck column:3
      #tags column:6
      g1\tBasic\tLang::A\tQ &lt;1&gt;<br>two <img src="p.png">\t"<b>a</b> ""q"" end"\tx y
      g2\tVocabulary\tLang\tword\tmeaning\tz\texample
      """
    let contents = try await csvContents(text)
    #expect(
      contents.cards == [
        StudyFileCard(
          id: "g1", front: "Q <1>\ntwo", back: "a \"q\" end", tags: ["x", "y"], deck: "Lang::A", frontMedia: ["p.png"]),
        StudyFileCard(id: "g2", front: "word", back: "meaning\nexample", tags: ["z"], deck: "Lang"),
      ])
    #expect(contents.positions == [.line(7), .line(8)])
  }

  @Test func aRowThatBeginsWithANumberSignIsARow() async throws {
    #expect(try await csvContents("#1,one\n#2,two\n#deck,three\n").pairs.count == 3)
  }

  @Test func anExportedFileIsImportedUnchanged() async throws {
    try await withFolder { folder in
      var random = SeededGenerator()
      for _ in 0..<60 {
        let cards = (0..<40).map { _ in
          let tags = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            "tag \(Int.random(in: 0..<9, using: &random))"
          }
          return StudyFileCard(front: random.text(["\n", "\r\n", "\r"]), back: random.text(["\n"]), tags: tags)
        }
        var writer = try CSVFileWriter(folder + "/file")
        for card in cards { try writer.write(card) }
        try writer.finish()
        let contents = try Contents(CSVFileReader(folder + "/file"))
        #expect(contents.cards == cards, "\(random)")
        #expect(contents.skipped.isEmpty)
        #expect(try StudyFileFormat.detect(folder + "/file") == .csv)
      }
    }
  }
}
