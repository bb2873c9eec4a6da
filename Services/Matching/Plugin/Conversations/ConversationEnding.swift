import Contracts
import Persistence

/// Ends conversations between two users when one of them blocks the other.
enum ConversationEnding {
  /// Closes the direct conversations of the two users for both; earlier messages stay readable. Neither is notified, and
  /// both lose the conversations' topics, on which nothing follows any more.
  static func end(between one: UserID, and other: UserID, in tx: Transaction) throws {
    try close(ParticipantStore.open(between: one, and: other, in: tx), in: tx)
  }

  static func close(_ ids: [ConversationID], in tx: Transaction) throws {
    guard !ids.isEmpty else { return }
    try ConversationStore.close(ids, in: tx)
    try tx.record(TopicAccessEnded(ids.map(ConversationEvents.topic), for: nil))
  }
}

/// What two users become to each other moves their requests.
enum ConversationRequests {
  /// Moves the requests between two users, who have become connected or a match, to their inboxes.
  static func accept(between one: UserID, and other: UserID, in tx: Transaction) throws {
    let ids = try ParticipantStore.open(between: one, and: other, in: tx)
    if !ids.isEmpty { try ParticipantStore.accept(ids, in: tx) }
  }
}
