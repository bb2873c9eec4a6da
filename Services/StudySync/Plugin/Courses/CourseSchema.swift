import Persistence

/// The tables of courses.
enum CourseSchema {
  static let tables: Schema = """
    CREATE TABLE courses
      (id TEXT PRIMARY KEY, content TEXT NOT NULL, color TEXT, state TEXT NOT NULL, code TEXT, code_hash TEXT UNIQUE,
       created_at BIGINT NOT NULL, version BIGINT NOT NULL);

    CREATE TABLE course_members
      (course_id TEXT NOT NULL REFERENCES courses (id), user_id TEXT NOT NULL, role TEXT NOT NULL,
       joined_at BIGINT NOT NULL, PRIMARY KEY (course_id, user_id));
    CREATE INDEX course_members_by_user ON course_members (user_id, course_id);
    CREATE INDEX course_members_by_role ON course_members (course_id, role, user_id);

    CREATE TABLE course_removals
      (course_id TEXT NOT NULL REFERENCES courses (id), user_id TEXT NOT NULL, removed_at BIGINT NOT NULL,
       PRIMARY KEY (course_id, user_id));
    CREATE INDEX course_removals_by_user ON course_removals (user_id);

    CREATE TABLE course_invitations
      (id TEXT PRIMARY KEY, course_id TEXT NOT NULL REFERENCES courses (id), email TEXT NOT NULL,
       email_hash TEXT NOT NULL, token_hash TEXT NOT NULL UNIQUE, role TEXT NOT NULL, invited_by TEXT NOT NULL,
       created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, UNIQUE (course_id, email_hash));
    CREATE INDEX course_invitations_by_course ON course_invitations (course_id, id);
    CREATE INDEX course_invitations_by_inviter ON course_invitations (invited_by);
    CREATE INDEX course_invitations_by_expiry ON course_invitations (expires_at);

    CREATE TABLE course_materials
      (id TEXT PRIMARY KEY, course_id TEXT NOT NULL REFERENCES courses (id), position BIGINT NOT NULL,
       kind TEXT NOT NULL, content TEXT NOT NULL, set_id TEXT, created_at BIGINT NOT NULL, version BIGINT NOT NULL);
    CREATE INDEX course_materials_by_position ON course_materials (course_id, position, id);
    CREATE UNIQUE INDEX course_materials_by_set ON course_materials (course_id, set_id) WHERE set_id IS NOT NULL;
    CREATE INDEX course_materials_by_attached_set ON course_materials (set_id) WHERE set_id IS NOT NULL;

    CREATE TABLE assignments
      (id TEXT PRIMARY KEY, course_id TEXT NOT NULL REFERENCES courses (id), kind TEXT NOT NULL,
       content TEXT NOT NULL, media TEXT NOT NULL, points BIGINT NOT NULL, due_at BIGINT, late_until BIGINT,
       resubmission TEXT NOT NULL, quiz_id TEXT UNIQUE, test TEXT, state TEXT NOT NULL, created_at BIGINT NOT NULL,
       version BIGINT NOT NULL);
    CREATE INDEX assignments_by_course ON assignments (course_id, id);

    CREATE TABLE submissions
      (id TEXT PRIMARY KEY, course_id TEXT NOT NULL, assignment_id TEXT NOT NULL REFERENCES assignments (id),
       student_id TEXT NOT NULL, state TEXT NOT NULL, content TEXT, fingerprint TEXT, count BIGINT NOT NULL,
       submitted_at BIGINT, is_late BIGINT NOT NULL, points BIGINT, feedback TEXT, graded_at BIGINT,
       version BIGINT NOT NULL, UNIQUE (assignment_id, student_id));
    CREATE INDEX submissions_by_course ON submissions (course_id, id);
    CREATE INDEX submissions_by_student ON submissions (student_id, course_id, id);

    CREATE TABLE submission_versions
      (id TEXT PRIMARY KEY, submission_id TEXT NOT NULL REFERENCES submissions (id), number BIGINT NOT NULL,
       content TEXT NOT NULL, fingerprint TEXT, submitted_at BIGINT NOT NULL, is_late BIGINT NOT NULL,
       UNIQUE (submission_id, number));

    CREATE TABLE submission_grades
      (id TEXT PRIMARY KEY, submission_id TEXT NOT NULL REFERENCES submissions (id), points BIGINT, graded_by TEXT,
       is_manual BIGINT NOT NULL, graded_at BIGINT NOT NULL);
    CREATE INDEX submission_grades_by_submission ON submission_grades (submission_id, id);
    CREATE INDEX submission_grades_by_instructor ON submission_grades (graded_by);

    CREATE TABLE discussions
      (id TEXT PRIMARY KEY, course_id TEXT NOT NULL REFERENCES courses (id), author_id TEXT, content TEXT,
       is_locked BIGINT NOT NULL, reply_count BIGINT NOT NULL, created_at BIGINT NOT NULL, edited_at BIGINT,
       version BIGINT NOT NULL);
    CREATE INDEX discussions_by_course ON discussions (course_id, id);
    CREATE INDEX discussions_by_author ON discussions (author_id);

    CREATE TABLE discussion_replies
      (id TEXT PRIMARY KEY, discussion_id TEXT NOT NULL REFERENCES discussions (id), author_id TEXT, text TEXT,
       created_at BIGINT NOT NULL, edited_at BIGINT, version BIGINT NOT NULL);
    CREATE INDEX discussion_replies_by_discussion ON discussion_replies (discussion_id, id);
    CREATE INDEX discussion_replies_by_author ON discussion_replies (author_id);
    """
}
