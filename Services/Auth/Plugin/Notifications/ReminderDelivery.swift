import Contracts

/// Whether and when a push notification is sent, by the user's settings; a pure decision.
enum ReminderDelivery: Equatable {
  case now
  /// At the end of the quiet hours.
  case at(Timestamp)
  case never

  /// The most notifications of a user on one local day, of all kinds and of each kind that services cause by
  /// themselves. Those about security are not counted.
  static let maxPerDay = 100
  static func maxPerDay(of kind: NotificationKind) -> Int {
    switch kind {
    case .dueCards: 2
    case .auctionEnding, .liveWorkouts: 10
    case .courses: 30
    case .reminders, .auctions, .messages, .connections, .payments, .sharing, .other: maxPerDay
    case .security: .max
    }
  }

  /// Notifications that are of no use after the quiet hours.
  private static func isFleeting(_ kind: NotificationKind) -> Bool { kind == .auctionEnding || kind == .liveWorkouts }

  static func of(_ kind: NotificationKind, _ settings: UserSettings, at now: Timestamp) -> ReminderDelivery {
    if kind == .security { return .now }
    guard settings.notifications, !(settings.mutedNotifications ?? []).contains(kind) else { return .never }
    guard let end = settings.quietHours?.end(at: now) else { return .now }
    return isFleeting(kind) ? .never : .at(end)
  }

  /// The user's local day, by which notifications are counted.
  static func day(_ settings: UserSettings, at now: Timestamp) -> CalendarDate {
    let clock = settings.quietHours.flatMap { LocalClock($0.timeZone) }
    return CalendarDate(clock?.wallClock(at: now) ?? now)
  }
}

extension QuietHours {
  /// When the quiet hours end that it is now; `nil` outside of them and for an unknown time zone.
  func end(at now: Timestamp) -> Timestamp? {
    guard let clock = LocalClock(timeZone), from.minutes != until.minutes else { return nil }
    let wallClock = clock.wallClock(at: now)
    let midnight = wallClock.unixSeconds - wallClock.unixSeconds.secondsOfDay
    let minutes = Int(wallClock.unixSeconds.secondsOfDay / 60)
    let isOverMidnight = from.minutes > until.minutes
    let isQuiet =
      isOverMidnight
      ? minutes >= from.minutes || minutes < until.minutes : (from.minutes..<until.minutes).contains(minutes)
    guard isQuiet else { return nil }
    let endsTomorrow = isOverMidnight && minutes >= from.minutes
    let end = midnight + Int64(until.minutes) * 60 + (endsTomorrow ? 86_400 : 0)
    guard let moment = Timestamp(seconds: end).flatMap({ clock.moment(ofWallClock: $0) }) else { return nil }
    // The hour that is repeated when clocks are set back is quiet until its second end.
    return moment > now ? moment : now.advanced(bySeconds: 60)
  }
}

extension Int64 {
  fileprivate var secondsOfDay: Int64 { ((self % 86_400) + 86_400) % 86_400 }
}
