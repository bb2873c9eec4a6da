import Contracts
import Crypto
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Reminders repeat, also when clocks change; notifications wait for quiet hours and are bounded (LS19).
@Suite(.serialized)
struct ReminderTests {
  private static let berlin = "Europe/Berlin"

  private static func moment(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }

  private static func daily(_ days: [Weekday]? = nil) -> ReminderRepetition {
    ReminderRepetition(every: days == nil ? .daily : .weekly, weekdays: days)
  }

  /// The first moments of a schedule.
  private func moments(_ local: String, _ repetition: ReminderRepetition, count: Int, zone: String = berlin) throws
    -> [String]
  {
    let schedule = try #require(
      ReminderSchedule(try LocalTime(validating: local), in: TimeZoneName(validating: zone), repetition: repetition))
    var found = [try #require(schedule.first)]
    while found.count < count { found.append(try #require(schedule.next(after: found[found.count - 1]))) }
    return found.map(\.description)
  }

  @Test func theLocalTimeStaysWhenClocksChange() throws {
    let forward = try moments("2026-03-28T08:00:00", Self.daily(), count: 3)
    #expect(forward == ["2026-03-28T07:00:00.000Z", "2026-03-29T06:00:00.000Z", "2026-03-30T06:00:00.000Z"])
    let back = try moments("2026-10-24T08:00:00", Self.daily(), count: 3)
    #expect(back == ["2026-10-24T06:00:00.000Z", "2026-10-25T07:00:00.000Z", "2026-10-26T07:00:00.000Z"])
    // A time that is skipped, once, and a time that occurs twice, which is used once.
    let skipped = try moments("2026-03-28T02:30:00", Self.daily(), count: 3)
    #expect(skipped == ["2026-03-28T01:30:00.000Z", "2026-03-29T01:30:00.000Z", "2026-03-30T00:30:00.000Z"])
    let twice = try moments("2026-10-24T02:30:00", Self.daily(), count: 3)
    #expect(twice == ["2026-10-24T00:30:00.000Z", "2026-10-25T00:30:00.000Z", "2026-10-26T01:30:00.000Z"])
  }

  @Test func weeklyRemindersKeepTheirDays() throws {
    // 1 January 2026 is a Thursday.
    let days = try moments("2026-01-01T08:00:00", Self.daily([.monday, .thursday]), count: 4, zone: "UTC")
    #expect(
      days == [
        "2026-01-01T08:00:00.000Z", "2026-01-05T08:00:00.000Z", "2026-01-08T08:00:00.000Z", "2026-01-12T08:00:00.000Z",
      ])
    let later = try moments("2026-01-01T08:00:00", Self.daily([.wednesday]), count: 2, zone: "UTC")
    #expect(later == ["2026-01-07T08:00:00.000Z", "2026-01-14T08:00:00.000Z"])
    // Where the day begins long before that of UTC, and long after it.
    let east = try moments("2026-01-05T00:30:00", Self.daily([.monday]), count: 2, zone: "Pacific/Kiritimati")
    #expect(east == ["2026-01-04T10:30:00.000Z", "2026-01-11T10:30:00.000Z"])
    let west = try moments("2026-01-05T23:30:00", Self.daily([.monday]), count: 2, zone: "Pacific/Pago_Pago")
    #expect(west == ["2026-01-06T10:30:00.000Z", "2026-01-13T10:30:00.000Z"])
  }

  @Test func whatWasMissedIsNotMadeUp() throws {
    let schedule = try #require(
      ReminderSchedule(
        try LocalTime(validating: "2026-01-01T08:00:00"), in: TimeZoneName(validating: "UTC"),
        repetition: Self.daily()))
    let next = schedule.next(after: try Self.moment("2031-07-04T09:00:00Z"))
    #expect(next?.description == "2031-07-05T08:00:00.000Z")
    let once = ReminderSchedule(schedule.localTime, in: try TimeZoneName(validating: "UTC"), repetition: nil)
    #expect(once?.next(after: try Self.moment("2020-01-01T00:00:00Z")) == nil)
  }

  private func remind(_ me: APIClient, at time: String, _ repetition: ReminderRepetition?) async throws -> Reminder {
    try await me.send(
      AuthAPI.CreateReminder(
        title: ShortText(validating: "Study"), localTime: LocalTime(validating: time),
        timeZone: TimeZoneName(validating: Self.berlin), repetition: repetition))
  }

  /// Over the day on which clocks are set forward.
  @Test(arguments: TestDatabase.allCases)
  func dailyRemindersFireEveryDay(_ database: TestDatabase) async throws {
    let time = ManualTime(try Self.moment("2026-03-27T12:00:00Z"))
    try await TestPlatform.auth(database: database, time: time) { host async throws in
      let me = TestUser(try await host.signUp("ada"), host.client).client
      let reminder = try await remind(me, at: "2026-03-27T08:00:00", Self.daily())
      // The time of today has passed.
      #expect(reminder.dueAt.description == "2026-03-28T07:00:00.000Z")
      #expect(reminder.repetition == Self.daily())
      var due = [reminder.dueAt]
      for _ in 0..<3 {
        time.advance(seconds: due[due.count - 1].seconds(since: time.source.now()) - 1)
        #expect(try await host.auth.runOnce("reminder") == 0)
        time.advance(seconds: 1)
        #expect(try await host.auth.runOnce("reminder") == 1)
        #expect(try await host.auth.runOnce("reminder") == 0)
        let session = TestUser(try await host.logIn("ada"), host.client).client
        let listed = try #require(try await session.send(AuthAPI.ListReminders()).items.first)
        #expect(listed.firedAt == time.source.now())
        due.append(listed.dueAt)
      }
      #expect(
        due.map(\.description) == [
          "2026-03-28T07:00:00.000Z", "2026-03-29T06:00:00.000Z", "2026-03-30T06:00:00.000Z",
          "2026-03-31T06:00:00.000Z",
        ])
      let events = try await host.recorded(RealtimeEvent.self, by: AuthAPI.self).filter { $0.name == "reminder.due" }
      #expect(events.count == 3)
      // A deleted reminder fires no more.
      let session = TestUser(try await host.logIn("ada"), host.client).client
      _ = try await session.send(AuthAPI.DeleteReminder(id: reminder.id))
      time.advance(seconds: 2 * 86_400)
      #expect(try await host.auth.runOnce("reminder") == 0)
    }
  }

  @Test func repetitionsAreChecked() async throws {
    try await TestPlatform.auth { host async throws in
      let me = TestUser(try await host.signUp("ada"), host.client).client
      for wrong in [
        ReminderRepetition(every: .weekly), ReminderRepetition(every: .weekly, weekdays: []),
        ReminderRepetition(every: .weekly, weekdays: [.monday, .monday]),
        ReminderRepetition(every: .daily, weekdays: [.monday]),
      ] {
        let refused = try await problem { _ = try await remind(me, at: "2026-06-01T08:00:00", wrong) }
        #expect(refused?.errors?.map(\.location) == ["body.repetition.weekdays"])
      }
      let mixed = ReminderRepetition(every: .weekly, weekdays: [.sunday, .monday])
      let kept = try await remind(me, at: "2026-06-01T08:00:00", mixed)
      #expect(kept.repetition?.weekdays == [.monday, .sunday])
    }
  }

  // MARK: quiet hours

  @Test(arguments: [
    ("22:00", "07:00", "2026-01-10T20:59:00Z", nil),
    ("22:00", "07:00", "2026-01-10T21:00:00Z", "2026-01-11T06:00:00.000Z"),
    ("22:00", "07:00", "2026-01-11T05:59:00Z", "2026-01-11T06:00:00.000Z"),
    ("22:00", "07:00", "2026-01-11T06:00:00Z", nil),
    // The night in which clocks are set forward, and the one in which they are set back.
    ("22:00", "07:00", "2026-03-28T22:00:00Z", "2026-03-29T05:00:00.000Z"),
    ("22:00", "07:00", "2026-10-24T22:00:00Z", "2026-10-25T06:00:00.000Z"),
    ("13:00", "14:00", "2026-07-01T11:30:00Z", "2026-07-01T12:00:00.000Z"),
    ("13:00", "14:00", "2026-07-01T10:30:00Z", nil), ("13:00", "13:00", "2026-07-01T11:00:00Z", nil),
  ])
  func quietHoursEnd(from: String, until: String, now: String, end: String?) throws {
    let hours = QuietHours(
      from: try ClockTime(validating: from), until: try ClockTime(validating: until),
      timeZone: try TimeZoneName(validating: Self.berlin))
    #expect(hours.end(at: try Self.moment(now))?.description == end)
  }

  @Test func whatIsOfNoUseLaterIsDropped() throws {
    var settings = UserSettings()
    settings.quietHours = QuietHours(
      from: try ClockTime(validating: "22:00"), until: try ClockTime(validating: "07:00"),
      timeZone: try TimeZoneName(validating: "UTC"))
    let night = try Self.moment("2026-01-10T23:00:00Z")
    let morning = try Self.moment("2026-01-11T07:00:00Z")
    #expect(ReminderDelivery.of(.messages, settings, at: night) == .at(morning))
    #expect(ReminderDelivery.of(.auctionEnding, settings, at: night) == .never)
    #expect(ReminderDelivery.of(.liveWorkouts, settings, at: night) == .never)
    #expect(ReminderDelivery.of(.liveWorkouts, settings, at: morning) == .now)
    #expect(ReminderDelivery.of(.security, settings, at: night) == .now)
    settings.mutedNotifications = [.dueCards, .security]
    #expect(ReminderDelivery.of(.dueCards, settings, at: morning) == .never)
    #expect(ReminderDelivery.of(.security, settings, at: morning) == .now)
    settings.notifications = false
    #expect(ReminderDelivery.of(.messages, settings, at: morning) == .never)
  }

  @Test func noOneChoosesTheRoleOfStaff() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = TestUser(try await host.signUp("ada"), host.client)
      var settings = UserSettings()
      for role in [ChosenRole.guest, .instructor, .student] {
        settings.role = role
        #expect(try await ada.client.send(AuthAPI.PutSettings(settings)).role == role)
      }
      for role in [ChosenRole.support, .administrator] {
        settings.role = role
        let refused = try await problem { _ = try await ada.client.send(AuthAPI.PutSettings(settings)) }
        #expect(refused?.errors?.map(\.location) == ["body.role"])
      }
      #expect(try await ada.client.send(AuthAPI.GetSettings()).role == .student)
    }
  }

  // MARK: pushes

  /// With a device, and a push service that is not reached, because its worker does not run.
  private func withDevice(
    _ database: TestDatabase = .sqlite, _ body: (TestPlatform, TestUser) async throws -> Void
  ) async throws {
    let settings = [
      "apns.url": "https://127.0.0.1:1", "apns.key": P256.Signing.PrivateKey().pemRepresentation,
      "apns.keyId": "KEY1234567", "apns.teamId": "TEAM123456", "apns.topics": "web=app.example.web",
    ].merging(TestPlatform.besideMatching) { $1 }
    try await TestPlatform.auth(settings: settings, database: database) { host async throws in
      let ada = TestUser(try await host.signUp("ada"), host.client)
      let token = try PushToken(validating: String(repeating: "a", count: 64))
      _ = try await ada.client.send(AuthAPI.PutDevice(id: host.ids.make(), apnsToken: token))
      try await body(host, ada)
    }
  }

  private func pushes(_ host: TestPlatform) async throws -> [Timestamp] {
    try await host.database.read { db in
      try db.values("SELECT due_at FROM jobs WHERE kind = 'push' ORDER BY due_at", as: Timestamp.self)
    }
  }

  private func deliver(_ kind: NotificationKind, _ user: TestUser, _ host: TestPlatform) async throws {
    try await host.deliver(PushRequested(to: user.id, title: "Title", text: "Text", kind: kind))
  }

  @Test(arguments: TestDatabase.allCases)
  func pushesWaitForTheEndOfQuietHours(_ database: TestDatabase) async throws {
    try await withDevice(database) { host, ada async throws in
      var settings = UserSettings()
      // It is midnight in UTC, one o'clock in Berlin.
      settings.quietHours = QuietHours(
        from: try ClockTime(validating: "22:00"), until: try ClockTime(validating: "07:00"),
        timeZone: try TimeZoneName(validating: Self.berlin))
      settings.mutedNotifications = [.courses]
      _ = try await ada.client.send(AuthAPI.PutSettings(settings))
      for kind in [NotificationKind.messages, .auctionEnding, .courses, .security] {
        try await deliver(kind, ada, host)
      }
      #expect(try await pushes(host).map(\.description) == ["2026-01-01T00:00:00.000Z", "2026-01-01T06:00:00.000Z"])
    }
  }

  @Test func unknownTimeZonesAreRefused() async throws {
    try await TestPlatform.auth { host async throws in
      let ada = TestUser(try await host.signUp("ada"), host.client)
      var settings = UserSettings()
      settings.quietHours = QuietHours(
        from: try ClockTime(validating: "22:00"), until: try ClockTime(validating: "07:00"),
        timeZone: try TimeZoneName(validating: "Mars/Olympus"))
      let refused = try await problem { _ = try await ada.client.send(AuthAPI.PutSettings(settings)) }
      #expect(refused?.errors?.map(\.location) == ["body.quietHours.timeZone"])
      let clock = try await host.send(
        .put, "/v1/users/me/settings",
        #"{"notifications":true,"darkMode":true,"sound":true,"accessibility":false,"reverseColor":false,"#
          + #""voiceOver":false,"brightness":80,"role":"student","#
          + #""quietHours":{"from":"24:00","until":"07:00","timeZone":"UTC"}}"#, by: ada)
      #expect(try clock.problem?.errors?.map(\.location) == ["body.quietHours.from"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theNumberOfADayIsBounded(_ database: TestDatabase) async throws {
    try await withDevice(database) { host, ada async throws in
      for _ in 0..<12 { try await deliver(.liveWorkouts, ada, host) }
      #expect(try await pushes(host).count == 10)
      for _ in 0..<100 { try await deliver(.messages, ada, host) }
      #expect(try await pushes(host).count == 100)
      // Notifications about the account's security always arrive.
      try await deliver(.security, ada, host)
      #expect(try await pushes(host).count == 101)
      host.time.advance(seconds: 86_400)
      try await deliver(.liveWorkouts, ada, host)
      #expect(try await pushes(host).count == 102)
    }
  }
}
