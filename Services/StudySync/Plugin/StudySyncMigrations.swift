import Persistence
import ServiceKit

enum StudySyncMigrations {
  /// From the first release on, append to the list; never edit what has been released.
  static let all =
    TextIndex.migrations + [
      Migration(
        "study-sync-001", why: "the tables of the first release",
        creating: [
          SyncSchema.tables, ReviewSchema.tables, StatisticsSchema.tables, SetSchema.tables, QuizSchema.tables,
          WorkoutSchema.tables, CourseSchema.tables,
        ])
    ]

  /// The columns that hold encrypted values.
  static let sealedColumns = [
    RecordStore.contentColumn, LogStore.detailsColumn, QuizStore.titleColumn, AttemptStore.questionsColumn,
    AnswerStore.answerColumn, CourseStore.contentColumn, CourseStore.codeColumn, CourseInvitationStore.emailColumn,
    MaterialStore.contentColumn, AssignmentStore.contentColumn, SubmissionStore.contentColumn,
    SubmissionStore.feedbackColumn, SubmissionVersionStore.contentColumn, DiscussionStore.contentColumn,
    DiscussionReplyStore.textColumn,
  ]
}
