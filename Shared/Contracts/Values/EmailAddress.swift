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
    violation: { text in
      let halves = text.split(separator: "@", omittingEmptySubsequences: false)
      guard halves.count == 2, (1...64).contains(halves[0].utf8.count), halves[0].utf8.allSatisfy(isLocalPart),
        !halves[0].hasPrefix("."), !halves[0].hasSuffix("."), !halves[0].contains("..")
      else { return "must be an e-mail address" }
      let labels = halves[1].split(separator: ".", omittingEmptySubsequences: false)
      let labelsAreValid = labels.allSatisfy { label in
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
          && label.utf8.allSatisfy { $0.isLowercaseOrDigit || $0 == UInt8(ascii: "-") }
      }
      return labels.count >= 2 && labelsAreValid ? nil : "must be an e-mail address"
    }
  )
}

/// RFC 5322 `atext` in lower case, and the dot.
private func isLocalPart(_ byte: UInt8) -> Bool {
  byte.isLowercaseOrDigit || ".!#$%&'*+/=?^_`{|}~-".utf8.contains(byte)
}
