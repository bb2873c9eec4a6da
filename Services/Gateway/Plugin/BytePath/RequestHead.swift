import NIOCore

/// The head of a request that the byte path understands, as offsets into the bytes that it was read from.
///
/// It recognizes the strict form of frequent requests only. All other input, valid or not, is not judged here: the
/// usual handlers do that, with the same bytes. So no rule about requests exists twice, and what this accepts has
/// exactly one meaning.
struct RequestHead: Equatable {
  enum Method: String {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  enum Scan: Equatable {
    case head(RequestHead)
    /// The beginning of such a head.
    case incomplete
    case other
  }

  var method = Method.get
  /// Path and query.
  var target = 0..<0
  var path = 0..<0
  var host = 0..<0
  /// The length of the body, in bytes.
  var length = 0
  /// Whether the caller wants the connection closed after the response.
  var closes = false
  var authorization: Range<Int>?
  var origin: Range<Int>?
  var acceptEncoding: Range<Int>?
  var traceparent: Range<Int>?
  var ifNoneMatch: Range<Int>?
  /// The fields that proxies in front have added, such as `X-Forwarded-For`.
  var forwardedFor: Range<Int>?
  var forwardedProto: Range<Int>?
  var hasIdempotencyKey = false
  /// Whether a browser does not want to run what it asks for. Files may be run.
  var isForData = true
  /// The offset after the head.
  var end = 0

  /// Longer heads are rare.
  static let maxBytes = 8192
  private static let maxFields = 100

  var hasQuery: Bool { path.count < target.count }

  /// Reads a head, and copies it without the fields that end here or that only the gateway sets.
  ///
  /// - Parameter kept: Receives the request line and the kept lines, without the empty line. Of no use unless the result
  ///   is a head.
  static func scan(_ bytes: UnsafeRawBufferPointer, into kept: inout ByteBuffer) -> Scan {
    var head = RequestHead()
    var offset = 0
    switch head.scanRequestLine(bytes) {
    case .other: return .other
    case .incomplete: return bytes.count > maxBytes ? .other : .incomplete
    case .end(let end): offset = end
    }
    // The offset of the first byte that has not been copied yet.
    var copied = 0
    var seen: UInt32 = 0
    for _ in 0...maxFields {
      switch FieldLine.scan(bytes, from: offset, allowsText: false) {
      case .invalid: return .other
      case .incomplete: return bytes.count > maxBytes ? .other : .incomplete
      case .end(let end):
        guard seen & Field.host.bit != 0, end <= maxBytes else { return .other }
        kept.writeBytes(UnsafeRawBufferPointer(rebasing: bytes[copied..<offset]))
        head.end = end
        return .head(head)
      case .line(let line):
        let field = Field(bytes, line.name)
        if let field {
          // None of those that are looked at may occur twice.
          guard field == .dropped || seen & field.bit == 0, head.take(field, line.value, bytes) else { return .other }
          seen |= field.bit
          if field.isDropped {
            if copied < offset { kept.writeBytes(UnsafeRawBufferPointer(rebasing: bytes[copied..<offset])) }
            copied = line.end
          }
        }
        offset = line.end
      }
    }
    return .other
  }

  private enum Line {
    /// The offset after the line.
    case end(Int)
    case incomplete, other
  }

  private mutating func scanRequestLine(_ bytes: UnsafeRawBufferPointer) -> Line {
    var offset = 0
    guard let first = bytes.first else { return .incomplete }
    // A method is recognised by its first letters.
    let second = bytes.count > 1 ? bytes[1] : 0
    switch (first, second) {
    case (UInt8(ascii: "G"), _): method = .get
    case (UInt8(ascii: "D"), _): method = .delete
    case (UInt8(ascii: "P"), 0): return .incomplete
    case (UInt8(ascii: "P"), UInt8(ascii: "O")): method = .post
    case (UInt8(ascii: "P"), UInt8(ascii: "U")): method = .put
    case (UInt8(ascii: "P"), UInt8(ascii: "A")): method = .patch
    default: return .other
    }
    for letter in method.rawValue.utf8 {
      guard offset < bytes.count else { return .incomplete }
      guard bytes[offset] == letter else { return .other }
      offset += 1
    }
    guard offset < bytes.count else { return .incomplete }
    guard bytes[offset] == FieldLine.space else { return .other }
    offset += 1
    let start = offset
    var query: Int?
    while offset < bytes.count, bytes[offset] &- 0x21 < 0x5E, bytes[offset] != UInt8(ascii: "#") {
      if query == nil {
        if bytes[offset] == UInt8(ascii: "?") { query = offset }
        // A path that has to be decoded.
        if bytes[offset] == UInt8(ascii: "%") { return .other }
      }
      offset += 1
    }
    guard offset - start <= Self.maxBytes else { return .other }
    if offset > start {
      guard bytes[start] == UInt8(ascii: "/"), offset < start + 2 || bytes[start + 1] != UInt8(ascii: "/") else {
        return .other
      }
    }
    guard offset < bytes.count else { return .incomplete }
    guard offset > start else { return .other }
    target = start..<offset
    path = start..<(query ?? offset)
    for expected in " HTTP/1.1\r\n".utf8 {
      guard offset < bytes.count else { return .incomplete }
      guard bytes[offset] == expected else { return .other }
      offset += 1
    }
    return .end(offset)
  }

  /// - Returns: Whether the field has a value that is understood.
  private mutating func take(_ field: Field, _ value: Range<Int>, _ bytes: UnsafeRawBufferPointer) -> Bool {
    switch field {
    case .host:
      host = value
      let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[value]), as: UTF8.self)
      return Self.isPlain(host: text)
    case .contentLength:
      guard let number = FieldLine.number(bytes, value) else { return false }
      length = number
    case .connection:
      closes = FieldLine.equal(bytes, value, "close")
      return closes || FieldLine.equal(bytes, value, "keep-alive")
    case .authorization: authorization = value
    case .origin: origin = value
    case .acceptEncoding: acceptEncoding = value
    case .traceparent: traceparent = value
    case .forwardedFor: forwardedFor = value
    case .forwardedProto: forwardedProto = value
    case .ifNoneMatch: ifNoneMatch = value
    case .idempotencyKey: hasIdempotencyKey = true
    case .fetchDest: isForData = Self.isData(bytes, value)
    case .dropped: break
    case .unusual: return false
    }
    return true
  }

  private static func isData(_ bytes: UnsafeRawBufferPointer, _ use: Range<Int>) -> Bool {
    func equals(_ text: StaticString) -> Bool { FieldLine.equal(bytes, use, text) }
    return equals("empty") || equals("document") || equals("image") || equals("video") || equals("audio")
  }

  /// A name or an IPv4 address, perhaps with a port.
  private static func isPlain(host: String) -> Bool {
    var name = host.utf8[...]
    if let colon = name.firstIndex(of: FieldLine.colon) {
      let port = name[name.index(after: colon)...]
      guard port.count <= 5, port.allSatisfy({ $0 &- 0x30 < 10 }) else { return false }
      name = name[..<colon]
    }
    return (1...253).contains(name.count)
      && name.allSatisfy { byte in
        FieldLine.lowercased(byte) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == UInt8(ascii: "-")
          || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
      }
  }
}

extension RequestHead {
  /// The fields that mean something to the gateway.
  fileprivate enum Field: UInt32 {
    case host, contentLength, connection, authorization, origin, acceptEncoding, traceparent
    case forwardedFor, forwardedProto, idempotencyKey, ifNoneMatch, fetchDest
    /// Says who the caller is, which only the gateway may do, is a cookie, or belongs to the caller's own trace.
    case dropped
    /// Requests for the usual handlers: other framings, expectations, protocols.
    case unusual

    var bit: UInt32 { 1 << rawValue }

    /// Whether the field is not passed on as it is.
    var isDropped: Bool {
      switch self {
      case .authorization, .origin, .acceptEncoding, .idempotencyKey, .ifNoneMatch, .fetchDest, .unusual: false
      default: true
      }
    }

    /// - Returns: `nil` for a field that is passed on unseen.
    init?(_ bytes: UnsafeRawBufferPointer, _ name: Range<Int>) {
      func named(_ text: StaticString) -> Bool { FieldLine.equal(bytes, name, text) }
      func begins(_ text: StaticString) -> Bool { FieldLine.hasPrefix(bytes, name, text) }
      switch FieldLine.lowercased(bytes[name.lowerBound]) {
      case UInt8(ascii: "a"):
        if named("authorization") {
          self = .authorization
        } else if named("accept-encoding") {
          self = .acceptEncoding
        } else {
          return nil
        }
      case UInt8(ascii: "c"):
        if named("connection") {
          self = .connection
        } else if named("content-length") {
          self = .contentLength
        } else if named("cookie") {
          self = .dropped
        } else {
          return nil
        }
      case UInt8(ascii: "e"): if named("expect") { self = .unusual } else { return nil }
      case UInt8(ascii: "f"): if named("forwarded") { self = .dropped } else { return nil }
      case UInt8(ascii: "h"): if named("host") { self = .host } else { return nil }
      case UInt8(ascii: "i"):
        if named("idempotency-key") {
          self = .idempotencyKey
        } else if named("if-none-match") {
          self = .ifNoneMatch
        } else {
          return nil
        }
      case UInt8(ascii: "k"): if named("keep-alive") { self = .unusual } else { return nil }
      case UInt8(ascii: "o"): if named("origin") { self = .origin } else { return nil }
      case UInt8(ascii: "s"): if named("sec-fetch-dest") { self = .fetchDest } else { return nil }
      case UInt8(ascii: "p"): if begins("proxy-") { self = .unusual } else { return nil }
      case UInt8(ascii: "t"):
        if named("traceparent") {
          self = .traceparent
        } else if named("tracestate") {
          self = .dropped
        } else if named(
          "te") || named("trailer") || named("transfer-encoding")
        {
          self = .unusual
        } else {
          return nil
        }
      case UInt8(ascii: "u"): if named("upgrade") { self = .unusual } else { return nil }
      case UInt8(ascii: "x"):
        if named("x-forwarded-for") {
          self = .forwardedFor
        } else if named("x-forwarded-proto") {
          self = .forwardedProto
        } else if begins("x-forwarded-") || begins("x-user-") || named("x-real-ip") || named("x-request-id")
          || named("x-service-authorization")
        {
          self = .dropped
        } else {
          return nil
        }
      default: return nil
      }
    }
  }
}
