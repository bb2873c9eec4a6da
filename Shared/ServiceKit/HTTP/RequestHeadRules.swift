import NIOHTTP1

/// What a request's head must obey beyond what the parser checks (RFC 9112): a pure function, so that every case is a
/// line in a table.
enum RequestHeadRules {
  /// Largest request target in bytes.
  static let targetLimit = 8192

  /// Says what is wrong, or nothing.
  static func complaint(about head: HTTPRequestHead) -> String? {
    guard head.version == .http1_1 || head.version == .http1_0 else { return "HTTP/1.1 is spoken here" }
    if head.version == .http1_0, head.headers.contains(name: "transfer-encoding") {
      return "Transfer-Encoding is not part of HTTP/1.0"
    }
    let encodings = head.headers["transfer-encoding"]
    if !encodings.isEmpty {
      guard encodings.count == 1, encodings[0].lowercased() == "chunked" else {
        return "Transfer-Encoding must be chunked, once"
      }
      guard !head.headers.contains(name: "content-length") else {
        return "Transfer-Encoding and Content-Length exclude each other"
      }
    }
    if head.headers["content-length"].count > 1 { return "Content-Length must stand once" }
    return complaintAboutHost(head) ?? complaint(aboutTarget: head.uri)
  }

  /// RFC 9112 §3.2: exactly one Host with a valid value; HTTP/1.0 may leave it out.
  private static func complaintAboutHost(_ head: HTTPRequestHead) -> String? {
    let hosts = head.headers["host"]
    if hosts.isEmpty { return head.version == .http1_0 ? nil : "Host is missing" }
    guard hosts.count == 1 else { return "Host must stand once" }
    return isValid(host: hosts[0]) ? nil : "Host is not valid"
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

  /// Origin form only, without a fragment; CONNECT and `*` have no business here.
  static func complaint(aboutTarget target: String) -> String? {
    guard target.utf8.first == UInt8(ascii: "/"), !target.hasPrefix("//") else {
      return "the request target must begin with one /"
    }
    guard target.utf8.count <= targetLimit else { return "the request target is longer than \(targetLimit) bytes" }
    let isClean = target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }
    return isClean ? nil : "the request target has characters that must be escaped"
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
