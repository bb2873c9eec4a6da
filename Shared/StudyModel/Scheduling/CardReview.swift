/// One entry of the append-only log of reviews of a card.
public struct CardReview: Sendable, Hashable {
  /// Unique; the order of reviews at the same time.
  public let id: String
  /// Milliseconds since 1970.
  public let reviewedAt: Int64
  public let rating: ReviewRating

  public init(id: String, reviewedAt: Int64, rating: ReviewRating) {
    self.id = id
    self.reviewedAt = reviewedAt
    self.rating = rating
  }

  /// The order in which reviews take effect: by time, then by id. It does not depend on the order of arrival, so
  /// devices and server that have the same reviews have the same schedule.
  public static func precedes(_ one: Self, _ other: Self) -> Bool {
    one.reviewedAt == other.reviewedAt ? one.id < other.id : one.reviewedAt < other.reviewedAt
  }

  /// The reviews in their order, each id once.
  static func ordered(_ reviews: some Sequence<CardReview>) -> [CardReview] {
    var seen: Set<String> = []
    return reviews.sorted(by: precedes).filter { seen.insert($0.id).inserted }
  }
}
