/// Percent-encoding of path segments and query parts (RFC 3986 §2).
public enum PercentCoding {
  /// Encodes everything but unreserved characters.
  public static func encode(_ text: String) -> String {
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        result.append(byte)
      default:
        result.append(UInt8(ascii: "%"))
        result.append(upperHex[Int(byte >> 4)])
        result.append(upperHex[Int(byte & 15)])
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Decodes, with `+` as a space when reading a query; `nil` for a broken escape, a NUL, bytes that are not
  /// UTF-8, or more than 30 combining marks in a row.
  public static func decode(_ text: Substring, plusIsSpace: Bool = false) -> String? {
    let bytes = text.utf8
    if !bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) {
      return StreamSafe.mayCombine(bytes) && !StreamSafe.isSafe(bytes) ? nil : String(text)
    }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var iterator = bytes.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = iterator.next().flatMap(hexValue), let low = iterator.next().flatMap(hexValue),
          high | low != 0
        else { return nil }
        result.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: result.append(UInt8(ascii: " "))
      default: result.append(byte)
      }
    }
    guard let decoded = String(validating: result, as: UTF8.self) else { return nil }
    return StreamSafe.mayCombine(result) && !StreamSafe.isSafe(result) ? nil : decoded
  }

  /// Splits a query string into decoded names and values in order; `nil` when an escape is broken.
  public static func query(_ text: Substring) -> [(name: String, value: String)]? {
    var pairs: [(name: String, value: String)] = []
    for part in text.split(separator: "&") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decode(halves[0], plusIsSpace: true),
        let value = decode(halves.count > 1 ? halves[1] : "", plusIsSpace: true)
      else { return nil }
      pairs.append((name, value))
    }
    return pairs
  }
}

private let upperHex = Array("0123456789ABCDEF".utf8)

private func hexValue(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}
