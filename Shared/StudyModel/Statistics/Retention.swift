/// How many reviews of cards in state ``CardState/review`` were recalled: "true retention", without learning steps and
/// relearning steps.
public struct Retention: Sendable, Hashable {
  /// Reviews and how many of them were recalled.
  public struct Count: Sendable, Hashable {
    public private(set) var reviews = 0
    public private(set) var recalled = 0

    public init() {}

    /// From 0 to 1; nil without reviews.
    public var share: Double? { reviews == 0 ? nil : Double(recalled) / Double(reviews) }

    fileprivate mutating func add(_ rating: ReviewRating) {
      reviews += 1
      if rating.isRecall { recalled += 1 }
    }

    public static func + (one: Self, other: Self) -> Self {
      var sum = one
      sum.reviews += other.reviews
      sum.recalled += other.recalled
      return sum
    }
  }

  /// From this interval on, in days, a card is mature.
  public static let matureInterval = 21

  /// Reviews after an interval below ``matureInterval``.
  public private(set) var young = Count()
  /// Reviews after an interval of at least ``matureInterval``.
  public private(set) var mature = Count()

  public init() {}

  public init(_ steps: some Sequence<ReviewStep>) {
    for step in steps { add(step.review.rating, before: step.before) }
  }

  public var all: Count { young + mature }

  /// Counts a review of a card whose memory was `before`; others than in state ``CardState/review`` do not count.
  public mutating func add(_ rating: ReviewRating, before: CardMemory) {
    guard before.state == .review else { return }
    if before.intervalDays >= Self.matureInterval { mature.add(rating) } else { young.add(rating) }
  }
}
