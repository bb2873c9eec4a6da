import Persistence

/// The tables of exercises.
enum ExerciseSchema {
  static let tables: Schema = """
    CREATE TABLE saved_exercises
      (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, exercise TEXT NOT NULL, shared_at BIGINT,
       UNIQUE (user_id, exercise));
    CREATE INDEX saved_exercises_by_user ON saved_exercises (user_id, id);
    CREATE INDEX saved_exercises_shared ON saved_exercises (user_id, shared_at, id) WHERE shared_at IS NOT NULL;

    CREATE TABLE exercise_reactions
      (saved_id TEXT NOT NULL, user_id TEXT NOT NULL, emoji TEXT NOT NULL, created_at BIGINT NOT NULL,
       PRIMARY KEY (saved_id, user_id, emoji));
    CREATE INDEX exercise_reactions_by_user ON exercise_reactions (user_id);
    """
}
