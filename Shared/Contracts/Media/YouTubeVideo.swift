/// A video on YouTube, and the second at which it starts.
public struct YouTubeVideo: Sendable, Equatable {
  /// 11 letters, digits, `-` and `_`.
  public let id: String
  public let start: Int?

  /// - Parameter id: A valid one, such as was stored.
  public init(id: String, start: Int?) { (self.id, self.start) = (id, start) }

  /// Reads `/watch?v=ID`, `/shorts/ID`, `/live/ID`, `/embed/ID` and `/v/ID` of YouTube's hosts and `youtu.be/ID`, with the
  /// start as `t` or `start` in the query or as `t` in the fragment.
  ///
  /// - Returns: `nil` for any other URL.
  public init?(_ link: YouTubeLink) {
    guard let host = WebLink.host(of: link.rawValue) else { return nil }
    let rest = link.rawValue.dropFirst("https://".count).drop { !"/?#".contains($0) }
    let beforeFragment = rest.prefix { $0 != "#" }
    let path = beforeFragment.prefix { $0 != "?" }.split(separator: "/").map { String($0) }
    let query = Self.parameters(beforeFragment.drop { $0 != "?" }.dropFirst())
    let candidate: String? =
      switch path.first {
      case let first? where host == "youtu.be": path.count == 1 ? first : nil
      case "watch" where path.count == 1: query["v"]
      case "shorts", "live", "embed", "v": path.count == 2 ? path[1] : nil
      default: nil
      }
    guard let candidate, Self.isID(candidate) else { return nil }
    let fragment = Self.parameters(rest.drop { $0 != "#" }.dropFirst())
    self.init(id: candidate, start: (query["t"] ?? query["start"] ?? fragment["t"]).flatMap(Self.seconds))
  }

  /// The video's page.
  public var link: WebLink {
    WebLink(checked: "https://www.youtube.com/watch?v=\(id)" + (start.map { "&t=\($0)s" } ?? ""))
  }

  /// The player for other pages; this host sets no cookies before the video is played.
  public var embed: WebLink {
    WebLink(checked: "https://www.youtube-nocookie.com/embed/\(id)" + (start.map { "?start=\($0)" } ?? ""))
  }

  private static func isID(_ text: String) -> Bool {
    text.utf8.count == 11
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  private static func parameters(_ text: Substring) -> [Substring: String] {
    let pairs = text.split(separator: "&").compactMap { pair -> (Substring, String)? in
      guard let equals = pair.firstIndex(of: "=") else { return nil }
      return (pair[..<equals], String(pair[pair.index(after: equals)...]))
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// Videos have at most 12 hours; a larger number is a mistake.
  private static let maxSeconds = 100_000

  /// `90`, `90s`, `1m30s`, `1h2m3s`; 0 is no start.
  private static func seconds(_ text: String) -> Int? {
    var (total, number): (Int, Int?) = (0, nil)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        number = min((number ?? 0) * 10 + Int(byte - UInt8(ascii: "0")), maxSeconds + 1)
      case UInt8(ascii: "h"), UInt8(ascii: "m"), UInt8(ascii: "s"):
        guard let value = number else { return nil }
        total += value * (byte == UInt8(ascii: "h") ? 3600 : byte == UInt8(ascii: "m") ? 60 : 1)
        number = nil
      default: return nil
      }
    }
    total += number ?? 0
    return (1...maxSeconds).contains(total) ? total : nil
  }
}

/// A video that is stored elsewhere.
public struct VideoLink: Codable, Sendable, Equatable {
  public enum Provider: String, WireEnum {
    case youtube
  }

  public var provider: Provider
  /// The video's page.
  public var url: WebLink
  /// A player to show in a frame.
  public var embedURL: WebLink

  public init(_ video: YouTubeVideo) { (provider, url, embedURL) = (.youtube, video.link, video.embed) }
}
