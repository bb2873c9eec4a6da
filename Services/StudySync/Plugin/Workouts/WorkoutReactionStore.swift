import Contracts
import Persistence

/// Reactions of followers to shared workouts.
enum WorkoutReactionStore {
  /// The reactions to workouts, in the order in which the emoji were first used.
  static func list(of workouts: [WorkoutID], for viewer: UserID, in db: any Connection) throws
    -> [WorkoutID: [WorkoutReaction]]
  {
    guard !workouts.isEmpty else { return [:] }
    let rows = try db.all(
      """
      SELECT workout_id, emoji, COUNT(*) AS count, MIN(created_at) AS first_at,
        MAX(CASE WHEN user_id = \(viewer) THEN 1 ELSE 0 END) AS is_mine
      FROM workout_reactions WHERE workout_id IN \(list: workouts)
      GROUP BY workout_id, emoji ORDER BY first_at, emoji
      """
    ) { row -> (workout: WorkoutID, reaction: WorkoutReaction) in
      let (emoji, count): (Emoji, Int) = (try row["emoji"], try row["count"])
      return (try row["workout_id"], WorkoutReaction(emoji: emoji, count: count, isMine: try row["is_mine"]))
    }
    return Dictionary(grouping: rows, by: \.workout).mapValues { $0.map(\.reaction) }
  }

  static func list(by user: UserID, in db: any Connection) throws -> [(workout: WorkoutID, emoji: String)] {
    try db.all(
      "SELECT workout_id, emoji FROM workout_reactions WHERE user_id = \(user) ORDER BY workout_id, emoji"
    ) { row in (try row["workout_id"], try row["emoji"]) }
  }

  static func count(by user: UserID, to workout: WorkoutID, in db: any Connection) throws -> Int {
    try db.count("SELECT COUNT(*) FROM workout_reactions WHERE workout_id = \(workout) AND user_id = \(user)")
  }

  /// - Returns: `false` when the user has already reacted so.
  static func insert(_ emoji: Emoji, by user: UserID, to workout: WorkoutID, in tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      INSERT INTO workout_reactions (workout_id, user_id, emoji, created_at)
      VALUES (\(workout), \(user), \(emoji), \(tx.now)) ON CONFLICT DO NOTHING
      """
    ) == 1
  }

  static func delete(_ emoji: Emoji, by user: UserID, to workout: WorkoutID, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM workout_reactions WHERE workout_id = \(workout) AND user_id = \(user) AND emoji = \(emoji)
      """
    )
  }

  static func delete(to workout: WorkoutID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM workout_reactions WHERE workout_id = \(workout)")
  }

  /// Deletes the reactions of a user to the workouts of another.
  static func delete(by user: UserID, toWorkoutsOf owner: UserID, in tx: Transaction) throws {
    try tx.execute(
      """
      DELETE FROM workout_reactions
      WHERE user_id = \(user) AND workout_id IN (SELECT id FROM workouts WHERE user_id = \(owner))
      """
    )
  }

  /// Deletes a user's reactions, and those to the user's workouts.
  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM workout_reactions WHERE user_id = \(user)")
    try tx.execute(
      "DELETE FROM workout_reactions WHERE workout_id IN (SELECT id FROM workouts WHERE user_id = \(user))")
  }
}
