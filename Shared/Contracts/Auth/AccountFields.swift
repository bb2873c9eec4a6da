/// An e-mail address in lower case.
///
/// The syntax is that of HTML's `input type=email`, narrower than RFC 5321: one `@`, a dotted domain, no quotes.
public struct EmailAddress: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 3...254,
    format: "email",
    example: "ada@example.com",
    normalize: { $0.lowercased() },
    complaint: { text in
      let halves = text.split(separator: "@", omittingEmptySubsequences: false)
      guard halves.count == 2, (1...64).contains(halves[0].utf8.count), halves[0].utf8.allSatisfy(isLocalPart),
        !halves[0].hasPrefix("."), !halves[0].hasSuffix("."), !halves[0].contains("..")
      else { return "must be an e-mail address" }
      let labels = halves[1].split(separator: ".", omittingEmptySubsequences: false)
      let labelsAreValid = labels.allSatisfy { label in
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
          && label.utf8.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
      }
      return labels.count >= 2 && labelsAreValid ? nil : "must be an e-mail address"
    }
  )
}

/// A unique username of lowercase letters, digits, dots, dashes and underscores.
public struct Username: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 3...30,
    example: "ada",
    normalize: { $0.lowercased() },
    complaint: { text in
      let allowed = text.utf8.allSatisfy {
        isLetterOrDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
      }
      return allowed ? nil : "may contain only letters, digits, dots, dashes and underscores"
    }
  )
}

/// The name shown to other users.
public struct DisplayName: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 1...60,
    example: "Ada Lovelace",
    normalize: trimSpaces,
    complaint: { $0.unicodeScalars.contains(where: isControl) ? "must not contain control characters" : nil }
  )
}

/// A short text, such as a user's self-description; may contain line feeds.
public struct Biography: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 0...1000,
    example: "Writes notes.",
    complaint: { text in
      text.unicodeScalars.contains { isControl($0) && $0 != "\n" } ? "must not contain control characters" : nil
    }
  )
}

/// A new password: 8 to 128 arbitrary characters, at most 1,024 bytes. Never printed.
public struct Password: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public var description: String { "(hidden)" }
  public static let rule = StringRule(
    length: 8...128,
    format: "password",
    example: "correct horse battery staple",
    complaint: { $0.utf8.count > 1024 ? "must have at most 1024 bytes" : nil }
  )
}

/// A first or last name.
public struct PersonName: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 1...80,
    example: "Ada",
    normalize: trimSpaces,
    complaint: { $0.unicodeScalars.contains(where: isControl) ? "must not contain control characters" : nil }
  )
}

/// A telephone number in the international format of ITU-T E.164, `+` and 7 to 15 digits; spaces, dots, dashes and
/// parentheses are removed.
public struct PhoneNumber: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 8...16,
    example: "+14155550100",
    normalize: { text in String(text.filter { !" .-()".contains($0) }) },
    complaint: { text in
      text.hasPrefix("+") && text.dropFirst().utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        ? nil : "must be + and 7 to 15 digits"
    }
  )
}

/// A single line of text, such as the name of a school or a group.
public struct ShortText: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 1...120,
    example: "LeTourneau University",
    normalize: trimSpaces,
    complaint: { $0.unicodeScalars.contains(where: isControl) ? "must not contain control characters" : nil }
  )
}

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
  default: false
  }
}

/// RFC 5322 `atext` in lower case, and the dot.
private func isLocalPart(_ byte: UInt8) -> Bool { isLetterOrDigit(byte) || ".!#$%&'*+/=?^_`{|}~-".utf8.contains(byte) }

private func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .control }

private func trimSpaces(_ text: String) -> String {
  var rest = Substring(text)
  while rest.first?.isWhitespace == true { rest.removeFirst() }
  while rest.last?.isWhitespace == true { rest.removeLast() }
  return String(rest)
}
