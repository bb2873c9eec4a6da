import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The exercises that each user has saved, and since when followers see them.
enum SavedExerciseStore {
  static let reactions = FollowerReactionStore<SharedExercise>(
    "exercise_reactions", to: "saved_id", in: "saved_exercises")

  struct Saved: Sendable {
    let id: SharedExerciseID
    let user: UserID
    let exercise: Slug
    var sharedAt: Timestamp?
  }

  /// A position in the order in which exercises were shared.
  struct Cursor: PageCursor {
    let sharedAt: Timestamp
    let id: SharedExerciseID

    init(_ sharedAt: Timestamp, _ id: SharedExerciseID) { (self.sharedAt, self.id) = (sharedAt, id) }

    init?(cursor: String) {
      let parts = cursor.split(separator: "_").map { String($0) }
      guard parts.count == 2, let time = Int64(parts[0]), let id = SharedExerciseID(parts[1]) else { return nil }
      self.init(Timestamp(microseconds: time), id)
    }

    var cursor: String { "\(sharedAt.microseconds)_\(id)" }
  }

  // MARK: reading

  static func find(_ id: SharedExerciseID, in db: any Connection) throws -> Saved? {
    try list("id = \(id)", "id", limit: 1, in: db).first
  }

  static func find(_ exercises: [Slug], of user: UserID, in db: any Connection) throws -> [Slug: Saved] {
    guard !exercises.isEmpty else { return [:] }
    let saved = try list(
      "user_id = \(user) AND exercise IN \(list: exercises)", "exercise", limit: exercises.count, in: db)
    return Dictionary(saved.map { ($0.exercise, $0) }) { first, _ in first }
  }

  /// A user's saved exercises, most recent first.
  static func list(of user: UserID, before cursor: SharedExerciseID?, limit: Int, in db: any Connection) throws
    -> [Saved]
  {
    try list(.and("user_id = \(user)", cursor.map { "id < \($0)" }), "id DESC", limit: limit, in: db)
  }

  /// All exercises that a user has saved, for the data export.
  static func list(of user: UserID, in db: any Connection) throws -> [Saved] {
    try list("user_id = \(user)", "id", limit: .max, in: db)
  }

  /// The exercises that a user shares with followers, most recently shared first.
  static func shared(by user: UserID, before cursor: Cursor?, limit: Int, in db: any Connection) throws -> [Saved] {
    try list(
      .and(
        "user_id = \(user) AND shared_at IS NOT NULL",
        cursor.map { "(shared_at, id) < (\($0.sharedAt), \($0.id))" }),
      "shared_at DESC, id DESC", limit: limit, in: db)
  }

  private static func list(_ condition: SQL, _ order: SQL, limit: Int, in db: any Connection) throws -> [Saved] {
    try db.all(
      """
      SELECT id, user_id, exercise, shared_at FROM saved_exercises
      WHERE \(condition) ORDER BY \(order) LIMIT \(limit)
      """
    ) { row in
      Saved(
        id: try row["id"], user: try row["user_id"], exercise: try row["exercise"], sharedAt: try row["shared_at"])
    }
  }

  // MARK: writing

  static func insert(_ exercise: Slug, of user: UserID, id: SharedExerciseID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO saved_exercises (id, user_id, exercise) VALUES (\(id), \(user), \(exercise))
      ON CONFLICT (user_id, exercise) DO NOTHING
      """
    )
  }

  static func share(_ id: SharedExerciseID, in tx: Transaction) throws {
    try tx.execute("UPDATE saved_exercises SET shared_at = \(tx.now) WHERE id = \(id)")
  }

  /// Removes its reactions, too.
  static func unshare(_ id: SharedExerciseID, in tx: Transaction) throws {
    try tx.execute("UPDATE saved_exercises SET shared_at = NULL WHERE id = \(id)")
    try reactions.delete(to: id, in: tx)
  }

  static func delete(_ id: SharedExerciseID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM saved_exercises WHERE id = \(id)")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM saved_exercises WHERE user_id = \(user)")
  }
}
