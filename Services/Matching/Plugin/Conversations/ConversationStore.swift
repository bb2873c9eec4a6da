import Contracts
import Persistence

/// Conversations in the database. The row of a conversation numbers its messages.
enum ConversationStore {
  /// The key of the open conversation of two users about a listing, or about nothing in particular.
  static func pair(_ one: UserID, _ other: UserID, about listing: ListingID?) -> String {
    let users = [one.rawValue, other.rawValue].sorted().joined(separator: " ")
    return listing.map { "\(users) \($0)" } ?? users
  }

  static func find(_ pair: String, in db: any Connection) throws -> ConversationID? {
    try db.value("SELECT id FROM conversations WHERE pair = \(pair)", as: ConversationID.self)
  }

  /// - Returns: `false` when the pair has an open conversation.
  static func insert(_ id: ConversationID, pair: String, about listing: ListingID?, in tx: Transaction) throws -> Bool {
    try tx.execute(
      """
      INSERT INTO conversations (id, pair, listing_id, last_sequence, created_at)
      VALUES (\(id), \(pair), \(listing), 0, \(tx.now)) ON CONFLICT (pair) DO NOTHING
      """
    ) == 1
  }

  /// Counts a message.
  static func advance(_ id: ConversationID, to sequence: Int, in tx: Transaction) throws {
    try tx.execute("UPDATE conversations SET last_sequence = \(sequence) WHERE id = \(id)")
  }

  /// The open conversations of a subquery.
  static func open(_ conversations: SQL, in db: any Connection) throws -> [ConversationID] {
    try db.values(
      "SELECT id FROM conversations WHERE id IN (\(conversations)) AND closed_at IS NULL", as: ConversationID.self)
  }

  /// Closes the conversations of a subquery for all participants. The same users can start another one.
  static func close(_ conversations: SQL, in tx: Transaction) throws {
    try tx.execute(
      """
      UPDATE conversations SET closed_at = \(tx.now), pair = NULL
      WHERE id IN (\(conversations)) AND closed_at IS NULL
      """
    )
  }

  static func delete(_ ids: [ConversationID], in tx: Transaction) throws {
    for start in stride(from: 0, to: ids.count, by: 500) {
      let some = Array(ids[start..<min(start + 500, ids.count)])
      try tx.execute("DELETE FROM conversations WHERE id IN \(list: some)")
    }
  }
}
