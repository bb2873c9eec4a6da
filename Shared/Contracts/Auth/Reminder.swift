public typealias ReminderID = ID<Reminder>

/// Notifies its user once, or every day, or on some days of the week.
public struct Reminder: Codable, Sendable, Equatable {
  public var id: ReminderID
  public var title: ShortText
  public var text: Biography?
  public var localTime: LocalTime
  public var timeZone: TimeZoneName
  /// Absent for a reminder that notifies once.
  public var repetition: ReminderRepetition?
  /// The next instant of `localTime` in `timeZone` by the repetition.
  public var dueAt: Timestamp
  /// The last time that it notified its user.
  public var firedAt: Timestamp?
  public init(
    id: ReminderID, title: ShortText, text: Biography?, localTime: LocalTime, timeZone: TimeZoneName,
    repetition: ReminderRepetition? = nil, dueAt: Timestamp, firedAt: Timestamp?
  ) {
    (self.id, self.title, self.text, self.localTime, self.timeZone) = (id, title, text, localTime, timeZone)
    (self.repetition, self.dueAt, self.firedAt) = (repetition, dueAt, firedAt)
  }
}

/// A wall-clock time without a time zone: `2026-03-29T02:30:00`.
public struct LocalTime: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 19...19,
    pattern: "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$",
    example: "2026-12-01T08:00:00",
    violation: { Timestamp($0 + "Z") == nil ? "must be YYYY-MM-DDThh:mm:ss" : nil }
  )

  /// The instant of this wall-clock time in UTC.
  public var inUTC: Timestamp { Timestamp(rawValue + "Z") ?? Timestamp(microseconds: 0) }
}

/// The name of an IANA time zone, such as `Europe/Berlin`; the service checks whether it exists.
public struct TimeZoneName: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 1...64,
    pattern: "^[A-Za-z0-9_+-][A-Za-z0-9/_+-]*$",
    example: "Europe/Berlin",
    violation: { text in
      let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "/_-+".contains($0) }
      return isPlain && !text.hasPrefix("/") ? nil : "must be an IANA time zone"
    }
  )
}
