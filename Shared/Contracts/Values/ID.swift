/// A UUID in canonical lowercase text, typed by its subject, so that a user id cannot be passed as a session id.
public struct ID<Subject>: Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String

  /// Accepts any UUID in the 8-4-4-4-12 format, in uppercase or lowercase.
  public init?(_ text: String) {
    var text = text
    guard let isCanonical = text.withUTF8(isCanonicalUUID) else { return nil }
    rawValue = isCanonical ? text : text.lowercased()
  }

  /// Creates an id from text that is known to be canonical, such as one read from the service's database.
  public init(trusted text: String) { rawValue = text }

  public var description: String { rawValue }
}

extension ID: Codable {
  public init(from decoder: any Decoder) throws {
    guard let id = Self(try decoder.singleValueContainer().decode(String.self)) else {
      throw ValueError(at: decoder.codingPath, "must be a UUID")
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}

extension ID: SchemaProviding {
  public static var schema: JSONSchema {
    var schema = JSONSchema.string(format: "uuid")
    schema.pattern = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"
    return schema
  }
  public static var example: Self { Self(trusted: "01890a5d-ac96-774b-bcce-b302099a8057") }
}

/// Whether a UUID is in lowercase; `nil` for what is no UUID.
private func isCanonicalUUID(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool? {
  guard bytes.count == 36 else { return nil }
  var isCanonical = true
  for position in bytes.indices {
    switch (position, bytes[position]) {
    case (8, let byte), (13, let byte), (18, let byte), (23, let byte):
      guard byte == UInt8(ascii: "-") else { return nil }
    case (_, UInt8(ascii: "0")...UInt8(ascii: "9")), (_, UInt8(ascii: "a")...UInt8(ascii: "f")): continue
    case (_, UInt8(ascii: "A")...UInt8(ascii: "F")): isCanonical = false
    default: return nil
    }
  }
  return isCanonical
}

/// Generates version 7 UUIDs (RFC 9562 §5.7): 48 bits of milliseconds, then 74 random bits.
public enum UUIDv7 {
  /// - Parameters:
  ///   - time: Determines the sort order of ids.
  ///   - high: Supplies the 12 bits after the version.
  ///   - low: Supplies the 62 bits after the variant.
  public static func text(at time: Timestamp, high: UInt64, low: UInt64) -> String {
    let milliseconds = UInt64(max(0, time.microseconds / 1000))
    let first = (milliseconds << 16) | 0x7000 | (high & 0x0FFF)
    let second = 0x8000_0000_0000_0000 | (low & 0x3FFF_FFFF_FFFF_FFFF)
    return String(unsafeUninitializedCapacity: 36) { buffer in
      var position = 0
      for nibble in 0..<32 {
        if nibble == 8 || nibble == 12 || nibble == 16 || nibble == 20 {
          buffer[position] = UInt8(ascii: "-")
          position += 1
        }
        let word = nibble < 16 ? first : second
        let digit = UInt8(truncatingIfNeeded: (word >> UInt64(60 - 4 * (nibble % 16))) & 0xF)
        buffer[position] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        position += 1
      }
      return 36
    }
  }
}
