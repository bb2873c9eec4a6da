import Contracts
import StudyModel

/// The memory state of a card that results from a user's reviews, as stored.
struct StoredCardState: Sendable, Equatable {
  let card: CardID
  /// The set of the last review.
  var set: StudySetID
  /// The set in the card's row; `nil` for a card without one.
  let storedSet: StudySetID?
  var memory: CardMemory
  /// The last review in the order of time and id.
  var lastID: String
  /// The ``SchedulerSettings/fingerprint`` of the settings that all reviews were counted with; 0 while some are not.
  var scheduler: Int64
  /// Greater with every change.
  var revision: Int64

  var isDeferred: Bool { scheduler == 0 }

  /// Whether the last review was one of another set than the one before it.
  var isMoved: Bool { storedSet.map { $0 != set } ?? false }

  /// Whether a review comes after all that were counted.
  func precedes(_ review: CardReview) -> Bool {
    let last = CardReview(id: lastID, reviewedAt: memory.lastReview ?? .min, rating: .good)
    return CardReview.precedes(last, review)
  }

  var schedule: CardSchedule { CardSchedule(memory, card: card, set: set) }
}

extension CardSchedule {
  init(_ memory: CardMemory, card: CardID, set: StudySetID) {
    let stage: CardStage =
      switch memory.state {
      case .new: .new
      case .learning: .learning
      case .review: .review
      case .relearning: .relearning
      }
    self.init(
      card: card, set: set, stage: stage, step: memory.step, stability: memory.stability,
      difficulty: memory.difficulty, due: memory.due.map { Timestamp(clamping: $0) },
      lastReview: memory.lastReview.map { Timestamp(clamping: $0) }, reviews: memory.reps, lapses: memory.lapses)
  }
}

extension Timestamp {
  /// Milliseconds since 1970, rounded down.
  var milliseconds: Int64 {
    let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// A time in milliseconds since 1970, moved into the years that are written with four digits.
  init(clamping milliseconds: Int64) {
    self.init(microseconds: min(max(milliseconds, -62_167_219_200_000), 253_402_300_799_999) * 1000)
  }
}
