import Persistence

/// The tables of statistics.
enum StatisticsSchema {
  static let tables: Schema = """
    CREATE TABLE study_days
      (user_id TEXT NOT NULL, day BIGINT NOT NULL, function TEXT NOT NULL, set_id TEXT NOT NULL,
       milliseconds BIGINT NOT NULL, entries BIGINT NOT NULL, answers BIGINT NOT NULL, correct BIGINT NOT NULL,
       new_cards BIGINT NOT NULL, young BIGINT NOT NULL, young_recalled BIGINT NOT NULL, mature BIGINT NOT NULL,
       mature_recalled BIGINT NOT NULL, first_at BIGINT NOT NULL, last_at BIGINT NOT NULL,
       last_offset BIGINT NOT NULL, PRIMARY KEY (user_id, day, function, set_id));

    CREATE TABLE set_activity
      (user_id TEXT NOT NULL, set_id TEXT NOT NULL, last_at BIGINT NOT NULL, milliseconds BIGINT NOT NULL,
       entries BIGINT NOT NULL, reviews BIGINT NOT NULL, PRIMARY KEY (user_id, set_id));
    CREATE INDEX set_activity_by_time ON set_activity (user_id, last_at);
    """
}
