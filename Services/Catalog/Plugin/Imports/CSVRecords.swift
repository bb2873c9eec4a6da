import SwiftCSV

/// The records of a CSV file (RFC 4180) with their first line numbers. SwiftCSV parses the fields of one record;
/// records are split here, because SwiftCSV reports no line numbers and rejects a whole file for one malformed quote.
struct CSVRecords {
  struct Record {
    var line: Int
    var fields: [String]
    var isWellFormed = true
  }

  private(set) var records: [Record] = []

  /// - Parameter limit: The maximum number of records read.
  init(_ text: String, limit: Int) {
    let clean = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
    let lines = Self.withLineFeeds(clean).split(separator: "\n", omittingEmptySubsequences: false)
    var first = 0
    while first < lines.count, records.count < limit {
      // A record continues on the next line while a quote is open.
      var isOpen = false
      let last = lines[first...].firstIndex { line in
        if !line.utf8.count(where: { $0 == UInt8(ascii: "\"") }).isMultiple(of: 2) { isOpen.toggle() }
        return !isOpen
      }
      if let last, let fields = Self.fields(lines[first...last].joined(separator: "\n")) {
        if !fields.isEmpty { records.append(Record(line: first + 1, fields: fields)) }
        first = last + 1
      } else {
        // An unclosed quote invalidates only its own line, not the lines after it.
        records.append(Record(line: first + 1, fields: [], isWellFormed: false))
        first += 1
      }
    }
  }

  /// Ends every line with a line feed. Bytes are compared, because CR LF is one character of a text: a CR before it would
  /// take the LF that it becomes.
  private static func withLineFeeds(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var isAfterReturn = false
    for byte in text.utf8 {
      let isReturn = byte == UInt8(ascii: "\r")
      if isReturn || byte != UInt8(ascii: "\n") || !isAfterReturn {
        bytes.append(isReturn ? UInt8(ascii: "\n") : byte)
      }
      isAfterReturn = isReturn
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The fields of a record; empty for a blank line, `nil` when quotes are malformed.
  private static func fields(_ text: String) -> [String]? {
    if text.allSatisfy(\.isWhitespace) { return [] }
    return try? EnumeratedCSV(string: text + "\n", delimiter: .comma, loadColumns: false).header
  }
}
