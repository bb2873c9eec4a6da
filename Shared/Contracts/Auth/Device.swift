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
    example: String(repeating: "0a", count: 32),
    normalize: { $0.lowercased() },
    complaint: { text in
      let isHex = text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
      return isHex ? nil : "must be hexadecimal digits"
    }
  )
}
