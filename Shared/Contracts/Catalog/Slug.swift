/// An identifier for URLs: lowercase letters and digits, separated by single dashes.
public struct Slug: ValidatedString, PageCursor {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 1...60,
    example: "goblet-squat",
    complaint: { text in
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      let isPlain = parts.allSatisfy { part in
        !part.isEmpty
          && part.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
              || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          }
      }
      return isPlain ? nil : "must be lowercase letters and digits, separated by single dashes"
    }
  )
}
