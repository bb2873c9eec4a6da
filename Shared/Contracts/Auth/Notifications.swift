/// Phantom type of device IDs; the app chooses one ID per installation.
public enum DeviceSubject {}
public typealias DeviceID = ID<DeviceSubject>

/// Phantom type of reminder IDs.
public typealias ReminderID = ID<Reminder>

/// A reminder that notifies its user once.
public struct Reminder: Codable, Sendable, Equatable {
  public var id: ReminderID
  public var title: ShortText
  public var text: Biography?
  /// The wall-clock time, `YYYY-MM-DDThh:mm:ss`.
  public var localTime: LocalTime
  /// An IANA time zone, such as `Europe/Berlin`.
  public var timeZone: TimeZoneName
  /// The instant of `localTime` in `timeZone`.
  public var dueAt: Timestamp
  public var firedAt: Timestamp?

  public init(
    id: ReminderID, title: ShortText, text: Biography?, localTime: LocalTime, timeZone: TimeZoneName, dueAt: Timestamp,
    firedAt: Timestamp?
  ) {
    (self.id, self.title, self.text, self.localTime, self.timeZone) = (id, title, text, localTime, timeZone)
    (self.dueAt, self.firedAt) = (dueAt, firedAt)
  }
}

/// A wall-clock time without a time zone: `2026-03-29T02:30:00`.
public struct LocalTime: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 19...19,
    example: "2026-12-01T08:00:00",
    complaint: { Timestamp($0 + "Z") == nil ? "must be YYYY-MM-DDThh:mm:ss" : nil }
  )

  /// The instant of this wall-clock time in UTC.
  public var inUTC: Timestamp { Timestamp(rawValue + "Z") ?? Timestamp(microseconds: 0) }
}

/// The name of an IANA time zone; the service checks whether it exists.
public struct TimeZoneName: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 1...64,
    example: "Europe/Berlin",
    complaint: { text in
      let isPlain = text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "-"),
          UInt8(ascii: "+"):
          true
        default: false
        }
      }
      return isPlain && !text.hasPrefix("/") ? nil : "must be an IANA time zone"
    }
  )
}

extension AuthAPI {
  public struct PutDevice: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation.put(
      "/v1/users/me/devices/{id}", "Register the session's device for push notifications", success: 204,
      limits: .init(bodyBytes: 4096)
    )

    public var id: DeviceID
    /// The device token issued by Apple's push service, in hexadecimal digits.
    public var apnsToken: PushToken

    public init(id: DeviceID, apnsToken: PushToken) { (self.id, self.apnsToken) = (id, apnsToken) }
  }

  public struct DeleteDevice: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation.delete(
      "/v1/users/me/devices/{id}", "Unregister a device from push notifications", success: 204
    )
    public var id: DeviceID
    public init(id: DeviceID) { self.id = id }
  }

  /// Ordered by due time; reminders that have fired come last.
  public struct ListReminders: PagedEndpoint {
    public typealias Response = Page<Reminder>
    public static let operation = Operation.get("/v1/users/me/reminders", "List the caller's reminders")
    public var limit: PageSize?
    public var cursor: String?

    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }

  /// The reminder fires once, at a wall-clock time in a time zone.
  public struct CreateReminder: Endpoint {
    public typealias Response = Reminder
    public static let operation = Operation.post(
      "/v1/users/me/reminders", "Create a reminder", idempotency: .acceptsKey, success: 201,
      problems: [.tooManyReminders], limits: .init(bodyBytes: 8192)
    )

    public var title: ShortText
    public var text: Biography?
    public var localTime: LocalTime
    public var timeZone: TimeZoneName
    public init(title: ShortText, text: Biography? = nil, localTime: LocalTime, timeZone: TimeZoneName) {
      (self.title, self.text, self.localTime, self.timeZone) = (title, text, localTime, timeZone)
    }
  }

  public struct DeleteReminder: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation.delete("/v1/users/me/reminders/{id}", "Delete a reminder", success: 204)
    public var id: ReminderID
    public init(id: ReminderID) { self.id = id }
  }
}

/// A device token of Apple's push service: up to 100 bytes in hexadecimal digits. Never printed.
public struct PushToken: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public var description: String { "(hidden)" }
  public static let rule = StringRule(
    length: 64...200,
    example: String(repeating: "0a", count: 32),
    normalize: { $0.lowercased() },
    complaint: { text in
      let isHex = text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
      return isHex ? nil : "must be hexadecimal digits"
    }
  )
}

extension Problem.Kind {
  public static let tooManyReminders = Self("too-many-reminders", status: 409, "There are too many open reminders")
}
