import Persistence

/// The tables of roommates.
enum RoommateSchema {
  static let tables: Schema = """
    CREATE TABLE roommate_profiles
      (user_id TEXT PRIMARY KEY, generation TEXT NOT NULL, is_complete BIGINT NOT NULL, version BIGINT NOT NULL,
       sealed TEXT NOT NULL, region TEXT, updated_at BIGINT NOT NULL, active_at BIGINT NOT NULL);
    CREATE INDEX roommate_profiles_complete ON roommate_profiles (is_complete, user_id);
    CREATE INDEX roommate_profiles_region ON roommate_profiles (region, is_complete, active_at);

    CREATE TABLE roommate_change_counter (id BIGINT PRIMARY KEY, number BIGINT NOT NULL);
    INSERT INTO roommate_change_counter (id, number) VALUES (1, 0);

    CREATE TABLE roommate_changes (number BIGINT PRIMARY KEY, user_id TEXT NOT NULL, changed_at BIGINT NOT NULL);
    CREATE INDEX roommate_changes_time ON roommate_changes (changed_at);

    CREATE TABLE roommate_swipers (user_id TEXT PRIMARY KEY, seq BIGINT NOT NULL);

    CREATE TABLE roommate_swipes
      (user_id TEXT NOT NULL, target_id TEXT NOT NULL, seq BIGINT NOT NULL, id TEXT NOT NULL UNIQUE,
       decision TEXT NOT NULL, is_answered BIGINT NOT NULL, swiped_at BIGINT NOT NULL,
       PRIMARY KEY (user_id, target_id));
    CREATE UNIQUE INDEX roommate_swipes_seq ON roommate_swipes (user_id, seq);
    CREATE INDEX roommate_swipes_given ON roommate_swipes (user_id, decision, id);
    CREATE INDEX roommate_swipes_received ON roommate_swipes (target_id, decision, is_answered, id);

    CREATE TABLE roommate_matches
      (user_id TEXT NOT NULL, other_id TEXT NOT NULL, id TEXT NOT NULL, matched_at BIGINT, ended_at BIGINT,
       PRIMARY KEY (user_id, other_id));
    CREATE INDEX roommate_matches_list ON roommate_matches (user_id, id);
    CREATE INDEX roommate_matches_other ON roommate_matches (other_id);

    CREATE TABLE roommate_suggestion_pools (day TEXT NOT NULL, region TEXT NOT NULL, PRIMARY KEY (day, region));

    CREATE TABLE roommate_suggestions
      (day TEXT NOT NULL, user_id TEXT NOT NULL, other_id TEXT NOT NULL, PRIMARY KEY (day, user_id));
    CREATE INDEX roommate_suggestions_user ON roommate_suggestions (user_id);
    CREATE INDEX roommate_suggestions_other ON roommate_suggestions (other_id);
    """
}
