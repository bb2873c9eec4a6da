/// An address that can be loaded without a token.
public struct MediaLink: Codable, Sendable, Equatable {
  /// Path and query, relative to the platform's base URL.
  public var url: String
  public var expiresAt: Timestamp
  public init(url: String, expiresAt: Timestamp) { (self.url, self.expiresAt) = (url, expiresAt) }
}

/// How long a link is valid, in seconds: a minute to a week.
public struct LinkSeconds: BoundedInteger {
  public static let range = 60...604_800
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 3600) }
}

/// The path of a file below its media item, such as `content`, `preview` and `hls/master.m3u8`.
public struct MediaFilePath: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 1...80, pattern: "^[a-z]+(/[A-Za-z0-9_-]+[.][a-z0-9]+)?$", example: "hls/master.m3u8",
    violation: { isWellFormed($0) ? nil : "must be a name, or a name and the name of a file" })

  private static func isWellFormed(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
    guard (1...2).contains(parts.count), !parts[0].isEmpty, parts[0].utf8.allSatisfy({ letters.contains($0) }) else {
      return false
    }
    guard parts.count == 2 else { return true }
    let names = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    return names.count == 2
      && names.allSatisfy { name in
        !name.isEmpty
          && name.utf8.allSatisfy {
            $0.isLowercaseOrDigit || $0 == 0x2D || $0 == 0x5F || $0 | 0x20 != $0 && letters.contains($0 | 0x20)
          }
      }
  }
}
