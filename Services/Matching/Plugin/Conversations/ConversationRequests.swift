import Contracts
import Persistence

/// Accepts message requests when their users connect or match.
enum ConversationRequests {
  /// Moves the requests between two users, who have become connected or a match, to their inboxes.
  static func accept(between one: UserID, and other: UserID, in tx: Transaction) throws {
    try ParticipantStore.accept(ParticipantStore.shared(by: one, and: other), in: tx)
  }
}
