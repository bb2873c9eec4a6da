import Contracts
import Persistence
import ServiceKit

/// The exercises that each user has saved.
struct SavedExerciseStore: Sendable {
  let ids: IDGenerator

  /// A user's saved exercises, most recent first.
  func list(of user: UserID, before cursor: ID<Exercise>?, limit: Int, in db: any Connection) throws
    -> [(id: ID<Exercise>, exercise: Slug)]
  {
    let condition = SQL.and("user_id = \(user)", cursor.map { "id < \($0)" })
    return try db.all("SELECT id, exercise FROM saved_exercises WHERE \(condition) ORDER BY id DESC LIMIT \(limit)") {
      row in (try row["id"], try row["exercise"])
    }
  }

  /// All exercises that a user has saved, for the data export.
  func list(of user: UserID, in db: any Connection) throws -> [String] {
    try db.values("SELECT exercise FROM saved_exercises WHERE user_id = \(user) ORDER BY id")
  }

  func saved(of user: UserID, among exercises: [Slug], in db: any Connection) throws -> Set<Slug> {
    Set(
      try db.values("SELECT exercise FROM saved_exercises WHERE user_id = \(user) AND exercise IN \(list: exercises)")
    )
  }

  func insert(_ exercise: Slug, of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      INSERT INTO saved_exercises (id, user_id, exercise) VALUES (\(ids.text()), \(user), \(exercise))
      ON CONFLICT (user_id, exercise) DO NOTHING
      """
    )
  }

  func delete(_ exercise: Slug, of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM saved_exercises WHERE user_id = \(user) AND exercise = \(exercise)")
  }

  func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM saved_exercises WHERE user_id = \(user)")
  }
}
