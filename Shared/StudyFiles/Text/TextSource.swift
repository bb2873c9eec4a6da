/// The text of a file as UTF-8: of UTF-8 with or without a byte order mark, or of UTF-16 with one. Text that is not
/// valid stays invalid, so that the line that has it can be reported.
struct TextSource {
  private enum Encoding { case utf8, utf16LittleEndian, utf16BigEndian }

  private let file: InputFile
  private let encoding: Encoding
  /// The bytes before the next chunk: bytes read too many, or half of a character.
  private var rest: [UInt8] = []
  private var isAtEnd = false

  init(_ path: String) throws(StudyFileError) {
    file = try InputFile(path)
    rest = try file.read(3)
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) {
      encoding = .utf8
      rest = []
    } else if rest.starts(with: [0xFF, 0xFE]) {
      encoding = .utf16LittleEndian
      rest.removeFirst(2)
    } else if rest.starts(with: [0xFE, 0xFF]) {
      encoding = .utf16BigEndian
      rest.removeFirst(2)
    } else {
      encoding = .utf8
    }
  }

  /// The size of the file in bytes.
  func size() throws(StudyFileError) -> Int64 { try file.size() }

  /// Appends the next bytes of text; returns `false` at the end of the file.
  mutating func read(into bytes: inout [UInt8]) throws(StudyFileError) -> Bool {
    guard !isAtEnd else { return false }
    let chunk = try rest + file.read(65_536)
    rest = []
    isAtEnd = chunk.count < 65_536
    switch encoding {
    case .utf8: bytes += chunk
    case .utf16LittleEndian: transcode(chunk, high: 1, into: &bytes)
    case .utf16BigEndian: transcode(chunk, high: 0, into: &bytes)
    }
    return true
  }

  private mutating func transcode(_ chunk: [UInt8], high: Int, into bytes: inout [UInt8]) {
    // This byte is in no UTF-8 text.
    let invalid: UInt8 = 0xFF
    func unit(_ offset: Int) -> UInt16 { UInt16(chunk[offset + high]) << 8 | UInt16(chunk[offset + 1 - high]) }
    var offset = 0
    while offset + 1 < chunk.count {
      let first = unit(offset)
      var scalar = UInt32(first)
      if first & 0xFC00 == 0xD800 {
        if offset + 3 >= chunk.count, !isAtEnd { break }
        guard offset + 3 < chunk.count, unit(offset + 2) & 0xFC00 == 0xDC00 else {
          bytes.append(invalid)
          offset += 2
          continue
        }
        scalar = 0x10000 + (UInt32(first) & 0x3FF) << 10 + UInt32(unit(offset + 2)) & 0x3FF
        offset += 2
      }
      offset += 2
      if let encoded = Unicode.Scalar(scalar).flatMap(UTF8.encode) {
        bytes.append(contentsOf: encoded)
      } else {
        bytes.append(invalid)
      }
    }
    if offset < chunk.count {
      if isAtEnd { bytes.append(invalid) } else { rest = Array(chunk[offset...]) }
    }
  }
}
