import Persistence

/// The tables of reviews.
enum ReviewSchema {
  static let tables: Schema = """
    CREATE TABLE card_states
      (user_id TEXT NOT NULL, card_id TEXT NOT NULL, set_id TEXT NOT NULL, state BIGINT NOT NULL, step BIGINT,
       stability DOUBLE PRECISION, difficulty DOUBLE PRECISION, due BIGINT NOT NULL, last_review BIGINT NOT NULL,
       last_id TEXT NOT NULL, reps BIGINT NOT NULL, lapses BIGINT NOT NULL, scheduler BIGINT NOT NULL,
       revision BIGINT NOT NULL, PRIMARY KEY (user_id, card_id));
    CREATE INDEX card_states_by_set ON card_states (user_id, set_id);

    CREATE TABLE deferred_reviews
      (user_id TEXT NOT NULL, card_id TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (user_id, card_id, id));

    CREATE TABLE scheduler_fits
      (user_id TEXT PRIMARY KEY, new_reviews BIGINT NOT NULL, fitted_at BIGINT, result TEXT, reviews BIGINT NOT NULL,
       held_out BIGINT NOT NULL, default_loss DOUBLE PRECISION, fitted_loss DOUBLE PRECISION);
    """
}
