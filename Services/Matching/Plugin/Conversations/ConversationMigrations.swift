import Persistence
import ServiceKit

enum ConversationMigrations {
  static let all = [
    Migration(
      "matching-conversations-001", why: "users send messages", ["CREATE TABLE conversations (id TEXT PRIMARY KEY)"])
  ]
  static let sealedColumns: [SealedColumn] = []
}
