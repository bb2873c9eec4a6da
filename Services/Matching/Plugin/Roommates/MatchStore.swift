import Contracts
import Persistence

/// Pairs of users who like each other.
enum MatchStore {
  static func areMatched(_ one: UserID, _ other: UserID, in db: any Connection) throws -> Bool { false }

  /// Ends a match when one of the users blocks the other. Neither is shown to the other again.
  static func end(between one: UserID, and other: UserID, in tx: Transaction) throws {}
}
