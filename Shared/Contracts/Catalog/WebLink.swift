/// The URL of a page or file on the web: `https`, a host, printable ASCII.
public struct WebLink: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 9...2000,
    format: "uri",
    pattern: "^https://[A-Za-z0-9]+((\\.|-+)[A-Za-z0-9]+)*(:[1-9][0-9]{0,4})?([/?]\(rest))?(#\(rest))?$",
    example: "https://example.com/page",
    normalize: escaped,
    violation: { host(of: $0) == nil ? "must be an https URL" : nil }
  )

  /// The characters of paths, queries and fragments (RFC 3986 §3.3–3.5).
  fileprivate static let rest = "([!$&-;=?-Z_a-z~]|%[0-9A-Fa-f]{2})*"

  /// Escapes what may not stand in a path, query or fragment, as browsers do: brackets, a `%` that begins no escape, and
  /// each `#` after the first.
  fileprivate static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { "[]%#".utf8.contains($0) }) else { return text }
    let bytes = Array(text.utf8)
    let authority = bytes.dropFirst(8).firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
    var result = Array(bytes[..<authority])
    var hasFragment = false
    for (index, byte) in bytes.enumerated().dropFirst(authority) {
      let isAllowed =
        switch byte {
        case UInt8(ascii: "["), UInt8(ascii: "]"): false
        case UInt8(ascii: "#"): !hasFragment
        case UInt8(ascii: "%"): bytes[(index + 1)...].prefix(2).count { Character(Unicode.Scalar($0)).isHexDigit } == 2
        default: true
        }
      hasFragment = hasFragment || byte == UInt8(ascii: "#")
      if isAllowed { result.append(byte) } else { result += "%\(String(byte, radix: 16, uppercase: true))".utf8 }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The host of an `https` URL, in lower case; `nil` for any other text. User names and passwords before the host are
  /// rejected, because they make a URL look like another one.
  static func host(of text: String) -> String? {
    let isClean = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !#""<>[\]^`{|}"#.utf8.contains($0) }
    guard isClean, text.lowercased().hasPrefix("https://") else { return nil }
    let parts = text.dropFirst(8).prefix { !"/?#".contains($0) }
      .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let host = parts.first?.lowercased(), (1...253).contains(host.utf8.count) else { return nil }
    if parts.count == 2 { guard let port = UInt16(parts[1]), port > 0, String(port) == parts[1] else { return nil } }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    let isName = labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
        && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }
    return isName ? host : nil
  }
}

/// The URL of a video on YouTube.
public struct YouTubeLink: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 17...2000,
    format: "uri",
    pattern: #"^https://([A-Za-z0-9-]+\.)*(youtube\.com|youtu\.be|youtube-nocookie\.com)"#
      + "(:[1-9][0-9]{0,4})?([/?]\(WebLink.rest))?(#\(WebLink.rest))?$",
    example: "https://www.youtube.com/watch?v=aqz-KE-bpKQ",
    normalize: WebLink.escaped,
    violation: { text in
      guard let host = WebLink.host(of: text) else { return "must be an https URL" }
      let isYouTube = ["youtube.com", "youtu.be", "youtube-nocookie.com"].contains {
        host == $0 || host.hasSuffix("." + $0)
      }
      return isYouTube ? nil : "must be a YouTube URL"
    }
  )
}
