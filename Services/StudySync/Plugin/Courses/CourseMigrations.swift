import Persistence

enum CourseMigrations {
  static let all = [courses, assignments, discussions, removals, manualGrades, fingerprints]

  static let sealedColumns = [
    CourseStore.contentColumn, CourseStore.codeColumn, CourseInvitationStore.emailColumn, MaterialStore.contentColumn,
    AssignmentStore.contentColumn, SubmissionStore.contentColumn, SubmissionStore.feedbackColumn,
    SubmissionVersionStore.contentColumn, DiscussionStore.contentColumn, DiscussionReplyStore.textColumn,
  ]

  private static let courses = Migration(
    "study-courses-001",
    why: "instructors make courses with members and materials; codes and tokens are looked up by keyed hashes",
    [
      """
      CREATE TABLE courses
        (id TEXT PRIMARY KEY, content TEXT NOT NULL, color TEXT, state TEXT NOT NULL, code TEXT,
         code_hash TEXT UNIQUE, created_at BIGINT NOT NULL, version BIGINT NOT NULL)
      """,
      """
      CREATE TABLE course_members
        (course_id TEXT NOT NULL REFERENCES courses (id), user_id TEXT NOT NULL, role TEXT NOT NULL,
         joined_at BIGINT NOT NULL, PRIMARY KEY (course_id, user_id))
      """,
      "CREATE INDEX course_members_by_user ON course_members (user_id, course_id)",
      "CREATE INDEX course_members_by_role ON course_members (course_id, role, user_id)",
      """
      CREATE TABLE course_invitations
        (id TEXT PRIMARY KEY, course_id TEXT NOT NULL REFERENCES courses (id), email TEXT NOT NULL,
         email_hash TEXT NOT NULL, token_hash TEXT NOT NULL UNIQUE, role TEXT NOT NULL, invited_by TEXT NOT NULL,
         created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, UNIQUE (course_id, email_hash))
      """,
      "CREATE INDEX course_invitations_by_course ON course_invitations (course_id, id)",
      "CREATE INDEX course_invitations_by_inviter ON course_invitations (invited_by)",
      "CREATE INDEX course_invitations_by_expiry ON course_invitations (expires_at)",
      """
      CREATE TABLE course_materials
        (id TEXT PRIMARY KEY, course_id TEXT NOT NULL REFERENCES courses (id), position BIGINT NOT NULL,
         kind TEXT NOT NULL, content TEXT NOT NULL, set_id TEXT, created_at BIGINT NOT NULL, version BIGINT NOT NULL)
      """,
      "CREATE INDEX course_materials_by_position ON course_materials (course_id, position, id)",
      """
      CREATE UNIQUE INDEX course_materials_by_set ON course_materials (course_id, set_id) WHERE set_id IS NOT NULL
      """,
    ]
  )

  private static let assignments = Migration(
    "study-courses-002",
    why: "a student has one current submission to an assignment; replaced versions are kept until it is graded",
    [
      """
      CREATE TABLE assignments
        (id TEXT PRIMARY KEY, course_id TEXT NOT NULL REFERENCES courses (id), kind TEXT NOT NULL,
         content TEXT NOT NULL, media TEXT NOT NULL, points BIGINT NOT NULL, due_at BIGINT, late_until BIGINT,
         resubmission TEXT NOT NULL, quiz_id TEXT UNIQUE, test TEXT, state TEXT NOT NULL, created_at BIGINT NOT NULL,
         version BIGINT NOT NULL)
      """,
      "CREATE INDEX assignments_by_course ON assignments (course_id, id)",
      """
      CREATE TABLE submissions
        (id TEXT PRIMARY KEY, course_id TEXT NOT NULL, assignment_id TEXT NOT NULL REFERENCES assignments (id),
         student_id TEXT NOT NULL, state TEXT NOT NULL, content TEXT, fingerprint TEXT, count BIGINT NOT NULL,
         submitted_at BIGINT, is_late BIGINT NOT NULL, points BIGINT, feedback TEXT, graded_at BIGINT,
         version BIGINT NOT NULL, UNIQUE (assignment_id, student_id))
      """,
      "CREATE INDEX submissions_by_course ON submissions (course_id, id)",
      "CREATE INDEX submissions_by_student ON submissions (student_id, course_id, id)",
      """
      CREATE TABLE submission_versions
        (id TEXT PRIMARY KEY, submission_id TEXT NOT NULL REFERENCES submissions (id), number BIGINT NOT NULL,
         content TEXT NOT NULL, submitted_at BIGINT NOT NULL, is_late BIGINT NOT NULL,
         UNIQUE (submission_id, number))
      """,
      """
      CREATE TABLE submission_grades
        (id TEXT PRIMARY KEY, submission_id TEXT NOT NULL REFERENCES submissions (id), points BIGINT,
         graded_by TEXT, graded_at BIGINT NOT NULL)
      """,
      "CREATE INDEX submission_grades_by_submission ON submission_grades (submission_id, id)",
      "CREATE INDEX submission_grades_by_instructor ON submission_grades (graded_by)",
    ]
  )

  private static let removals = Migration(
    "study-courses-004",
    why:
      "owners of sets see the courses that have them; whoever was removed from a course does not join again uninvited",
    [
      "CREATE INDEX course_materials_by_attached_set ON course_materials (set_id) WHERE set_id IS NOT NULL",
      """
      CREATE TABLE course_removals
        (course_id TEXT NOT NULL REFERENCES courses (id), user_id TEXT NOT NULL, removed_at BIGINT NOT NULL,
         PRIMARY KEY (course_id, user_id))
      """,
      "CREATE INDEX course_removals_by_user ON course_removals (user_id)",
    ]
  )

  private static let manualGrades = Migration(
    "study-courses-manual-grades",
    why: "a grade stays an instructor's when the instructor's account is deleted",
    [
      "ALTER TABLE submission_grades ADD COLUMN is_manual BIGINT NOT NULL DEFAULT 0",
      "UPDATE submission_grades SET is_manual = 1 WHERE graded_by IS NOT NULL",
    ]
  )

  private static let fingerprints = Migration(
    "study-courses-version-fingerprints",
    why: "a submission that is sent again late does not replace a newer one",
    ["ALTER TABLE submission_versions ADD COLUMN fingerprint TEXT"]
  )

  private static let discussions = Migration(
    "study-courses-003",
    why: "members of a course discuss topics; deleted texts leave their place",
    [
      """
      CREATE TABLE discussions
        (id TEXT PRIMARY KEY, course_id TEXT NOT NULL REFERENCES courses (id), author_id TEXT, content TEXT,
         is_locked BIGINT NOT NULL, reply_count BIGINT NOT NULL, created_at BIGINT NOT NULL, edited_at BIGINT,
         version BIGINT NOT NULL)
      """,
      "CREATE INDEX discussions_by_course ON discussions (course_id, id)",
      "CREATE INDEX discussions_by_author ON discussions (author_id)",
      """
      CREATE TABLE discussion_replies
        (id TEXT PRIMARY KEY, discussion_id TEXT NOT NULL REFERENCES discussions (id), author_id TEXT, text TEXT,
         created_at BIGINT NOT NULL, edited_at BIGINT, version BIGINT NOT NULL)
      """,
      "CREATE INDEX discussion_replies_by_discussion ON discussion_replies (discussion_id, id)",
      "CREATE INDEX discussion_replies_by_author ON discussion_replies (author_id)",
    ]
  )
}
