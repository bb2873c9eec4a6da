import Persistence

/// The tables of quizzes.
enum QuizSchema {
  static let tables: Schema = """
    CREATE TABLE quizzes
      (id TEXT PRIMARY KEY, owner_id TEXT NOT NULL, title TEXT, question_count BIGINT NOT NULL, time_limit BIGINT,
       kinds TEXT NOT NULL, direction TEXT NOT NULL, seed BIGINT, is_shared BIGINT NOT NULL,
       created_at BIGINT NOT NULL, version BIGINT NOT NULL);
    CREATE INDEX quizzes_by_owner ON quizzes (owner_id, id);

    CREATE TABLE quiz_sets
      (quiz_id TEXT NOT NULL REFERENCES quizzes (id), position BIGINT NOT NULL, set_id TEXT NOT NULL,
       PRIMARY KEY (quiz_id, position));
    CREATE INDEX quiz_sets_by_set ON quiz_sets (set_id, quiz_id);

    CREATE TABLE quiz_attempts
      (id TEXT PRIMARY KEY, quiz_id TEXT NOT NULL, user_id TEXT NOT NULL, sets TEXT NOT NULL, questions TEXT,
       question_count BIGINT NOT NULL, started_at BIGINT NOT NULL, deadline BIGINT, finished_at BIGINT, grades TEXT,
       utc_offset BIGINT NOT NULL, mistakes_of TEXT, is_test BIGINT NOT NULL);
    CREATE INDEX quiz_attempts_by_user ON quiz_attempts (user_id, id);
    CREATE INDEX quiz_attempts_by_quiz ON quiz_attempts (quiz_id, user_id, id);
    CREATE INDEX quiz_attempts_running ON quiz_attempts (deadline) WHERE finished_at IS NULL AND deadline IS NOT NULL;
    CREATE INDEX quiz_attempts_running_by_user ON quiz_attempts (user_id, deadline) WHERE finished_at IS NULL;

    CREATE TABLE quiz_attempt_sets
      (user_id TEXT NOT NULL, set_id TEXT NOT NULL, attempt_id TEXT NOT NULL,
       PRIMARY KEY (user_id, set_id, attempt_id));

    CREATE TABLE quiz_answers
      (id TEXT PRIMARY KEY, attempt_id TEXT NOT NULL, number BIGINT NOT NULL, answer TEXT NOT NULL,
       answered_at BIGINT NOT NULL, UNIQUE (attempt_id, number));
    """
}
