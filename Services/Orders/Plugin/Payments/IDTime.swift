import Contracts

extension ID {
  /// When the id was made: the first 48 bits of a UUIDv7 (RFC 9562) are milliseconds since 1970. `nil` for other UUIDs.
  var madeAt: Timestamp? {
    let text = rawValue.utf8
    guard text.count == 36, text.dropFirst(14).first == UInt8(ascii: "7") else { return nil }
    let digits = String(rawValue.prefix(8) + rawValue.dropFirst(9).prefix(4))
    return Int64(digits, radix: 16).map { Timestamp(microseconds: $0 * 1000) }
  }
}
