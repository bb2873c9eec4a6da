/// A single line of text, such as the name of a school or a group.
public struct ShortText: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule.line(length: 1...120, example: "LeTourneau University")
}

/// Multiline text. Line breaks are line feeds; other control characters except tabs are rejected.
public struct LongText: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule.multiline(length: 1...5000)
}

/// A short text, such as a user's self-description; may contain line feeds.
public struct Biography: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 0...1000,
    pattern: #"^[^\u0000-\u0009\u000B-\u001F\u007F-\u009F]*$"#,
    example: "Writes notes.",
    violation: { text in
      text.unicodeScalars.contains { isControl($0) && $0 != "\n" } ? "must not contain control characters" : nil
    }
  )
}

/// A first or last name.
public struct PersonName: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule.line(length: 1...80, example: "Ada")
}

/// The name shown to other users.
public struct DisplayName: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule.line(length: 1...60, example: "Ada Lovelace")
}

extension StringRule {
  /// The rule for a single line of text.
  static func line(length: ClosedRange<Int>, example: String) -> StringRule {
    StringRule(
      length: length,
      pattern: #"^[^\u0000-\u001F\u007F-\u009F]*[^\s\u0000-\u001F\u007F-\u009F][^\u0000-\u001F\u007F-\u009F]*$"#,
      example: example,
      normalize: trimSpaces,
      violation: { $0.unicodeScalars.contains(where: isControl) ? "must not contain control characters" : nil }
    )
  }

  /// The rule for multiline text that is not blank.
  static func multiline(length: ClosedRange<Int>) -> StringRule {
    StringRule(
      length: length,
      pattern:
        #"^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*[^\s\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F][^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*$"#,
      example: "Is the blue one still made?",
      normalize: { $0.replacing("\r\n", with: "\n").replacing("\r", with: "\n") },
      violation: { text in
        if text.unicodeScalars.contains(where: { isControl($0) && $0 != "\n" && $0 != "\t" }) {
          return "must not contain control characters"
        }
        return text.allSatisfy(\.isWhitespace) ? "must not be blank" : nil
      }
    )
  }
}

extension UInt8 {
  /// Whether this is an ASCII digit or lowercase letter.
  var isLowercaseOrDigit: Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
  }
}

private func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .control }

private func trimSpaces(_ text: String) -> String {
  var rest = Substring(text)
  while rest.first?.isWhitespace == true { rest.removeFirst() }
  while rest.last?.isWhitespace == true { rest.removeLast() }
  return String(rest)
}
