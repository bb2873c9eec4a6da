import Persistence

/// The tables of workouts.
enum WorkoutSchema {
  static let tables: Schema = """
    CREATE TABLE workouts
      (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, started_at BIGINT NOT NULL, finished_at BIGINT, shared_at BIGINT);
    CREATE INDEX workouts_by_start ON workouts (user_id, started_at, id);
    CREATE INDEX workouts_running ON workouts (user_id) WHERE finished_at IS NULL;
    CREATE INDEX workouts_shared ON workouts (user_id, shared_at, id) WHERE shared_at IS NOT NULL;

    CREATE TABLE workout_reactions
      (workout_id TEXT NOT NULL, user_id TEXT NOT NULL, emoji TEXT NOT NULL, created_at BIGINT NOT NULL,
       PRIMARY KEY (workout_id, user_id, emoji));
    CREATE INDEX workout_reactions_by_user ON workout_reactions (user_id);
    """
}
