extension AuthAPI {
  /// A device whose user is signed in there moves to another user only with the same push token, which the next owner of
  /// the phone has; the ID alone is not enough.
  public struct PutDevice: Endpoint {
    public static let operation = Operation.put(
      "/v1/users/me/devices/{id}", "Register the session's device for push notifications", success: 204,
      problems: [.deviceTaken], limits: .init(bodyBytes: 4096)
    )
    public var id: DeviceID
    public var apnsToken: PushToken
    public init(id: DeviceID, apnsToken: PushToken) { (self.id, self.apnsToken) = (id, apnsToken) }
  }

  public struct DeleteDevice: Endpoint {
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
    /// Once, if absent. `localTime` is the first occurrence, or, if its weekday is not among those of a weekly
    /// repetition, the day from which the first one is searched.
    public var repetition: ReminderRepetition?
    public init(
      title: ShortText, text: Biography? = nil, localTime: LocalTime, timeZone: TimeZoneName,
      repetition: ReminderRepetition? = nil
    ) {
      (self.title, self.text, self.localTime, self.timeZone) = (title, text, localTime, timeZone)
      self.repetition = repetition
    }
  }

  public struct DeleteReminder: Endpoint {
    public static let operation = Operation.delete("/v1/users/me/reminders/{id}", "Delete a reminder", success: 204)
    public var id: ReminderID
    public init(id: ReminderID) { self.id = id }
  }
}

extension Problem.Kind {
  public static let deviceTaken = Self(
    "device-taken", status: 409, "The device is registered by another user",
    meaning: "Another user is signed in on the device, and the push token is not the one that is registered.",
    remedy: "Sign the other user out on the device, then register it again.")
  public static let tooManyReminders = Self(
    "too-many-reminders", status: 409, "There are too many open reminders",
    meaning: "The user has reached the limit of open reminders.",
    remedy: "Let the user delete a reminder first.")
}
