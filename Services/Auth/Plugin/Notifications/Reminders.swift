import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Reminders fire once at each of their times: the job, the update of the reminder, the notification, the realtime event
/// and the job of the next time commit together.
struct Reminders: Feature {
  private struct Work: Codable, Sendable {
    var reminder: ReminderID
  }

  /// Maximum number of open reminders per user.
  private static let maxCount = 500

  private let database: any Database
  private let store: ReminderStore
  private let ids: IDGenerator
  private let time: TimeSource
  private let jobs: DurableJobs<Work>

  init(_ environment: ServiceEnvironment, notifier: Notifier) throws {
    let database = try environment.database
    let store = ReminderStore(keys: environment.dataKeys)
    (self.database, self.store) = (database, store)
    (ids, time) = (environment.ids, environment.time)
    let pending = PendingJobs<Work>("reminder", environment)
    jobs = try DurableJobs("reminder", environment, concurrency: 32) { work, job in
      guard let user = job.person else { return .drop(reason: "the job has no user") }
      try await database.write { tx in
        guard try job.complete(in: tx), let reminder = try store.find(work.reminder, in: tx) else { return }
        let next = ReminderSchedule(reminder)?.next(after: tx.now)
        try store.markFired(reminder.id, next: next, in: tx)
        if let next { try pending.add(work, id: reminder.id.rawValue, person: user, dueAt: next, in: tx) }
        let push = Push(title: reminder.title.rawValue, text: reminder.text?.rawValue ?? "")
        try notifier.notify(user, push, kind: .reminders, in: tx)
        try tx.record(RealtimeEvent(to: user, "reminder.due", ["reminder": .string(reminder.id.rawValue)]))
      }
      return .done
    }
  }

  var workers: [any Service] { [jobs] }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.ListReminders.self) { request, call in try await list(call.user.id, request) }
    routes.on(AuthAPI.CreateReminder.self) { request, call in
      try await create(call.user.id, request, call.idempotencyKey)
    }
    routes.on(AuthAPI.DeleteReminder.self) { request, call in try await delete(request.id, of: call.user.id) }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("reminders", try JSONValue(store.list(of: user, in: db)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    try store.delete(of: user, in: tx)
    try ReminderCountStore.delete(of: user, in: tx)
  }

  // MARK: use cases

  func create(_ user: UserID, _ request: AuthAPI.CreateReminder, _ idempotencyKey: IdempotentRequest?) async throws
    -> Reminder
  {
    let repetition = try Self.checked(request.repetition)
    guard let schedule = ReminderSchedule(request.localTime, in: request.timeZone, repetition: repetition),
      let first = schedule.first
    else {
      throw Problem(.invalidRequest, errors: [.init(location: "body.timeZone", message: "is not a time zone")])
    }
    // The first time of a repeating reminder may have passed.
    let now = time.now()
    let dueAt = first > now ? first : schedule.next(after: now) ?? first
    let reminder = Reminder(
      id: ids.make(),
      title: request.title,
      text: request.text,
      localTime: request.localTime,
      timeZone: request.timeZone,
      repetition: repetition,
      dueAt: dueAt,
      firedAt: nil
    )
    return try await database.write { [store] tx in
      // Only the id is stored as the idempotent response, so that the content is stored once, encrypted.
      let id = try tx.idempotent(idempotencyKey) {
        guard dueAt > tx.now else {
          throw Problem(.invalidRequest, errors: [.init(location: "body.localTime", message: "has passed")])
        }
        guard try store.countOpen(of: user, in: tx) < Self.maxCount else { throw Problem(.tooManyReminders) }
        try store.insert(reminder, of: user, in: tx)
        try jobs.add(Work(reminder: reminder.id), id: reminder.id.rawValue, person: user, dueAt: dueAt, in: tx)
        return reminder.id
      }
      guard let kept = try store.find(id, in: tx) else { throw Problem(.notFound) }
      return kept
    }
  }

  func list(_ user: UserID, _ request: AuthAPI.ListReminders) async throws -> Page<Reminder> {
    let page = try request.page(by: ReminderStore.Cursor.self, limit: 50)
    return try await database.read { [store] db in
      try page.fetch({ try store.list(of: user, after: $0, limit: $1, in: db) }, key: { .init($0) }).page
    }
  }

  func delete(_ id: ReminderID, of user: UserID) async throws {
    try await database.write { [store] tx in
      if try store.delete(id, of: user, in: tx) { try Job.cancel(id.rawValue, in: tx) }
    }
  }

  /// - Returns: The repetition with its weekdays in order.
  private static func checked(_ repetition: ReminderRepetition?) throws -> ReminderRepetition? {
    guard let repetition else { return nil }
    let days = repetition.weekdays ?? []
    switch repetition.every {
    case .daily:
      guard days.isEmpty else { throw invalid("must be omitted for a daily reminder") }
      return ReminderRepetition(every: .daily)
    case .weekly:
      guard !days.isEmpty, Set(days).count == days.count else { throw invalid("must name one to seven different days") }
      return ReminderRepetition(every: .weekly, weekdays: Weekday.allCases.filter { days.contains($0) })
    }
  }

  private static func invalid(_ message: String) -> Problem {
    Problem(.invalidRequest, errors: [.init(location: "body.repetition.weekdays", message: message)])
  }

  /// The instant of a local time in a time zone; `nil` when the zone is unknown.
  static func moment(_ local: LocalTime, in zone: TimeZoneName) -> Timestamp? {
    LocalClock(zone)?.moment(ofWallClock: local.inUTC)
  }
}

extension ReminderSchedule {
  init?(_ reminder: Reminder) { self.init(reminder.localTime, in: reminder.timeZone, repetition: reminder.repetition) }
}
