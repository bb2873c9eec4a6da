import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The positions of workouts in lists. Their contents are in their records.
enum WorkoutStore {
  static let reactions = FollowerReactionStore<WorkoutSubject>(
    "workout_reactions", to: "workout_id", in: "workouts")

  struct Stored: Sendable {
    let id: WorkoutID
    let user: UserID
    var startedAt: Timestamp
    var finishedAt: Timestamp?
    var sharedAt: Timestamp?
  }

  /// A position in the order of a time.
  struct Cursor: PageCursor {
    let time: Timestamp
    let id: WorkoutID

    init(_ time: Timestamp, _ id: WorkoutID) { (self.time, self.id) = (time, id) }

    init?(cursor: String) {
      let parts = cursor.split(separator: "_").map { String($0) }
      guard parts.count == 2, let time = Int64(parts[0]), let id = WorkoutID(parts[1]) else { return nil }
      self.init(Timestamp(microseconds: time), id)
    }

    var cursor: String { "\(time.microseconds)_\(id)" }
  }

  // MARK: reading

  static func find(_ id: WorkoutID, in db: any Connection) throws -> Stored? { try find([id], in: db).first }

  static func find(_ ids: [WorkoutID], in db: any Connection) throws -> [Stored] {
    guard !ids.isEmpty else { return [] }
    return try list("id IN \(list: ids)", "id", limit: ids.count, in: db)
  }

  /// A user's workouts by their start, newest first.
  static func list(of user: UserID, before cursor: Cursor?, limit: Int, in db: any Connection) throws -> [Stored] {
    try list(
      .and("user_id = \(user)", cursor.map { "(started_at, id) < (\($0.time), \($0.id))" }),
      "started_at DESC, id DESC", limit: limit, in: db)
  }

  /// A user's finished workouts that started in a time, oldest first.
  static func finished(
    of user: UserID, from start: Timestamp, to end: Timestamp, after cursor: Cursor?, limit: Int,
    in db: any Connection
  ) throws -> [Stored] {
    try list(
      .and(
        "user_id = \(user) AND started_at >= \(start) AND started_at < \(end) AND finished_at IS NOT NULL",
        cursor.map { "(started_at, id) > (\($0.time), \($0.id))" }),
      "started_at, id", limit: limit, in: db)
  }

  /// The workouts that a user shares with followers, most recently shared first.
  static func shared(by user: UserID, before cursor: Cursor?, limit: Int, in db: any Connection) throws -> [Stored] {
    try list(
      .and(
        "user_id = \(user) AND shared_at IS NOT NULL",
        cursor.map { "(shared_at, id) < (\($0.time), \($0.id))" }),
      "shared_at DESC, id DESC", limit: limit, in: db)
  }

  static func isOneRunning(of user: UserID, in db: any Connection) throws -> Bool {
    try db.exists("SELECT 1 FROM workouts WHERE user_id = \(user) AND finished_at IS NULL")
  }

  private static func list(_ condition: SQL, _ order: SQL, limit: Int, in db: any Connection) throws -> [Stored] {
    try db.all(
      """
      SELECT id, user_id, started_at, finished_at, shared_at FROM workouts
      WHERE \(condition) ORDER BY \(order) LIMIT \(limit)
      """
    ) { row in
      Stored(
        id: try row["id"], user: try row["user_id"], startedAt: try row["started_at"],
        finishedAt: try row["finished_at"], sharedAt: try row["shared_at"])
    }
  }

  // MARK: writing

  static func save(_ workout: Stored, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO workouts (id, user_id, started_at, finished_at, shared_at)
      VALUES (\(workout.id), \(workout.user), \(workout.startedAt), \(workout.finishedAt), \(workout.sharedAt))
      ON CONFLICT (id) DO UPDATE SET started_at = excluded.started_at, finished_at = excluded.finished_at,
        shared_at = excluded.shared_at
      """
    )
  }

  static func delete(_ id: WorkoutID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM workouts WHERE id = \(id)")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM workouts WHERE user_id = \(user)")
  }
}
