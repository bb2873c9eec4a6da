/// A review with the memory before and after it.
public struct ReviewStep: Sendable, Hashable {
  public let review: CardReview
  public let before: CardMemory
  public let after: CardMemory
}

extension Scheduler {
  /// The memory that follows from all reviews of a card.
  ///
  /// Reviews take effect in the order (`reviewedAt`, `id`), each id once, whatever order they are given in. That makes
  /// merging the logs of two devices exact.
  ///
  /// - Parameter start: What was known before the log begins, such as the schedule of an imported card.
  public func replay(_ reviews: some Sequence<CardReview>, from start: CardMemory) -> CardMemory {
    CardReview.ordered(reviews).reduce(start) { review($0, rating: $1.rating, at: $1.reviewedAt) }
  }

  /// The memory that follows from all reviews of a card, which was new before.
  public func replay(_ reviews: some Sequence<CardReview>, cardID: String) -> CardMemory {
    replay(reviews, from: CardMemory(cardID: cardID))
  }

  /// Like ``replay(_:from:)``, with every review in order.
  public func steps(_ reviews: some Sequence<CardReview>, from start: CardMemory) -> [ReviewStep] {
    var memory = start
    return CardReview.ordered(reviews).map { review in
      let before = memory
      memory = self.review(before, rating: review.rating, at: review.reviewedAt)
      return ReviewStep(review: review, before: before, after: memory)
    }
  }
}
