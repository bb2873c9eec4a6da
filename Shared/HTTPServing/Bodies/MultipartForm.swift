/// Parses the text fields of `multipart/form-data` (RFC 7578), which mail clients send to unsubscribe (RFC 8058).
package enum MultipartForm {
  /// Maximum number of fields.
  private static let maxCount = 100

  /// Returns the fields in order; `nil` when the body is not such a form. A file is treated as text.
  package static func fields(of body: String, contentType: String) -> [(name: String, value: String)]? {
    guard let boundary = parameter("boundary", of: contentType), (1...70).contains(boundary.utf8.count) else {
      return nil
    }
    // Every part follows a delimiter at the start of a line; text before the first delimiter is ignored.
    let text = "\r\n" + body
    let parts = text.split(separator: "\r\n--\(boundary)", maxSplits: maxCount + 1, omittingEmptySubsequences: false)
      .dropFirst()
    // The closing delimiter ends with two more dashes.
    guard parts.last?.hasPrefix("--") == true else { return nil }
    var fields: [(name: String, value: String)] = []
    for part in parts.dropLast() {
      let halves = part.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
      let head = halves[0].split(separator: "\r\n")
      guard halves.count == 2, halves[0].hasPrefix("\r\n"),
        let disposition = head.first(where: { $0.lowercased().hasPrefix("content-disposition:") }),
        let name = parameter("name", of: disposition)
      else { return nil }
      fields.append((name, String(halves[1])))
    }
    return fields
  }

  static func parameter(_ name: String, of field: some StringProtocol) -> String? {
    for part in field.split(separator: ";").dropFirst() {
      let halves = part.split(separator: "=", maxSplits: 1)
      guard halves.count == 2, halves[0].drop(while: \.isWhitespace).lowercased() == name else { continue }
      let value = halves[1]
      let isQuoted = value.count >= 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
      return isQuoted ? String(value.dropFirst().dropLast()) : String(value)
    }
    return nil
  }
}
