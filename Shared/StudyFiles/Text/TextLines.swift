/// The lines of a text, which end with LF, CR LF or CR.
struct TextLines {
  struct Line {
    /// From 1.
    var number: Int
    var bytes: [UInt8]
    /// The ending of the line, empty at the end of the file.
    var ending: [UInt8]
    /// Whether the line was longer than the limit; `bytes` is empty then.
    var isTooLong = false
  }

  private static let lineFeed: UInt8 = 10
  private static let carriageReturn: UInt8 = 13

  /// `nil` when all lines are in memory.
  private var source: TextSource?
  private let maxBytes: Int
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  private var number = 0
  /// The offset of the next line feed, so that lines that end with CR do not search for it again and again.
  private var nextLineFeed: Int?
  /// Lines that were read ahead, the next one last.
  private var ahead: [Line] = []

  init(_ source: TextSource, maxBytes: Int) {
    self.source = source
    self.maxBytes = maxBytes
  }

  /// Lines that are in memory.
  init(_ lines: [Line]) {
    source = nil
    maxBytes = 0
    ahead = lines.reversed()
  }

  /// Makes these the next lines.
  mutating func putBack(_ lines: some BidirectionalCollection<Line>) { ahead.append(contentsOf: lines.reversed()) }

  mutating func next() throws(StudyFileError) -> Line? {
    if let line = ahead.popLast() { return line }
    var isTooLong = false
    var searched = start
    while true {
      if let end = lineEnd(from: searched) {
        var ending = [buffer[end]]
        if ending == [Self.carriageReturn] {
          if end + 1 == buffer.count, !isAtEnd {
            searched = end - start
            try refill()
            continue
          }
          if end + 1 < buffer.count, buffer[end + 1] == Self.lineFeed { ending.append(Self.lineFeed) }
        }
        isTooLong = isTooLong || end - start > maxBytes
        let bytes = isTooLong ? [] : Array(buffer[start..<end])
        start = end + ending.count
        number += 1
        return Line(number: number, bytes: bytes, ending: ending, isTooLong: isTooLong)
      }
      if isAtEnd {
        guard start < buffer.count || isTooLong else { return nil }
        isTooLong = isTooLong || buffer.count - start > maxBytes
        let bytes = isTooLong ? [] : Array(buffer[start...])
        start = buffer.count
        number += 1
        return Line(number: number, bytes: bytes, ending: [], isTooLong: isTooLong)
      }
      if buffer.count - start > maxBytes {
        isTooLong = true
        start = buffer.count
      }
      searched = buffer.count - start
      try refill()
    }
  }

  /// Drops what was returned, and reads more.
  private mutating func refill() throws(StudyFileError) {
    buffer.removeFirst(start)
    start = 0
    if try source?.read(into: &buffer) != true { isAtEnd = true }
    nextLineFeed = nil
  }

  private mutating func lineEnd(from offset: Int) -> Int? {
    if nextLineFeed.map({ $0 < offset }) ?? true {
      nextLineFeed = buffer.firstIndex(of: Self.lineFeed, from: offset) ?? .max
    }
    let limit = nextLineFeed ?? .max
    guard let found = buffer.firstIndex(of: Self.carriageReturn, from: offset, upTo: limit) else {
      return limit == .max ? nil : limit
    }
    return found
  }
}
