import Contracts
import Persistence
import StudyModel

/// A review as schedules and statistics see it.
struct LoggedReview: Sendable, Equatable {
  let card: CardID
  let set: StudySetID
  let at: Timestamp
  let review: CardReview
  /// The local day, in days since 1970.
  let day: Int64

  /// - Returns: `nil` for entries that are no reviews.
  init?(_ entry: LogEntry) {
    guard let card = entry.card, let set = entry.set, let rating = entry.rating.flatMap({ ReviewRating(rawValue: $0) })
    else { return nil }
    (self.card, self.set, at, day) = (card, set, entry.at, entry.day)
    review = CardReview(id: entry.id.rawValue, reviewedAt: entry.at.milliseconds, rating: rating)
  }

  fileprivate init(_ row: Row) throws {
    let (card, id): (CardID, String) = (try row["card_id"], try row["id"])
    let (at, day): (Timestamp, Int64) = (try row["at"], try row["day"])
    let (set, rating): (StudySetID, Int) = (try row["set_id"], try row["rating"])
    (self.card, self.set, self.at, self.day) = (card, set, at, day)
    review = CardReview(id: id, reviewedAt: at.milliseconds, rating: ReviewRating(rawValue: rating) ?? .again)
  }

  /// The order in which reviews of a card take effect.
  static func precedes(_ one: Self, _ other: Self) -> Bool { CardReview.precedes(one.review, other.review) }
}

/// Reads reviews from the log.
enum ReviewLog {
  /// The reviews of a few cards, each card's in their order.
  static func reviews(of cards: [CardID], of user: UserID, in db: any Connection) throws -> [CardID: [LoggedReview]] {
    guard !cards.isEmpty else { return [:] }
    let rows = try list("user_id = \(user) AND card_id IN \(list: cards)", limit: .max, in: db)
    return Dictionary(grouping: rows, by: \.card)
  }

  /// A user's reviews after one, by card and time.
  static func reviews(of user: UserID, after last: LoggedReview?, limit: Int, in db: any Connection) throws
    -> [LoggedReview]
  {
    let rest: SQL? = last.map {
      "(card_id, at, id) > (\($0.card), \($0.at), \($0.review.id))"
    }
    return try list(.and("user_id = \(user)", "card_id IS NOT NULL", rest), limit: limit, in: db)
  }

  /// The reviews of a card after one, by time.
  static func reviews(
    of card: CardID, of user: UserID, after last: LoggedReview?, limit: Int, in db: any Connection
  ) throws -> [LoggedReview] {
    let rest: SQL? = last.map { "(at, id) > (\($0.at), \($0.review.id))" }
    return try list(.and("user_id = \(user)", "card_id = \(card)", rest), limit: limit, in: db)
  }

  private static func list(_ condition: SQL, limit: Int, in db: any Connection) throws -> [LoggedReview] {
    try db.all(
      """
      SELECT card_id, id, at, day, set_id, rating FROM study_log WHERE \(condition) ORDER BY card_id, at, id
      LIMIT \(limit)
      """, LoggedReview.init)
  }
}
