import Persistence

enum ReviewMigrations {
  static let all = [schedules, statistics, schedulesBySet]

  private static let schedules = Migration(
    "study-sync-reviews",
    why: "schedules are derived from the log of reviews; late reviews of long logs are counted in the background",
    [
      """
      CREATE TABLE card_states
        (user_id TEXT NOT NULL, card_id TEXT NOT NULL, set_id TEXT NOT NULL, state BIGINT NOT NULL, step BIGINT,
         stability DOUBLE PRECISION, difficulty DOUBLE PRECISION, due BIGINT NOT NULL, last_review BIGINT NOT NULL,
         last_id TEXT NOT NULL, reps BIGINT NOT NULL, lapses BIGINT NOT NULL, scheduler BIGINT NOT NULL,
         revision BIGINT NOT NULL, PRIMARY KEY (user_id, card_id))
      """,
      "CREATE INDEX card_states_by_due ON card_states (user_id, set_id, due)",
      """
      CREATE TABLE deferred_reviews
        (user_id TEXT NOT NULL, card_id TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (user_id, card_id, id))
      """,
      """
      CREATE TABLE scheduler_fits
        (user_id TEXT PRIMARY KEY, new_reviews BIGINT NOT NULL, fitted_at BIGINT, result TEXT,
         reviews BIGINT NOT NULL, held_out BIGINT NOT NULL, default_loss DOUBLE PRECISION,
         fitted_loss DOUBLE PRECISION)
      """,
    ]
  )

  private static let statistics = Migration(
    "study-sync-statistics",
    why: "statistics are read from totals by local day and by set, which follow from the log",
    [
      """
      CREATE TABLE study_days
        (user_id TEXT NOT NULL, day BIGINT NOT NULL, function TEXT NOT NULL, set_id TEXT NOT NULL,
         milliseconds BIGINT NOT NULL, entries BIGINT NOT NULL, answers BIGINT NOT NULL, correct BIGINT NOT NULL,
         new_cards BIGINT NOT NULL, young BIGINT NOT NULL, young_recalled BIGINT NOT NULL, mature BIGINT NOT NULL,
         mature_recalled BIGINT NOT NULL, first_at BIGINT NOT NULL, last_at BIGINT NOT NULL,
         last_offset BIGINT NOT NULL,
         PRIMARY KEY (user_id, day, function, set_id))
      """,
      """
      CREATE TABLE set_activity
        (user_id TEXT NOT NULL, set_id TEXT NOT NULL, last_at BIGINT NOT NULL, milliseconds BIGINT NOT NULL,
         entries BIGINT NOT NULL, reviews BIGINT NOT NULL, PRIMARY KEY (user_id, set_id))
      """,
      "CREATE INDEX set_activity_by_time ON set_activity (user_id, last_at)",
    ]
  )

  private static let schedulesBySet = Migration(
    "study-sync-schedules-by-set",
    why:
      "every review changes when its card is due: an index of it costs each of them more than a list of due cards gains",
    [
      "DROP INDEX card_states_by_due",
      "CREATE INDEX card_states_by_set ON card_states (user_id, set_id)",
    ]
  )
}
