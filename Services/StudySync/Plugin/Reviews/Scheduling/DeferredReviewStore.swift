import Contracts
import Persistence
import StudyModel

/// Reviews in the log that schedules and statistics do not count yet.
enum DeferredReviewStore {
  /// Cards that have such reviews, with their ids.
  static func list(of user: UserID, limit: Int, in db: any Connection) throws -> [CardID: Set<String>] {
    let cards = try db.values(
      "SELECT DISTINCT card_id FROM deferred_reviews WHERE user_id = \(user) ORDER BY card_id LIMIT \(limit)",
      as: CardID.self)
    guard !cards.isEmpty else { return [:] }
    let rows = try db.all(
      "SELECT card_id, id FROM deferred_reviews WHERE user_id = \(user) AND card_id IN \(list: cards)"
    ) { row -> (card: CardID, id: String) in (try row["card_id"], try row["id"]) }
    return Dictionary(grouping: rows, by: \.card).mapValues { Set($0.map(\.id)) }
  }

  /// The ids of all of them.
  static func ids(of user: UserID, in db: any Connection) throws -> Set<String> {
    Set(try db.values("SELECT id FROM deferred_reviews WHERE user_id = \(user)", as: String.self))
  }

  static func insert(_ reviews: [LoggedReview], of user: UserID, in tx: Transaction) throws {
    try tx.execute(
      "INSERT INTO deferred_reviews (user_id, card_id, id) VALUES",
      rows: reviews.map { [user.sqlValue, $0.card.sqlValue, $0.review.id.sqlValue] },
      "ON CONFLICT (user_id, card_id, id) DO NOTHING")
  }

  static func delete(of cards: [CardID], of user: UserID, in tx: Transaction) throws {
    guard !cards.isEmpty else { return }
    try tx.execute("DELETE FROM deferred_reviews WHERE user_id = \(user) AND card_id IN \(list: cards)")
  }

  static func delete(of user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM deferred_reviews WHERE user_id = \(user)")
  }
}
