public enum DeviceSubject {}
/// The app chooses one ID per installation.
public typealias DeviceID = ID<DeviceSubject>

/// A device token of Apple's push service: up to 100 bytes in hexadecimal digits. Never printed.
public struct PushToken: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public var description: String { "(hidden)" }
  public static let rule = StringRule(
    length: 64...200,
    pattern: "^[0-9A-Fa-f]{64,200}$",
    example: String(repeating: "0a", count: 32),
    normalize: { $0.lowercased() },
    violation: { $0.allSatisfy { $0.isASCII && $0.isHexDigit } ? nil : "must be hexadecimal digits" }
  )
}
