/// A point in time, in microseconds since 1970-01-01T00:00:00Z. On the wire: RFC 3339 in UTC with milliseconds.
public struct Timestamp: Hashable, Comparable, Sendable {
  public var microseconds: Int64

  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// A moment in whole seconds since 1970; `nil` beyond 292,000 years.
  public init?(seconds: Int64) {
    let (microseconds, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
    if overflows { return nil }
    self.init(microseconds: microseconds)
  }

  /// A moment in milliseconds since 1970; `nil` when it does not fit.
  public init?(milliseconds: Int64) {
    let (microseconds, overflows) = milliseconds.multipliedReportingOverflow(by: 1000)
    if overflows { return nil }
    self.init(microseconds: microseconds)
  }

  public static func < (left: Self, right: Self) -> Bool { left.microseconds < right.microseconds }

  /// This timestamp plus a number of seconds, which may be negative; clamped to about 9,500 years.
  public func advanced(bySeconds seconds: Double) -> Timestamp {
    let bounded = seconds.isNaN ? 0 : min(3e11, max(-3e11, seconds))
    return Timestamp(microseconds: microseconds + Int64(bounded * 1_000_000))
  }

  /// Seconds from another timestamp to this one.
  public func seconds(since other: Timestamp) -> Double {
    Double(microseconds - other.microseconds) / 1_000_000
  }

  /// Whole seconds since the epoch, as in JSON Web Tokens.
  public var unixSeconds: Int64 { microseconds.floorDivided(by: 1_000_000) }
}

// Conversion between days and civil dates follows Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"
// (days_from_civil, civil_from_days): proleptic Gregorian, eras of 400 years.
extension Timestamp: CustomStringConvertible {
  /// RFC 3339 with milliseconds, such as `2026-03-01T09:05:07.042Z`.
  public var description: String {
    let milliseconds = microseconds.floorDivided(by: 1000)
    let days = milliseconds.floorDivided(by: 86_400_000)
    let ofDay = milliseconds - days * 86_400_000

    let shifted = days + 719_468
    let era = shifted.floorDivided(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthIndex = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthIndex + 2) / 5 + 1
    let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)

    return String(unsafeUninitializedCapacity: 24) { buffer in
      var position = 0
      func put(_ value: Int64, digits: Int, then separator: UInt8) {
        var rest = value
        for offset in stride(from: digits - 1, through: 0, by: -1) {
          buffer[position + offset] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
          rest /= 10
        }
        buffer[position + digits] = separator
        position += digits + 1
      }
      put(year, digits: 4, then: UInt8(ascii: "-"))
      put(month, digits: 2, then: UInt8(ascii: "-"))
      put(day, digits: 2, then: UInt8(ascii: "T"))
      put(ofDay / 3_600_000, digits: 2, then: UInt8(ascii: ":"))
      put(ofDay / 60_000 % 60, digits: 2, then: UInt8(ascii: ":"))
      put(ofDay / 1000 % 60, digits: 2, then: UInt8(ascii: "."))
      put(ofDay % 1000, digits: 3, then: UInt8(ascii: "Z"))
      return position
    }
  }

  /// Parses RFC 3339 with `Z` or a numeric offset and up to nine fractional digits; years 0000 to 9999.
  public init?(_ text: String) {
    var reader = DigitReader(text: Array(text.utf8))
    guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), (1...12).contains(month),
      reader.skip("-"), let day = reader.number(2), (1...daysIn(month: month, of: year)).contains(day),
      reader.skip("T") || reader.skip("t"), let hour = reader.number(2), hour < 24, reader.skip(":"),
      let minute = reader.number(2), minute < 60, reader.skip(":"), let second = reader.number(2), second < 61,
      let fraction = reader.microsecondFraction(), let offset = reader.offsetMinutes(), reader.isAtEnd
    else { return nil }

    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear.floorDivided(by: 400)
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    let moment = ((days * 24 + hour) * 60 + minute - offset) * 60_000_000 + second * 1_000_000 + fraction
    // The offset may move the time outside the representable years.
    guard (-62_167_219_200_000_000..<253_402_300_800_000_000).contains(moment) else { return nil }
    microseconds = moment
  }
}

private func daysIn(month: Int64, of year: Int64) -> Int64 {
  switch month {
  case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
  case 4, 6, 9, 11: 30
  default: 31
  }
}

private struct DigitReader {
  let text: [UInt8]
  var position = 0

  var isAtEnd: Bool { position == text.count }

  mutating func number(_ digits: Int) -> Int64? {
    guard position + digits <= text.count else { return nil }
    var value: Int64 = 0
    for byte in text[position..<position + digits] {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      value = value * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    position += digits
    return value
  }

  mutating func skip(_ character: Character) -> Bool {
    guard position < text.count, text[position] == character.asciiValue else { return false }
    position += 1
    return true
  }

  mutating func microsecondFraction() -> Int64? {
    guard skip(".") else { return 0 }
    var value: Int64 = 0
    var digits = 0
    while digits < 9, let digit = number(1) {
      if digits < 6 { value = value * 10 + digit }
      digits += 1
    }
    guard digits > 0 else { return nil }
    for _ in 0..<max(0, 6 - digits) { value *= 10 }
    return value
  }

  mutating func offsetMinutes() -> Int64? {
    if skip("Z") || skip("z") { return 0 }
    let sign: Int64
    if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
    guard let hours = number(2), hours < 24, skip(":"), let minutes = number(2), minutes < 60 else { return nil }
    return sign * (hours * 60 + minutes)
  }
}

extension Int64 {
  fileprivate func floorDivided(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}

extension Timestamp: Codable {
  public init(from decoder: any Decoder) throws {
    guard let timestamp = Self(try decoder.singleValueContainer().decode(String.self)) else {
      throw ValueError(at: decoder.codingPath, "must be a time such as 2026-03-01T09:05:07.042Z")
    }
    self = timestamp
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension Timestamp: SchemaProviding {
  public static var schema: JSONSchema { .string(format: "date-time") }
  public static var example: Self { Self(microseconds: 1_767_225_600_000_000) }
}
