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

  /// A mistake in encoded text, as problems report it.
  public enum Flaw: String, Error, Sendable {
    case brokenEscape = "has a broken percent escape"
    case nul = "must not contain the character U+0000"
    case notUTF8 = "is not UTF-8"
    case manyMarks = "has more than 30 combining marks in a row"
  }

  /// Decodes, with `+` as a space when reading a query; `nil` for text with a ``Flaw``.
  public static func decode(_ text: Substring, plusIsSpace: Bool = false) -> String? {
    try? decoded(text, plusIsSpace: plusIsSpace)
  }

  private static func decoded(_ text: Substring, plusIsSpace: Bool) throws(Flaw) -> String {
    let bytes = text.utf8
    if !bytes.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) {
      if StreamSafe.mayCombine(bytes), !StreamSafe.isSafe(bytes) { throw .manyMarks }
      return String(text)
    }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var iterator = bytes.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = iterator.next().flatMap(hexValue), let low = iterator.next().flatMap(hexValue) else {
          throw .brokenEscape
        }
        guard high | low != 0 else { throw .nul }
        result.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: result.append(UInt8(ascii: " "))
      default: result.append(byte)
      }
    }
    guard let decoded = String(validating: result, as: UTF8.self) else { throw .notUTF8 }
    if StreamSafe.mayCombine(result), !StreamSafe.isSafe(result) { throw .manyMarks }
    return decoded
  }

  /// Splits a query string into decoded names and values in order; `nil` when one has a ``Flaw``.
  public static func query(_ text: Substring) -> [(name: String, value: String)]? { try? pairs(text) }

  /// Splits a query string or a form into decoded names and values in order.
  public static func pairs(_ text: Substring) throws(Flaw) -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    for part in text.split(separator: "&") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = try decoded(halves[0], plusIsSpace: true)
      pairs.append((name, try decoded(halves.count > 1 ? halves[1] : "", plusIsSpace: true)))
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
