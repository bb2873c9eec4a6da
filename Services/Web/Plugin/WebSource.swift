/// The source of a script or a style without the lines that are comments only, which are a third of what would be sent.
///
/// The lines stay, empty, so that an error names those of the source. A text that spans lines must not have one that
/// begins like a comment.
enum WebSource {
  static func withoutComments(_ bytes: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    kept.reserveCapacity(bytes.count)
    var isInComment = false
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      if index > 0 { kept.append(UInt8(ascii: "\n")) }
      var content = line.drop { $0 == UInt8(ascii: " ") }
      if !isInComment {
        if content.starts(with: "//".utf8) { continue }
        guard content.starts(with: "/*".utf8) else {
          kept += line
          continue
        }
        isInComment = true
        content = content.dropFirst(2)
      }
      guard let rest = afterComment(content) else { continue }
      isInComment = false
      // Text after a comment on its line is code, such as a value with its type.
      if !rest.allSatisfy({ $0 == UInt8(ascii: " ") }) { kept += rest }
    }
    return kept
  }

  /// The text after the end of a comment, if it ends on the line.
  private static func afterComment(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = line
    while let star = rest.firstIndex(of: UInt8(ascii: "*")) {
      rest = rest[(star + 1)...]
      if rest.first == UInt8(ascii: "/") { return rest.dropFirst() }
    }
    return nil
  }
}
