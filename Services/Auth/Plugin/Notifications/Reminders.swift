import Contracts
import Foundation
import Persistence
import ServiceKit
import ServiceLifecycle

/// Reminders fire once: the job, the update of the reminder, the notification and the realtime event commit together.
struct Reminders: Feature {
  private struct Work: Codable, Sendable {
    var reminder: ReminderID
  }

  /// Maximum number of open reminders per user.
  private static let maxCount = 500

  private let database: any Database
  private let store: ReminderStore
  private let ids: IDGenerator
  private let jobs: DurableJobs<Work>

  init(_ environment: ServiceEnvironment, notifier: Notifier) throws {
    let database = try environment.database
    let store = ReminderStore(keys: environment.dataKeys)
    (self.database, self.store) = (database, store)
    ids = environment.ids
    jobs = try DurableJobs("reminder", environment, concurrency: 32) { work, job in
      guard let user = job.person else { return .drop(reason: "the job has no user") }
      try await database.write { tx in
        guard try job.complete(in: tx), let reminder = try store.find(work.reminder, in: tx) else { return }
        try store.markFired(reminder.id, in: tx)
        let push = Push(title: reminder.title.rawValue, text: reminder.text?.rawValue ?? "")
        try notifier.notify(user, push, in: tx)
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

  func erase(_ user: UserID, in tx: Transaction) throws { try store.delete(of: user, in: tx) }

  // MARK: use cases

  func create(_ user: UserID, _ request: AuthAPI.CreateReminder, _ idempotencyKey: IdempotentRequest?) async throws
    -> Reminder
  {
    guard let dueAt = Self.moment(request.localTime, in: request.timeZone) else {
      throw Problem(.invalidRequest, errors: [.init(location: "body.timeZone", message: "is not a time zone")])
    }
    let reminder = Reminder(
      id: ids.make(),
      title: request.title,
      text: request.text,
      localTime: request.localTime,
      timeZone: request.timeZone,
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

  /// The instant of a local time in a time zone; `nil` when the zone is unknown. A time that occurs twice, when clocks
  /// are set back, is the first occurrence; a time that is skipped, when clocks are set forward, is shifted by the
  /// length of the gap.
  static func moment(_ local: LocalTime, in zone: TimeZoneName) -> Timestamp? {
    guard let zone = TimeZone(identifier: zone.rawValue) else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    var utc = Calendar(identifier: .gregorian)
    utc.timeZone = .gmt
    let parts = utc.dateComponents(
      [.year, .month, .day, .hour, .minute, .second],
      from: Date(timeIntervalSince1970: Double(local.inUTC.unixSeconds))
    )
    guard let date = calendar.date(from: parts) else { return nil }
    return Timestamp(microseconds: Int64(date.timeIntervalSince1970) * 1_000_000)
  }
}
