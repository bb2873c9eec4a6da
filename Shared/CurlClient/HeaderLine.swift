import HTTPTypes

/// Parses one header line of a response.
enum HeaderLine {
  /// Parses `Name: value`, including the line ending; `nil` for an invalid line, which the caller ignores.
  static func parse(_ line: UnsafeRawBufferPointer) -> HTTPField? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    var start = colon + 1
    var end = line.count
    while start < end, isSpace(line[start]) { start += 1 }
    while end > start, isSpace(line[end - 1]) { end -= 1 }
    guard let name = name(UnsafeRawBufferPointer(rebasing: line[..<colon])) else { return nil }
    return HTTPField(name: name, value: String(decoding: line[start..<end], as: UTF8.self))
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  /// Creating a name validates and lowercases it, so common names are cached.
  private static func name(_ bytes: UnsafeRawBufferPointer) -> HTTPField.Name? {
    for (text, name) in common[min(bytes.count, common.count - 1)] where bytes.elementsEqual(text) { return name }
    return HTTPField.Name(String(decoding: bytes, as: UTF8.self))
  }

  /// Common names by length, in the capitalizations that servers use.
  private static let common: [[([UInt8], HTTPField.Name)]] = {
    let names = [
      "Content-Type", "Content-Length", "Date", "Server", "Cache-Control", "ETag", "Connection", "Transfer-Encoding",
      "Vary", "Last-Modified", "X-Request-ID", "Location", "Retry-After",
    ]
    var table = [[([UInt8], HTTPField.Name)]](repeating: [], count: 24)
    for spelling in names + names.map({ $0.lowercased() }) {
      if let name = HTTPField.Name(spelling) { table[spelling.utf8.count].append((Array(spelling.utf8), name)) }
    }
    return table
  }()
}
