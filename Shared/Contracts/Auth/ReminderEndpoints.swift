/// How often a reminder notifies its user, at the same local time, also when the clocks change.
public struct ReminderRepetition: Codable, Sendable, Equatable {
  public enum Interval: String, WireEnum { case daily, weekly }

  public var every: Interval
  /// The days of a weekly repetition: one to seven, each once. Absent for a daily one.
  public var weekdays: [Weekday]?
  public init(every: Interval, weekdays: [Weekday]? = nil) { (self.every, self.weekdays) = (every, weekdays) }
}

public enum Weekday: String, WireEnum {
  case monday, tuesday, wednesday, thursday, friday, saturday, sunday
}

/// The subject of a push notification. Each kind can be switched off (``UserSettings/mutedNotifications``), except
/// `security`.
public enum NotificationKind: String, WireEnum {
  /// The user's own reminders.
  case reminders
  /// Cards that are due for review.
  case dueCards
  case courses
  /// Auctions that are about to end.
  case auctionEnding
  case auctions
  /// Live workouts of users whom the user follows.
  case liveWorkouts
  case messages
  case connections
  case payments
  case sharing
  /// Sign-ins and changes of the account.
  case security
  case other
}

/// The hours of every day in which push notifications wait. Notifications that are of no use later, of auctions that are
/// about to end and of live workouts, are not sent at all; those about the account's security are sent at once.
public struct QuietHours: Codable, Sendable, Equatable {
  public var from: ClockTime
  /// Before `from` when the quiet hours include midnight; equal to it for none.
  public var until: ClockTime
  public var timeZone: TimeZoneName
  public init(from: ClockTime, until: ClockTime, timeZone: TimeZoneName) {
    (self.from, self.until, self.timeZone) = (from, until, timeZone)
  }
}

/// A time of day: `22:30`.
public struct ClockTime: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 5...5,
    pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$",
    example: "22:30",
    violation: { Timestamp("2026-01-01T\($0):00Z") == nil ? "must be hh:mm" : nil }
  )

  /// Minutes since midnight.
  public var minutes: Int {
    let parts = rawValue.split(separator: ":").compactMap { Int($0) }
    return parts.count == 2 ? parts[0] * 60 + parts[1] : 0
  }
}
