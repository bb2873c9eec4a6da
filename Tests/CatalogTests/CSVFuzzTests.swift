import Contracts
import TestKit
import Testing

@testable import CatalogService

/// Imported CSV that is almost valid: records are in order, within the limit, and the same after they were written again.
@Suite(.long)
struct CSVFuzzTests {
  /// Some tools end lines with CR CR LF.
  @Test func aLineEndsWithEveryReturn() {
    let records = CSVRecords("sku,title\r\r\nA,one\r\r\n\r\"B\",\"two\r\nlines\"\r", limit: 50).records
    #expect(records.map(\.fields) == [["sku", "title"], ["A", "one"], ["B", "two\nlines"]])
    #expect(records.map(\.line) == [1, 3, 6])
  }

  @Test func recordsRemainThemselves() async throws {
    let corpus = FuzzCorpus(
      [
        "sku,title,price\r\nA-1,\"A \"\"good\"\" chair\",12.50\r\nA-2,\"two\nlines\",\r\n", "\u{FEFF}a,b\n\n\"\",é\n",
        "\"open\nrow,1\nrow,2\n",
      ],
      words: ["\"", "\"\"", ",", "\r\n", "\n", "\r", "\"\n", "\u{FEFF}", "\u{85}", "\u{2028}", "\"a\"b", "\u{301}"],
      separators: ",\"\r\n", maxBytes: 1000)
    try await Fuzzer("csv-import", corpus, inputs: 5_000).run(isMixed: false) { input, _ in
      let records = CSVRecords(String(decoding: input, as: UTF8.self), limit: 50).records
      try confirm(records.count <= 50, "\(records.count) records")
      try confirm(zip(records, records.dropFirst()).allSatisfy { $0.line < $1.line }, "\(records.map(\.line))")
      let rows = records.filter(\.isWellFormed)
      let text = rows.map { row in
        row.fields.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: ",") + "\r\n"
      }
      // A separator and the combining mark after it are one character for the parser, which then misses the separator.
      let isMarked = text.joined().contains { $0.isASCII == false && $0.unicodeScalars.first?.isASCII == true }
      if isMarked { return !rows.isEmpty }
      let again = CSVRecords(text.joined(), limit: 50).records
      try confirm(again.map(\.fields) == rows.map(\.fields), "\(rows) become \(again)")
      return !rows.isEmpty
    }
  }
}
