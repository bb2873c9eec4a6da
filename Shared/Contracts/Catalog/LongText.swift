/// Multiline text. Line breaks are line feeds; other control characters except tabs are rejected.
public struct LongText: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule.multiline(length: 1...5000)
}

extension StringRule {
  /// The rule for multiline text that is not blank.
  static func multiline(length: ClosedRange<Int>) -> StringRule {
    StringRule(
      length: length,
      example: "Is the blue one still made?",
      normalize: { $0.replacing("\r\n", with: "\n").replacing("\r", with: "\n") },
      complaint: { text in
        let hasControl = text.unicodeScalars.contains {
          $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
        }
        if hasControl { return "must not contain control characters" }
        return text.allSatisfy(\.isWhitespace) ? "must not be blank" : nil
      }
    )
  }
}
