import NIOHTTP1

/// Validates a request's head beyond what the parser checks (RFC 9112): pure functions, for table-driven tests.
enum RequestHeadRules {
  /// Maximum length of a request target, in bytes.
  static let targetLimit = 8192

  /// Describes what is wrong with a head; `nil` when it is valid.
  static func violation(in head: HTTPRequestHead) -> String? {
    guard head.version == .http1_1 || head.version == .http1_0 else { return "the HTTP version must be 1.0 or 1.1" }
    if head.version == .http1_0, head.headers.contains(name: "transfer-encoding") {
      return "Transfer-Encoding is not part of HTTP/1.0"
    }
    // The parser takes what follows such a head for a tunnel, and never for a body.
    if head.method == .CONNECT { return "CONNECT is not supported" }
    let encodings = head.headers["transfer-encoding"]
    if !encodings.isEmpty {
      guard encodings.count == 1, encodings[0].lowercased() == "chunked" else {
        return "Transfer-Encoding must be chunked and occur at most once"
      }
      guard !head.headers.contains(name: "content-length") else {
        return "Transfer-Encoding and Content-Length are mutually exclusive"
      }
    }
    if head.headers["content-length"].count > 1 { return "Content-Length must occur at most once" }
    return hostViolation(in: head) ?? violation(inTarget: head.uri)
  }

  /// RFC 9112 §3.2: exactly one Host with a valid value; HTTP/1.0 may omit it.
  private static func hostViolation(in head: HTTPRequestHead) -> String? {
    let hosts = head.headers["host"]
    if hosts.isEmpty { return head.version == .http1_0 ? nil : "Host is missing" }
    guard hosts.count == 1 else { return "Host must occur exactly once" }
    // The parser leaves the white space that may follow a value (RFC 9110, 5.5).
    return isValid(host: String(hosts[0][...].trimmingEnd)) ? nil : "Host is not valid"
  }

  /// `uri-host [ ":" port ]` (RFC 9110 §7.2) without user information, path or list.
  static func isValid(host: String) -> Bool {
    var name = host.utf8[...]
    if name.first == UInt8(ascii: "[") {
      guard let close = name.firstIndex(of: UInt8(ascii: "]")) else { return false }
      let address = name[name.index(after: name.startIndex)..<close]
      guard !address.isEmpty, address.allSatisfy({ isHex($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
      else { return false }
      name = name[name.index(after: close)...]
      return name.isEmpty || name.first == UInt8(ascii: ":") && isPort(name.dropFirst())
    }
    if let colon = name.firstIndex(of: UInt8(ascii: ":")) {
      guard isPort(name[name.index(after: colon)...]) else { return false }
      name = name[..<colon]
    }
    return !name.isEmpty && name.count <= 253
      && name.allSatisfy { byte in
        isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
      }
  }

  /// Accepts only the origin form, without a fragment; CONNECT and `*` are not supported.
  static func violation(inTarget target: String) -> String? {
    guard target.utf8.first == UInt8(ascii: "/"), !target.hasPrefix("//") else {
      return "the request target must start with a single /"
    }
    guard target.utf8.count <= targetLimit else { return "the request target is longer than \(targetLimit) bytes" }
    let isClean = target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
    return isClean ? nil : "the request target has characters that must be percent-encoded"
  }

  private static func isPort(_ digits: Substring.UTF8View) -> Bool {
    digits.count <= 5 && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }
}
