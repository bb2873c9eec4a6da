/// The rows of a CSV text (RFC 4180). A quote inside an unquoted field is a character like others.
struct CSVRecords {
  struct Record {
    /// The number of the row's first line.
    var line: Int
    var fields: [[UInt8]]
    var problem: StudyFileSkipReason?
  }

  static let quote = UInt8(ascii: "\"")

  private(set) var lines: TextLines
  private let separator: UInt8
  private let maxBytes: Int
  /// How much may still be read again because a quote was not closed.
  private var budget: Int

  /// The lines of one row.
  private static let maxLines = 4000
  /// The bytes that a line costs besides its content.
  private static let lineCost = 64

  /// - Parameter rereads: How many bytes may be read again in sum.
  init(_ lines: TextLines, separator: UInt8, maxBytes: Int, rereads: Int) {
    self.lines = lines
    self.separator = separator
    self.maxBytes = maxBytes
    budget = rereads
  }

  /// How many bytes of a file may be read again: enough for stray quotes, but not for one in each line.
  static func rereads(of fileSize: Int64) -> Int { max(16 << 20, 4 * Int(clamping: fileSize)) }

  /// The next row that is not an empty line; a row with a problem has no fields. Reading goes on behind it.
  /// - Throws: ``StudyFileError/workLimit`` when too many quotes are not closed.
  mutating func next() throws(StudyFileError) -> Record? {
    var first: TextLines.Line
    repeat {
      guard let line = try lines.next() else { return nil }
      first = line
    } while first.bytes.isEmpty && !first.isTooLong
    if first.isTooLong { return Record(line: first.number, fields: [], problem: .tooLong) }
    var row = Row(separator: separator)
    row.add(first.bytes)
    var others: [TextLines.Line] = []
    var length = first.bytes.count
    var ending = first.ending
    while row.isQuoted {
      let line = try lines.next()
      length += line?.bytes.count ?? 0
      guard let line, !line.isTooLong, length <= maxBytes, others.count < Self.maxLines else {
        // Only this line is lost: those behind it are read again as rows of their own.
        budget -= length + others.count * Self.lineCost
        guard budget >= 0 else { throw .workLimit }
        lines.putBack(others + (line.map { [$0] } ?? []))
        return Record(line: first.number, fields: [], problem: .unterminatedQuote)
      }
      row.add(ending)
      row.add(line.bytes)
      ending = line.ending
      others.append(line)
    }
    return Record(
      line: first.number, fields: row.hasTextAfterQuote ? [] : row.fields,
      problem: row.hasTextAfterQuote ? .textAfterQuote : nil)
  }

  private struct Row {
    let separator: UInt8
    var fields: [[UInt8]] = []
    var isQuoted = false
    var hasTextAfterQuote = false
    private var field: [UInt8] = []

    init(separator: UInt8) { self.separator = separator }

    /// Adds a line, or a part of a quoted field that spans lines.
    mutating func add(_ bytes: [UInt8]) {
      var offset = 0
      while true {
        if isQuoted {
          guard let end = bytes.firstIndex(of: quote, from: offset) else {
            field += bytes[offset...]
            return
          }
          field += bytes[offset..<end]
          offset = end + 1
          if offset < bytes.count, bytes[offset] == quote {
            field.append(quote)
            offset += 1
            continue
          }
          isQuoted = false
          guard offset == bytes.count || bytes[offset] == separator else {
            hasTextAfterQuote = true
            return
          }
        } else if offset < bytes.count, bytes[offset] == quote {
          isQuoted = true
          offset += 1
          continue
        } else {
          let end = bytes.firstIndex(of: separator, from: offset) ?? bytes.count
          field += bytes[offset..<end]
          offset = end
        }
        fields.append(field)
        field = []
        if offset == bytes.count { return }
        offset += 1
      }
    }
  }
}
