/// A local calendar day of study, as days since 1970-01-01.
///
/// It is determined once, from the clock and the zone of the device at the time of study, and stored. Later travel does
/// not move it.
public struct StudyDay: Sendable, Hashable, Comparable, Strideable, CustomStringConvertible {
  /// Days since 1970-01-01, negative before.
  public let number: Int

  /// The hour at which a new day of study begins by default: study after midnight belongs to the evening before.
  public static let defaultRollover = 4

  /// - Parameter number: Brought into ±2⁴⁰, far beyond every 64-bit time, so that arithmetic on days cannot overflow.
  public init(number: Int) { self.number = min(max(number, -1 << 40), 1 << 40) }

  /// - Parameters:
  ///   - time: Milliseconds since 1970.
  ///   - utcOffsetMinutes: Local time minus UTC, brought into ±18 h.
  ///   - rolloverHour: The local hour at which the day begins, brought into 0…23.
  public init(at time: Int64, utcOffsetMinutes: Int, rolloverHour: Int = defaultRollover) {
    let shift = Self.shift(utcOffsetMinutes: utcOffsetMinutes, rolloverHour: rolloverHour)
    number = Int(Milliseconds.adding(shift, to: time).flooredQuotient(by: Milliseconds.perDay))
  }

  /// When the day begins in a zone, in milliseconds since 1970.
  public func start(utcOffsetMinutes: Int, rolloverHour: Int = defaultRollover) -> Int64 {
    let shift = Self.shift(utcOffsetMinutes: utcOffsetMinutes, rolloverHour: rolloverHour)
    return Milliseconds.adding(-shift, to: Milliseconds.days(number))
  }

  /// The shift of a time in UTC so that days begin at multiples of 24 hours.
  private static func shift(utcOffsetMinutes: Int, rolloverHour: Int) -> Int64 {
    let minutes = min(max(utcOffsetMinutes, -1080), 1080) - min(max(rolloverHour, 0), 23) * 60
    return Int64(minutes) * 60 * Milliseconds.perSecond
  }

  public func distance(to other: Self) -> Int { other.number &- number }
  public func advanced(by days: Int) -> Self { Self(number: number &+ days) }
  public static func < (one: Self, other: Self) -> Bool { one.number < other.number }
}

extension StudyDay {
  /// The day of the proleptic Gregorian calendar (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
  public var calendar: (year: Int, month: Int, day: Int) {
    // Eras of 400 years that begin on March 1, so that the leap day is the last of its year.
    let shifted = number + 719_468
    let era = Int(Int64(shifted).flooredQuotient(by: 146_097))
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    )
  }

  /// A day of the calendar; nil if there is none such, or the year is outside 0…9999.
  public init?(year: Int, month: Int, day: Int) {
    guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
    let fromMarch = month <= 2 ? year - 1 : year
    let era = Int(Int64(fromMarch).flooredQuotient(by: 400))
    let yearOfEra = fromMarch - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    self.init(
      number: era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468)
    guard calendar == (year, month, day) else { return nil }
  }

  /// 1 for Monday … 7 for Sunday.
  public var weekday: Int {
    // 1970-01-01 was a Thursday.
    let days = number + 3
    return days - Int(Int64(days).flooredQuotient(by: 7)) * 7 + 1
  }

  /// The day as in ISO 8601: `2026-03-01`.
  public var description: String {
    func padded(_ value: Int, _ width: Int) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }
    let (year, month, day) = calendar
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
  }
}
