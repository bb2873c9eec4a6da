import NIOCore

/// The head of a service's response, as offsets into the bytes that it was read from.
struct ResponseHead: Equatable {
  enum Framing: Equatable {
    case none
    case length(Int)
    case chunked
    case untilClose
  }

  enum Scan: Equatable {
    case head(ResponseHead)
    case incomplete
    case invalid
  }

  var status = 0
  var framing = Framing.untilClose
  /// Whether the connection can take another request after the response.
  var isReusable = true
  var contentType: Range<Int>?
  var tag: Range<Int>?
  var isEncoded = false
  var hasCacheControl = false
  var forbidsTransformation = false
  /// Whether it has a policy for the content of a page.
  var hasContentPolicy = false
  /// The offset after the head.
  var end = 0

  static let maxBytes = 64 * 1024
  private static let maxFields = 200

  /// Reads a head, and copies its field lines without those that end here, those that only the gateway sets, and the
  /// first `ETag`, which compression changes.
  ///
  /// - Parameters:
  ///   - setsCaching: Whether the gateway decides who keeps the response.
  ///   - kept: Receives the kept lines.
  static func scan(_ bytes: UnsafeRawBufferPointer, setsCaching: Bool, into kept: inout ByteBuffer) -> Scan {
    var named: [String] = []
    let first = kept.writerIndex
    let scan = scan(bytes, setsCaching, &named, into: &kept)
    guard case .head = scan, !named.isEmpty else { return scan }
    // The fields that `Connection` names may precede it.
    kept.moveWriterIndex(to: first)
    return Self.scan(bytes, setsCaching, &named, into: &kept)
  }

  private static func scan(
    _ bytes: UnsafeRawBufferPointer, _ setsCaching: Bool, _ named: inout [String], into kept: inout ByteBuffer
  ) -> Scan {
    var head = ResponseHead()
    var (offset, copied) = (0, 0)
    switch head.scanStatusLine(bytes) {
    case .invalid: return .invalid
    case .incomplete: return bytes.count > maxBytes ? .invalid : .incomplete
    case .end(let end): (offset, copied) = (end, end)
    }
    var length: Int?
    var isChunked = false
    for _ in 0...maxFields {
      switch FieldLine.scan(bytes, from: offset, allowsText: true) {
      case .invalid: return .invalid
      case .incomplete: return bytes.count > maxBytes ? .invalid : .incomplete
      case .end(let end):
        kept.writeBytes(UnsafeRawBufferPointer(rebasing: bytes[copied..<offset]))
        head.end = end
        // RFC 9112 §6.3: both framings, or one that is not known, cannot be passed on.
        guard length == nil || !isChunked else { return .invalid }
        if head.status < 200 || head.status == 204 || head.status == 304 {
          head.framing = .none
        } else if isChunked {
          head.framing = .chunked
        } else if let length {
          head.framing = .length(length)
        } else {
          head.isReusable = false
        }
        return .head(head)
      case .line(let line):
        let field = Field(bytes, line.name)
        var drops = field?.isDropped ?? false
        switch field {
        case .contentLength:
          guard let number = FieldLine.number(bytes, line.value), length ?? number == number else { return .invalid }
          length = number
        case .transferEncoding:
          guard !isChunked, FieldLine.equal(bytes, line.value, "chunked") else { return .invalid }
          isChunked = true
        case .connection: head.takeConnection(bytes, line.value, &named)
        case .contentType: if head.contentType == nil { head.contentType = line.value }
        case .contentEncoding: head.isEncoded = true
        case .contentPolicy: head.hasContentPolicy = true
        case .tag:
          drops = head.tag == nil
          if drops { head.tag = line.value }
        case .cacheControl:
          head.hasCacheControl = true
          drops = setsCaching
          if contains(bytes, line.value, "no-transform") { head.forbidsTransformation = true }
        case .dropped: break
        case nil: drops = !named.isEmpty && named.contains { isNamed($0, bytes, line.name) }
        }
        if drops {
          if copied < offset { kept.writeBytes(UnsafeRawBufferPointer(rebasing: bytes[copied..<offset])) }
          copied = line.end
        }
        offset = line.end
      }
    }
    return .invalid
  }

  private enum Line {
    /// The offset after the line.
    case end(Int)
    case incomplete, invalid
  }

  private mutating func scanStatusLine(_ bytes: UnsafeRawBufferPointer) -> Line {
    guard Self.isBeginning(bytes) else { return .invalid }
    guard bytes.count >= 13 else { return .incomplete }
    guard let code = FieldLine.number(bytes, 9..<12), (100...599).contains(code),
      bytes[12] == FieldLine.space || bytes[12] == FieldLine.cr
    else { return .invalid }
    status = code
    var offset = 12
    while offset < bytes.count, bytes[offset] != FieldLine.cr {
      guard bytes[offset] >= 0x20 || bytes[offset] == 0x09 else { return .invalid }
      offset += 1
    }
    guard offset + 1 < bytes.count else { return .incomplete }
    return bytes[offset + 1] == FieldLine.lf ? .end(offset + 2) : .invalid
  }

  /// Whether the bytes begin as a status line does, as far as there are any.
  private static func isBeginning(_ bytes: UnsafeRawBufferPointer) -> Bool {
    for (byte, expected) in zip(bytes, "HTTP/1.1 ".utf8) where byte != expected { return false }
    for byte in bytes.dropFirst(9).prefix(3) where byte &- 0x30 >= 10 { return false }
    return true
  }

  private mutating func takeConnection(
    _ bytes: UnsafeRawBufferPointer, _ value: Range<Int>, _ named: inout [String]
  ) {
    if FieldLine.equal(bytes, value, "keep-alive") { return }
    let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[value]), as: UTF8.self)
    for option in text.split(whereSeparator: { $0 == "," || $0 == " " }) {
      let name = option.lowercased()
      if name == "close" {
        isReusable = false
      } else if name != "keep-alive", !named.contains(name) {
        named.append(name)
      }
    }
  }

  private static func isNamed(_ option: String, _ bytes: UnsafeRawBufferPointer, _ name: Range<Int>) -> Bool {
    option.utf8.count == name.count
      && zip(option.utf8, bytes[name]).allSatisfy { $0 == FieldLine.lowercased($1) }
  }

  private static func contains(_ bytes: UnsafeRawBufferPointer, _ value: Range<Int>, _ text: StaticString) -> Bool {
    value.contains { FieldLine.hasPrefix(bytes, $0..<value.upperBound, text) }
  }
}

extension ResponseHead {
  fileprivate enum Field {
    case contentLength, transferEncoding, connection, contentType, contentEncoding, contentPolicy, tag, cacheControl
    /// Ends at this connection, or is set by the gateway.
    case dropped

    var isDropped: Bool {
      switch self {
      case .contentLength, .transferEncoding, .connection, .dropped: true
      case .contentType, .contentEncoding, .contentPolicy, .tag, .cacheControl: false
      }
    }

    init?(_ bytes: UnsafeRawBufferPointer, _ name: Range<Int>) {
      func named(_ text: StaticString) -> Bool { FieldLine.equal(bytes, name, text) }
      switch FieldLine.lowercased(bytes[name.lowerBound]) {
      case UInt8(ascii: "a"):
        guard
          named("access-control-allow-origin") || named("access-control-allow-methods")
            || named("access-control-allow-headers") || named("access-control-allow-credentials")
            || named("access-control-expose-headers") || named("access-control-max-age")
        else { return nil }
        self = .dropped
      case UInt8(ascii: "c"):
        if named("content-type") {
          self = .contentType
        } else if named("content-length") {
          self = .contentLength
        } else if named("cache-control") {
          self = .cacheControl
        } else if named("connection") {
          self = .connection
        } else if named("content-encoding") {
          self = .contentEncoding
        } else if named("content-security-policy") {
          self = .contentPolicy
        } else if named("clear-site-data") {
          self = .dropped
        } else {
          return nil
        }
      case UInt8(ascii: "d"): if named("date") { self = .dropped } else { return nil }
      case UInt8(ascii: "e"):
        if named("etag") { self = .tag } else if named("expect") { self = .dropped } else { return nil }
      case UInt8(ascii: "h"): if named("host") { self = .dropped } else { return nil }
      case UInt8(ascii: "k"): if named("keep-alive") { self = .dropped } else { return nil }
      case UInt8(ascii: "p"):
        guard named("proxy-authenticate") || named("proxy-authorization") || named("proxy-connection") else {
          return nil
        }
        self = .dropped
      case UInt8(ascii: "r"): if named("referrer-policy") { self = .dropped } else { return nil }
      case UInt8(ascii: "s"):
        guard named("set-cookie") || named("strict-transport-security") else { return nil }
        self = .dropped
      case UInt8(ascii: "t"):
        if named("transfer-encoding") {
          self = .transferEncoding
        } else if named("te") || named("trailer") {
          self = .dropped
        } else {
          return nil
        }
      case UInt8(ascii: "u"): if named("upgrade") { self = .dropped } else { return nil }
      case UInt8(ascii: "x"):
        guard named("x-content-type-options") || named("x-frame-options") || named("x-request-id") else { return nil }
        self = .dropped
      default: return nil
      }
    }
  }
}
