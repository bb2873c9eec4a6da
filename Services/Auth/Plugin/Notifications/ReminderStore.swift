import Contracts
import Persistence
import ServiceKit

/// Reminders in the database; their texts and local times are encrypted.
struct ReminderStore: Sendable {
  let keys: DataKeys

  static let contentColumn = SealedColumn("reminders", "content")

  private struct Content: Codable {
    var title: ShortText
    var text: Biography?
    var localTime: LocalTime
    var timeZone: TimeZoneName
    var repetition: ReminderRepetition?
  }

  // MARK: reading

  func find(_ id: ReminderID, in db: any Connection) throws -> Reminder? {
    try db.first("SELECT id, content, due_at, fired_at FROM reminders WHERE id = \(id)", decode)
  }

  func list(of user: UserID, after cursor: Cursor? = nil, limit: Int = 10_000, in db: any Connection) throws
    -> [Reminder]
  {
    let after = cursor ?? Cursor(isFired: false, dueAt: .min, id: "")
    return try db.all(
      """
      SELECT id, content, due_at, fired_at FROM reminders
      WHERE user_id = \(user) AND (is_fired, due_at, id) > (\(after.isFired), \(after.dueAt), \(after.id))
      ORDER BY is_fired, due_at, id LIMIT \(limit)
      """,
      decode
    )
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
        isFired: reminder.firedAt != nil && reminder.repetition == nil,
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

  func countOpen(of user: UserID, in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM reminders WHERE user_id = \(user) AND is_fired = 0")
  }

  private func decode(_ row: Row) throws -> Reminder {
    let id: ReminderID = try row["id"]
    let bytes = try keys.open(try row["content"], in: Self.contentColumn, row: id.rawValue)
    let content = try WireJSON.decode(Content.self, from: bytes)
    return Reminder(
      id: id, title: content.title, text: content.text,
      localTime: content.localTime, timeZone: content.timeZone, repetition: content.repetition,
      dueAt: try row["due_at"], firedAt: try row["fired_at"]
    )
  }

  // MARK: writing

  func insert(_ reminder: Reminder, of user: UserID, in tx: Transaction) throws {
    let content = Content(
      title: reminder.title, text: reminder.text, localTime: reminder.localTime, timeZone: reminder.timeZone,
      repetition: reminder.repetition)
    let sealed = try keys.seal(WireJSON.encode(content), in: Self.contentColumn, row: reminder.id.rawValue)
    try tx.execute(
      """
      INSERT INTO reminders (id, user_id, content, due_at, is_fired)
      VALUES (\(reminder.id), \(user), \(sealed), \(reminder.dueAt), 0)
      """
    )
  }

  /// - Parameter next: When it is due again; it stays open then.
  func markFired(_ id: ReminderID, next: Timestamp?, in tx: Transaction) throws {
    guard let next else {
      try tx.execute("UPDATE reminders SET fired_at = \(tx.now), is_fired = 1 WHERE id = \(id)")
      return
    }
    try tx.execute("UPDATE reminders SET fired_at = \(tx.now), due_at = \(next) WHERE id = \(id)")
  }

  /// - Returns: `false` when the user has no such reminder.
  func delete(_ id: ReminderID, of user: UserID, in tx: Transaction) throws -> Bool {
    try tx.execute("DELETE FROM reminders WHERE id = \(id) AND user_id = \(user)") > 0
  }

  func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM reminders WHERE user_id = \(user)")
  }
}
