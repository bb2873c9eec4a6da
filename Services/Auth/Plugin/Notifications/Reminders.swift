import Contracts
import Foundation
import Persistence
import ServiceKit
import ServiceLifecycle

/// Reminders fire once: the job, the update of the reminder, the notification and the realtime event commit together.
struct Reminders: Feature {
  private struct Content: Codable {
    var title: ShortText
    var text: Biography?
    var localTime: LocalTime
    var timeZone: TimeZoneName
  }

  private struct Work: Codable, Sendable {
    var reminder: ReminderID
  }

  static let contentColumn = SealedColumn("reminders", "content")
  /// Maximum number of open reminders per user.
  private static let maxCount = 500

  private let database: any Database
  private let keys: DataKeys
  private let ids: IDGenerator
  private let jobs: DurableJobs<Work>

  init(_ environment: ServiceEnvironment, notifier: Notifier) throws {
    let database = try environment.database
    let keys = environment.dataKeys
    self.database = database
    self.keys = keys
    ids = environment.ids
    jobs = try DurableJobs("reminder", environment, concurrency: 32) { work, job in
      guard let user = job.person else { return .drop(reason: "the job has no user") }
      try await database.write { tx in
        guard try job.complete(in: tx), let reminder = try Self.find(work.reminder, keys, in: tx) else { return }
        try tx.execute("UPDATE reminders SET fired_at = \(tx.now), is_fired = 1 WHERE id = \(reminder.id)")
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
    [("reminders", try JSONValue(Self.list(of: user, keys: keys, in: db)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM reminders WHERE user_id = \(user)")
  }

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
    return try await database.write { [keys] tx in
      // Only the id is stored as the idempotent response, so that the content is stored once, encrypted.
      let id = try tx.idempotent(idempotencyKey) {
        guard dueAt > tx.now else {
          throw Problem(.invalidRequest, errors: [.init(location: "body.localTime", message: "has passed")])
        }
        let open = try tx.count("SELECT COUNT(*) FROM reminders WHERE user_id = \(user) AND fired_at IS NULL")
        guard open < Self.maxCount else { throw Problem(.tooManyReminders) }
        let content = Content(
          title: request.title, text: request.text, localTime: request.localTime, timeZone: request.timeZone)
        let sealed = try keys.seal(WireJSON.encode(content), in: Self.contentColumn, row: reminder.id.rawValue)
        try tx.execute(
          """
          INSERT INTO reminders (id, user_id, content, due_at, is_fired)
          VALUES (\(reminder.id), \(user), \(sealed), \(dueAt), 0)
          """
        )
        try jobs.add(Work(reminder: reminder.id), id: reminder.id.rawValue, person: user, dueAt: dueAt, in: tx)
        return reminder.id
      }
      guard let kept = try Self.find(id, keys, in: tx) else { throw Problem(.notFound) }
      return kept
    }
  }

  func list(_ user: UserID, _ request: AuthAPI.ListReminders) async throws -> Page<Reminder> {
    let page = try request.page(by: Cursor.self, limit: 50)
    return try await database.read { [keys] db in
      try page.fetch({ try Self.list(of: user, after: $0, limit: $1, keys: keys, in: db) }, key: { Cursor($0) }).page
    }
  }

  func delete(_ id: ReminderID, of user: UserID) async throws {
    try await database.write { tx in
      let deleted = try tx.execute("DELETE FROM reminders WHERE id = \(id) AND user_id = \(user)")
      if deleted > 0 { try Job.cancel(id.rawValue, in: tx) }
    }
  }

  // MARK: storage

  static func list(
    of user: UserID,
    after cursor: Cursor? = nil,
    limit: Int = 10_000,
    keys: DataKeys,
    in db: any Connection
  ) throws -> [Reminder] {
    let after = cursor ?? Cursor(isFired: false, dueAt: .min, id: "")
    return try db.all(
      """
      SELECT id, content, due_at, fired_at FROM reminders
      WHERE user_id = \(user) AND (is_fired, due_at, id) > (\(after.isFired), \(after.dueAt), \(after.id))
      ORDER BY is_fired, due_at, id LIMIT \(limit)
      """
    ) { try decode($0, keys) }
  }

  /// A position in the list: open reminders before fired ones, each ordered by due time.
  struct Cursor: PageCursor {
    var isFired: Bool
    var dueAt: Int64
    var id: String

    init(isFired: Bool, dueAt: Int64, id: String) {
      self.isFired = isFired
      self.dueAt = dueAt
      self.id = id
    }

    init(_ reminder: Reminder) {
      self.init(
        isFired: reminder.firedAt != nil,
        dueAt: reminder.dueAt.microseconds,
        id: reminder.id.rawValue
      )
    }

    init?(cursor: String) {
      let parts = cursor.split(separator: "_", omittingEmptySubsequences: false)
      guard parts.count == 3, ["0", "1"].contains(parts[0]), let dueAt = Int64(parts[1]) else { return nil }
      self.init(isFired: parts[0] == "1", dueAt: dueAt, id: String(parts[2]))
    }

    var cursor: String { "\(isFired ? 1 : 0)_\(dueAt)_\(id)" }
  }

  private static func find(_ id: ReminderID, _ keys: DataKeys, in db: any Connection) throws -> Reminder? {
    try db.first("SELECT id, content, due_at, fired_at FROM reminders WHERE id = \(id)") { try decode($0, keys) }
  }

  private static func decode(_ row: Row, _ keys: DataKeys) throws -> Reminder {
    let id: ReminderID = try row["id"]
    let bytes = try keys.open(try row["content"], in: contentColumn, row: id.rawValue)
    let content = try WireJSON.decode(Content.self, from: bytes)
    return Reminder(
      id: id,
      title: content.title,
      text: content.text,
      localTime: content.localTime,
      timeZone: content.timeZone,
      dueAt: try row["due_at"],
      firedAt: try row["fired_at"]
    )
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
