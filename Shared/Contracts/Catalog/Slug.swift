/// An identifier for URLs: lowercase letters and digits, separated by single dashes.
public struct Slug: ValidatedString, PageCursor {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 1...60,
    pattern: "^[a-z0-9]+(-[a-z0-9]+)*$",
    example: "goblet-squat",
    violation: { text in
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      let isPlain = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isLowercaseOrDigit) }
      return isPlain ? nil : "must be lowercase letters and digits, separated by single dashes"
    }
  )
}
