import Contracts
import ServiceKit

/// Detects card numbers (ISO/IEC 7812: 13 to 19 digits with a Luhn check digit) in external input, so that none is
/// stored, forwarded or logged by mistake.
enum CardNumbers {
  /// Whether the bytes contain a card number, contiguous or in groups separated by single spaces or dashes. The groups
  /// of a UUID are ignored; a digit that JSON escapes (`\u0034`) is a digit.
  static func appear(in bytes: [UInt8]) -> Bool {
    let bytes = bytes.contains(UInt8(ascii: "\\")) ? withoutEscapes(bytes) : bytes
    var position = 0
    while position < bytes.count {
      guard isDigit(bytes[position]) || isHexLetter(bytes[position]) else {
        position += 1
        continue
      }
      let end = wordEnd(from: position, in: bytes)
      // A number with a leading plus sign is a telephone number.
      let isPhone = position > 0 && bytes[position - 1] == UInt8(ascii: "+")
      if !isPhone, !isUUID(bytes[position..<end]), isCard(bytes[position..<end]) { return true }
      position = end
    }
    return false
  }

  /// The members of a JSON body except those named `tracking`; the whole body if it is not JSON.
  static func withoutTracking(_ body: [UInt8]) -> [UInt8] {
    guard let value = try? WireJSON.decode(JSONValue.self, from: body),
      let rest = try? WireJSON.encode(withoutTracking(value))
    else { return body }
    return rest
  }

  private static func withoutTracking(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let members):
      .object(members.filter { $0.name != "tracking" }.map { ($0.name, withoutTracking($0.value)) })
    case .array(let items): .array(items.map(withoutTracking))
    default: value
    }
  }

  /// Replaces the escapes of ASCII characters, `\u0000` to `\u007f`, with the characters.
  private static func withoutEscapes(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "u"),
        let code = UInt8(String(decoding: rest.dropFirst().prefix(4), as: UTF8.self), radix: 16), code < 0x80
      {
        text.append(code)
        rest = rest.dropFirst(5)
      } else {
        text.append(byte)
      }
    }
    return text
  }

  /// The end of a run of digits and hexadecimal letters that are separated by at most a single space or dash.
  private static func wordEnd(from start: Int, in bytes: [UInt8]) -> Int {
    var end = start
    while end < bytes.count {
      if isDigit(bytes[end]) || isHexLetter(bytes[end]) {
        end += 1
      } else if isSeparator(bytes[end]), end + 1 < bytes.count, isDigit(bytes[end + 1]) || isHexLetter(bytes[end + 1]) {
        end += 1
      } else {
        break
      }
    }
    return end
  }

  private static func isCard(_ word: ArraySlice<UInt8>) -> Bool {
    // In a word that mixes letters and digits, letters delimit numbers.
    for run in word.split(whereSeparator: isHexLetter) {
      let groups = run.split(whereSeparator: isSeparator)
      for first in groups.indices {
        var digits: [UInt8] = []
        for group in groups[first...] {
          digits += group.map { $0 - UInt8(ascii: "0") }
          guard digits.count <= 19 else { break }
          if digits.count >= 13, (2...6).contains(digits[0]), passesLuhn(digits) { return true }
        }
      }
    }
    return false
  }

  static func passesLuhn(_ digits: [UInt8]) -> Bool {
    let sum = digits.reversed().enumerated().reduce(0) { sum, item in
      let doubled = Int(item.element) * (item.offset % 2 == 0 ? 1 : 2)
      return sum + (doubled > 9 ? doubled - 9 : doubled)
    }
    return sum % 10 == 0
  }

  private static func isUUID(_ word: ArraySlice<UInt8>) -> Bool {
    word.count == 36 && word.split(separator: UInt8(ascii: "-")).map(\.count) == [8, 4, 4, 4, 12]
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func isHexLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") }
}

extension Call {
  /// Rejects a request whose body contains a card number. Tracking numbers are exempt: one in ten has the form of a
  /// card number, and only staff enters them.
  func refuseCardNumbers() throws(Problem) {
    guard CardNumbers.appear(in: body), CardNumbers.appear(in: CardNumbers.withoutTracking(body)) else { return }
    let message = "contains a card number; send card numbers only to the payment provider"
    throw Problem(.invalidRequest, errors: [.init(location: "body", message: message)])
  }
}
