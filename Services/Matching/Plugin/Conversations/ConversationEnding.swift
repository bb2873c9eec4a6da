import Contracts
import Persistence

/// Ends conversations between two users when one of them blocks the other.
enum ConversationEnding {
  /// Closes the direct conversations of the two users for both; earlier messages stay readable. Neither is notified, and
  /// both lose the conversations' topics, which receive no further events.
  static func end(between one: UserID, and other: UserID, in tx: Transaction) throws {
    try close(ParticipantStore.shared(by: one, and: other), in: tx)
  }

  /// - Parameter conversations: A subquery: two users may have more than a statement can list.
  static func close(_ conversations: SQL, in tx: Transaction) throws {
    let ids = try ConversationStore.open(conversations, in: tx)
    guard !ids.isEmpty else { return }
    try ConversationStore.close(conversations, in: tx)
    try ConversationEvents.ended(ids, in: tx)
  }
}
