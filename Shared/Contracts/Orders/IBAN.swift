/// An International Bank Account Number (ISO 13616), whose check digits are right. On the wire in capitals without
/// spaces; spaces and small letters are accepted.
public struct IBAN: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 15...34, pattern: "^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$", example: "DE89370400440532013000",
    normalize: { $0.replacing(" ", with: "").uppercased() },
    violation: { isValid(Array($0.utf8)) ? nil : "is not an IBAN" }
  )

  /// ISO 7064, MOD 97-10: with the first four characters moved to the end and letters read as 10 to 35, the number
  /// leaves the remainder 1.
  private static func isValid(_ text: [UInt8]) -> Bool {
    let (country, check) = (text.prefix(2), text.dropFirst(2).prefix(2))
    guard country.allSatisfy({ value(of: $0) ?? 0 > 9 }), check.allSatisfy({ value(of: $0) ?? 10 < 10 }) else {
      return false
    }
    var remainder = 0
    for character in text.dropFirst(4) + text.prefix(4) {
      guard let value = value(of: character) else { return false }
      remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97
    }
    return remainder == 1
  }

  private static func value(of character: UInt8) -> Int? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character - UInt8(ascii: "0"))
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character - UInt8(ascii: "A")) + 10
    default: nil
    }
  }

  /// The country and the last four characters, such as `DE****3000`.
  public var masked: String { "\(rawValue.prefix(2))****\(rawValue.suffix(4))" }
}
