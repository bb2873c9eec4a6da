/// A telephone number in the international format of ITU-T E.164, `+` and 7 to 15 digits; spaces, dots, dashes and
/// parentheses are removed.
public struct PhoneNumber: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 8...16,
    pattern: #"^\+[0-9]{7,15}$"#,
    example: "+14155550100",
    normalize: { text in String(text.filter { !" .-()".contains($0) }) },
    violation: { text in
      let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
      return text.hasPrefix("+") && text.dropFirst().utf8.allSatisfy(digits.contains)
        ? nil : "must be + and 7 to 15 digits"
    }
  )
}
