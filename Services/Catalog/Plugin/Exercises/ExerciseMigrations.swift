import Persistence

enum ExerciseMigrations {
  static let all = [
    Migration(
      "catalog-exercises",
      why: "users save exercises",
      [
        """
        CREATE TABLE saved_exercises
          (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, exercise TEXT NOT NULL, UNIQUE (user_id, exercise))
        """,
        "CREATE INDEX saved_exercises_by_user ON saved_exercises (user_id, id)",
      ]
    ),
    Migration(
      "catalog-shared-exercises",
      why: "users show saved exercises to followers, who react",
      [
        "ALTER TABLE saved_exercises ADD COLUMN shared_at BIGINT",
        """
        CREATE INDEX saved_exercises_shared ON saved_exercises (user_id, shared_at, id) WHERE shared_at IS NOT NULL
        """,
        """
        CREATE TABLE exercise_reactions
          (saved_id TEXT NOT NULL, user_id TEXT NOT NULL, emoji TEXT NOT NULL, created_at BIGINT NOT NULL,
           PRIMARY KEY (saved_id, user_id, emoji))
        """,
        "CREATE INDEX exercise_reactions_by_user ON exercise_reactions (user_id)",
      ]
    ),
  ]
}
