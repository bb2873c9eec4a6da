import TestKit
import Testing

@testable import StudyFiles

/// CSV that is almost valid: the fields of a row are the same after they were written and read again.
@Suite(.long)
struct CSVFuzzTests {
  private static let corpus = FuzzCorpus(
    [
      "front,back,tags\r\none,eins,a;b\r\n\"a \"\"quoted\"\" word\",\"two\r\nlines\",\r\n", "a;b\n\"c;d\";\"\"\n;;\n",
      "täglich,\"1\r2\",x\r\rz,\"\"\"\",\n\n", "\"open\nrow,1\nrow,2\n",
    ],
    words: ["\"", "\"\"", ",", ";", "\t", "\r\n", "\n", "\r", "\"\n", "\u{FEFF}", "\"a\"b"], separators: ",;\"\r\n\t")

  private static func lines(_ bytes: [UInt8]) -> [TextLines.Line] {
    var lines: [TextLines.Line] = []
    var (start, offset) = (0, 0)
    func add(_ ending: [UInt8]) {
      lines.append(TextLines.Line(number: lines.count + 1, bytes: Array(bytes[start..<offset]), ending: ending))
      offset += ending.count
      start = offset
    }
    while offset < bytes.count {
      if bytes[offset] == 13, offset + 1 < bytes.count, bytes[offset + 1] == 10 {
        add([13, 10])
      } else if bytes[offset] == 13 || bytes[offset] == 10 {
        add([bytes[offset]])
      } else {
        offset += 1
      }
    }
    if start < offset { add([]) }
    return lines
  }

  private static func records(_ bytes: [UInt8]) throws -> [CSVRecords.Record] {
    let comma = UInt8(ascii: ",")
    var reader = CSVRecords(TextLines(lines(bytes)), separator: comma, maxBytes: 1 << 20, rereads: 1 << 20)
    var records: [CSVRecords.Record] = []
    while let record = try reader.next() { records.append(record) }
    return records
  }

  private static func written(_ fields: [[UInt8]]) -> [UInt8] {
    let quote = CSVRecords.quote
    let cells = fields.map { field in [quote] + field.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote] }
    return Array(cells.joined(separator: [UInt8(ascii: ",")])) + [13, 10]
  }

  @Test func rowsRemainThemselves() async throws {
    try await Fuzzer("csv-cards", Self.corpus, inputs: 10_000).run(isMixed: false) { input, _ in
      let records = try Self.records(input)
      try confirm(zip(records, records.dropFirst()).allSatisfy { $0.line < $1.line }, "\(records.map(\.line))")
      let rows = records.filter { $0.problem == nil }
      try confirm(rows.allSatisfy { !$0.fields.isEmpty }, "a row without fields")
      let again = try Self.records(rows.flatMap { Self.written($0.fields) })
      try confirm(again.map(\.fields) == rows.map(\.fields), "\(rows) become \(again)")
      return !rows.isEmpty
    }
  }
}
