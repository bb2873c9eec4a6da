/// A date of the Gregorian calendar without time or time zone, such as a birthday. On the wire: `YYYY-MM-DD`.
public struct CalendarDate: Hashable, Comparable, Sendable, CustomStringConvertible {
  public let year: Int
  public let month: Int
  public let day: Int

  /// Parses `YYYY-MM-DD`; `nil` if the date does not exist.
  public init?(_ text: String) {
    // The timestamp parser validates the date.
    guard text.utf8.count == 10, Timestamp(text + "T00:00:00Z") != nil else { return nil }
    let parts = text.split(separator: "-").compactMap { Int($0) }
    guard parts.count == 3 else { return nil }
    (year, month, day) = (parts[0], parts[1], parts[2])
  }

  /// The date of a timestamp in UTC.
  public init(_ moment: Timestamp) {
    let parts = moment.description.prefix(10).split(separator: "-").compactMap { Int($0) }
    (year, month, day) = (parts[0], parts[1], parts[2])
  }

  public var description: String {
    func padded(_ number: Int, _ digits: Int) -> String {
      String(repeating: "0", count: max(0, digits - String(number).count)) + String(number)
    }
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }

  public static func < (left: Self, right: Self) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }

  /// Whole years from this date to another; negative if the other is earlier. A person born on February 29 turns a year
  /// older on March 1 in common years.
  public func years(until other: CalendarDate) -> Int {
    other.year - year - ((other.month, other.day) < (month, day) ? 1 : 0)
  }
}

extension CalendarDate: Codable, SchemaProviding {
  public init(from decoder: any Decoder) throws {
    guard let date = Self(try decoder.singleValueContainer().decode(String.self)) else {
      throw ValueError(at: decoder.codingPath, "must be a date in the format YYYY-MM-DD")
    }
    self = date
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  public static var schema: JSONSchema { .string(format: "date") }
  public static var example: Self { Self(Timestamp(microseconds: 1_000_000_000_000_000)) }
}
