import Contracts
import StudyModel

/// The properties of a review that depend on the review of the card before it.
struct ReviewTally: Sendable, Equatable {
  /// Cards reviewed for the first time.
  var newCards = 0
  /// Reviews at least a day and less than ``Retention/matureInterval`` days after the previous one.
  var young = 0
  var youngRecalled = 0
  /// Reviews at least ``Retention/matureInterval`` days after the previous one.
  var mature = 0
  var matureRecalled = 0

  /// Reviews that the weights of the scheduler predict.
  var predicted: Int { young + mature }

  static func += (left: inout Self, right: Self) { left.add(right, 1) }

  static func -= (left: inout Self, right: Self) { left.add(right, -1) }

  private mutating func add(_ other: Self, _ sign: Int) {
    newCards += sign * other.newCards
    young += sign * other.young
    youngRecalled += sign * other.youngRecalled
    mature += sign * other.mature
    matureRecalled += sign * other.matureRecalled
  }
}

/// Tallies by local day and set.
struct ReviewTallies: Sendable, Equatable {
  struct Key: Sendable, Hashable {
    var day: Int64
    var set: StudySetID
  }

  private(set) var tallies: [Key: ReviewTally] = [:]

  var predicted: Int { tallies.values.reduce(0) { $0 + $1.predicted } }

  /// Adds a review of a card.
  ///
  /// - Parameters:
  ///   - previous: When the card was reviewed before, in milliseconds since 1970.
  ///   - isRemoved: Whether the review is taken away instead.
  mutating func add(_ review: LoggedReview, after previous: Int64?, isRemoved: Bool = false) {
    var tally = ReviewTally()
    let (gap, recalled) = (Self.days(from: previous, to: review.review.reviewedAt), review.review.rating.isRecall)
    if gap == nil { tally.newCards = 1 }
    if let gap, gap >= Retention.matureInterval {
      (tally.mature, tally.matureRecalled) = (1, recalled ? 1 : 0)
    } else if let gap, gap >= 1 {
      (tally.young, tally.youngRecalled) = (1, recalled ? 1 : 0)
    }
    let key = Key(day: review.day, set: review.set)
    var total = tallies[key] ?? ReviewTally()
    if isRemoved { total -= tally } else { total += tally }
    tallies[key] = total == ReviewTally() ? nil : total
  }

  /// Adds reviews of a card in their order.
  mutating func add(_ reviews: some Sequence<LoggedReview>, after previous: Int64? = nil, isRemoved: Bool = false) {
    var previous = previous
    for review in reviews {
      add(review, after: previous, isRemoved: isRemoved)
      previous = review.review.reviewedAt
    }
  }

  /// Whole days of 24 hours.
  private static func days(from previous: Int64?, to time: Int64) -> Int? {
    previous.map { Int((time - $0) / 86_400_000) }
  }
}
