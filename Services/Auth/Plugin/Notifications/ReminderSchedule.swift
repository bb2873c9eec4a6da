import Contracts
import Foundation

/// When a reminder is due: pure values of local times in a time zone, whose clocks may be set forward and back.
struct ReminderSchedule: Sendable {
  let localTime: LocalTime
  let repetition: ReminderRepetition?
  private let zone: TimeZone

  /// - Returns: `nil` when the time zone is unknown.
  init?(_ localTime: LocalTime, in zone: TimeZoneName, repetition: ReminderRepetition?) {
    guard let zone = TimeZone(identifier: zone.rawValue) else { return nil }
    (self.localTime, self.zone, self.repetition) = (localTime, zone, repetition)
  }

  /// The first moment at or after the local time.
  var first: Timestamp? {
    guard let repetition else { return moment(daysLater: 0) }
    return (0...7).lazy.filter { Self.includes(repetition, day: day(daysLater: $0)) }
      .compactMap { moment(daysLater: $0) }.first
  }

  /// The first moment after another; `nil` for a reminder that does not repeat. What was missed meanwhile is left out.
  func next(after moment: Timestamp) -> Timestamp? {
    guard let repetition else { return nil }
    // From the day before, because the zone may be behind UTC, over a whole week.
    let passed = max(0, Int(moment.seconds(since: localTime.inUTC) / 86_400) - 2)
    return (passed...passed + 12).lazy.filter { Self.includes(repetition, day: day(daysLater: $0)) }
      .compactMap { self.moment(daysLater: $0) }.first { $0 > moment }
  }

  private static func includes(_ repetition: ReminderRepetition, day: Weekday) -> Bool {
    switch repetition.every {
    case .daily: true
    case .weekly: repetition.weekdays?.contains(day) ?? false
    }
  }

  private func wallClock(daysLater days: Int) -> Timestamp {
    localTime.inUTC.advanced(bySeconds: Double(days) * 86_400)
  }

  private func day(daysLater days: Int) -> Weekday {
    // 1970-01-01 was a Thursday.
    let number = Int(wallClock(daysLater: days).unixSeconds.flooredDays)
    return Weekday.allCases[((number + 3) % 7 + 7) % 7]
  }

  private func moment(daysLater days: Int) -> Timestamp? {
    LocalClock(zone).moment(ofWallClock: wallClock(daysLater: days))
  }
}

/// The clock of a time zone.
struct LocalClock: Sendable {
  private let calendar: Calendar

  init(_ zone: TimeZone) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    self.calendar = calendar
  }

  /// - Returns: `nil` when the time zone is unknown.
  init?(_ zone: TimeZoneName) {
    guard let zone = TimeZone(identifier: zone.rawValue) else { return nil }
    self.init(zone)
  }

  /// The time that the clock shows, as if it were UTC.
  func wallClock(at moment: Timestamp) -> Timestamp {
    let date = Date(timeIntervalSince1970: Double(moment.unixSeconds))
    return moment.advanced(bySeconds: Double(calendar.timeZone.secondsFromGMT(for: date)))
  }

  /// When the clock shows something. A time that occurs twice, when clocks are set back, is the first occurrence; a time
  /// that is skipped, when clocks are set forward, is shifted by the length of the gap.
  func moment(ofWallClock wallClock: Timestamp) -> Timestamp? {
    var utc = Calendar(identifier: .gregorian)
    utc.timeZone = .gmt
    let parts = utc.dateComponents(
      [.year, .month, .day, .hour, .minute, .second],
      from: Date(timeIntervalSince1970: Double(wallClock.unixSeconds))
    )
    guard let date = calendar.date(from: parts) else { return nil }
    return Timestamp(microseconds: Int64(date.timeIntervalSince1970) * 1_000_000)
  }
}

extension Int64 {
  /// Seconds since 1970 as whole days.
  fileprivate var flooredDays: Int64 { self >= 0 ? self / 86_400 : (self - 86_399) / 86_400 }
}
