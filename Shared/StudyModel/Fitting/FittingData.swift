/// A review as the fit sees it.
struct FittingReview {
  let rating: ReviewRating
  /// Whole days since the previous review of the card; 0 for its first.
  let elapsedDays: Double
  let reviewedAt: Int64

  /// Whether the model predicts it: reviews on the same day test short-term memory, which FSRS does not predict.
  var isPredicted: Bool { elapsedDays >= 1 }
}

/// The histories of a learner's cards, prepared for the fit.
struct FittingData {
  /// Each in the order of review.
  let cards: [[FittingReview]]
  /// How many reviews the model predicts.
  let predicted: Int

  /// Keeps a sample of the cards with no more than `maximumReviews` reviews in total, and of each card the first
  /// `maximumPerCard` reviews, because the model starts from a card's first review. The sample is drawn by chance, not
  /// by time or result, so that it is not biased, and is the same whatever the order of `histories`.
  init(_ histories: [[CardReview]], maximumReviews: Int, maximumPerCard: Int) {
    let byStart = histories.map { CardReview.ordered($0) }.filter { $0.count > 1 }
      .sorted { CardReview.precedes($0[0], $1[0]) }
    var random = SeededRandom(seed: 6)
    let ordered = random.shuffled(byStart)
    var remaining = maximumReviews
    var cards: [[FittingReview]] = []
    for history in ordered {
      let kept = history.prefix(maximumPerCard)
      if kept.count > remaining { break }
      remaining -= kept.count
      var last = kept[0].reviewedAt
      cards.append(
        kept.map { review in
          defer { last = review.reviewedAt }
          let days = Milliseconds.between(last, review.reviewedAt) / Milliseconds.perDay
          return FittingReview(rating: review.rating, elapsedDays: Double(days), reviewedAt: review.reviewedAt)
        })
    }
    self.cards = cards
    predicted = cards.reduce(0) { $0 + $1.count(where: \.isPredicted) }
  }

  /// The time that separates the earlier part of the predicted reviews from the later one.
  func time(after share: Double) -> Int64 {
    let times = cards.flatMap { $0.filter(\.isPredicted).map(\.reviewedAt) }.sorted()
    return times.isEmpty ? .max : times[min(Int(Double(times.count) * share), times.count - 1)]
  }
}
