/// A playlist (RFC 8216) whose files are loaded by the link by which it was loaded: players add nothing to addresses.
enum LinkedPlaylist {
  static let mediaType = "application/vnd.apple.mpegurl"

  /// - Parameter query: Appended to every address, of which all are relative.
  static func text(of playlist: String, query: String) -> String {
    playlist.split(separator: "\n", omittingEmptySubsequences: false)
      .map { line in
        guard line.hasPrefix("#") else { return line.allSatisfy(\.isWhitespace) ? String(line) : "\(line)?\(query)" }
        return attribute(of: line, query)
      }
      .joined(separator: "\n")
  }

  /// The attribute of a tag such as `#EXT-X-MAP:URI="720p.mp4",BYTERANGE="1200@0"`.
  private static func attribute(of line: Substring, _ query: String) -> String {
    let parts = line.split(separator: "URI=\"", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let end = parts[1].firstIndex(of: "\"") else { return String(line) }
    return "\(parts[0])URI=\"\(parts[1][..<end])?\(query)\(parts[1][end...])"
  }
}
