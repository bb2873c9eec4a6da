/// The requests in the bytes of a connection, read a second time: directly, strictly (RFC 9112), and by other code than
/// the server's parser.
struct PlainRequests {
  struct Request {
    var method: String
    var target: String
    var isHTTP10: Bool
    /// Names in lowercase, with their values.
    var fields: [(name: String, value: [UInt8])]
    /// `nil` when it is malformed or does not end.
    var body: [UInt8]?

    func values(_ name: String) -> [[UInt8]] { fields.filter { $0.name == name }.map(\.value) }
  }

  private struct Malformed: Error {}

  private(set) var requests: [Request] = []
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    while offset < bytes.count {
      // RFC 9112 §2.2: empty lines before a request are ignored.
      if bytes[offset] == 13 || bytes[offset] == 10 {
        offset += 1
        continue
      }
      guard var request = try? head() else { return }
      request.body = try? body(of: request)
      requests.append(request)
      if request.body == nil { return }
    }
  }

  private mutating func line() throws -> ArraySlice<UInt8> {
    let start = offset
    while offset + 1 < bytes.count {
      if bytes[offset] == 13, bytes[offset + 1] == 10 {
        offset += 2
        return bytes[start..<offset - 2]
      }
      if bytes[offset] == 13 || bytes[offset] == 10 { throw Malformed() }
      offset += 1
    }
    throw Malformed()
  }

  private mutating func head() throws -> Request {
    let words = try line().split(separator: 32)
    guard words.count == 3, words[0].allSatisfy(Self.isTokenByte) else { throw Malformed() }
    let version = String(decoding: words[2], as: UTF8.self)
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else { throw Malformed() }
    return Request(
      method: String(decoding: words[0], as: UTF8.self), target: String(decoding: words[1], as: UTF8.self),
      isHTTP10: version == "HTTP/1.0", fields: try fields())
  }

  private mutating func fields() throws -> [(name: String, value: [UInt8])] {
    var fields: [(name: String, value: [UInt8])] = []
    while true {
      let line = try line()
      if line.isEmpty { return fields }
      guard let colon = line.firstIndex(of: 58), colon > line.startIndex,
        line[..<colon].allSatisfy(Self.isTokenByte)
      else { throw Malformed() }
      var value = line[(colon + 1)...]
      while let first = value.first, first == 32 || first == 9 { value.removeFirst() }
      while let last = value.last, last == 32 || last == 9 { value.removeLast() }
      guard value.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else { throw Malformed() }
      fields.append((String(decoding: line[..<colon], as: UTF8.self).lowercased(), Array(value)))
    }
  }

  private mutating func body(of request: Request) throws -> [UInt8] {
    let (lengths, encodings) = (request.values("content-length"), request.values("transfer-encoding"))
    guard lengths.count + encodings.count <= 1 else { throw Malformed() }
    if let encoding = encodings.first {
      guard String(decoding: encoding, as: UTF8.self).lowercased() == "chunked" else { throw Malformed() }
      return try chunks()
    }
    guard let length = lengths.first else { return [] }
    guard !length.isEmpty, length.allSatisfy({ (48...57).contains($0) }),
      let count = Int(String(decoding: length, as: UTF8.self))
    else { throw Malformed() }
    return try take(count)
  }

  private mutating func chunks() throws -> [UInt8] {
    var body: [UInt8] = []
    while true {
      let line = try line()
      let digits = line.prefix { $0 != 59 }
      guard !digits.isEmpty, digits.allSatisfy(Self.isHexDigit),
        let count = Int(String(decoding: digits, as: UTF8.self), radix: 16)
      else { throw Malformed() }
      if count == 0 {
        _ = try fields()
        return body
      }
      body += try take(count)
      guard try self.line().isEmpty else { throw Malformed() }
    }
  }

  private mutating func take(_ count: Int) throws -> [UInt8] {
    guard count <= bytes.count - offset else { throw Malformed() }
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
  }

  private static let marks = Array("!#$%&'*+-.^_`|~".utf8)

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || marks.contains(byte)
  }
}
