import Persistence
import ServiceKit

enum MatchingMigrations {
  /// From the first release on, append to the list; never edit what has been released.
  static let all = [
    Migration(
      "matching-001", why: "the tables of the first release",
      creating: [
        RoommateSchema.tables, RelationSchema.tables, ConversationSchema.tables,
      ])
  ]

  /// The columns that hold encrypted values.
  static let sealedColumns = [
    RoommateProfileStore.column, ConnectionRequestStore.noteColumn, MessageStore.textColumn,
    MessageReportStore.contentColumn,
  ]
}
