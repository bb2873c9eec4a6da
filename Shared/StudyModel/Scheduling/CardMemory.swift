/// The state of a card in its schedule.
public enum CardState: Int, Sendable, Hashable, CaseIterable {
  /// Never reviewed.
  case new = 0
  /// In the learning steps, minutes apart.
  case learning = 1
  /// In intervals of days.
  case review = 2
  /// In the relearning steps, after it was forgotten.
  case relearning = 3
}

/// The state that the scheduler knows of one card, derived from its reviews.
public struct CardMemory: Sendable, Hashable {
  /// The card; determines the fuzz of its intervals.
  public let cardID: String
  public var state: CardState
  /// The current learning or relearning step, from 0; nil in other states.
  public var step: Int?
  /// Days after which the probability of recall has fallen to 90 %; nil for a new card.
  public var stability: Double?
  /// From 1 (easy) to 10 (hard); nil for a new card.
  public var difficulty: Double?
  /// Milliseconds since 1970; nil for a new card.
  public var due: Int64?
  /// Milliseconds since 1970; nil for a new card.
  public var lastReview: Int64?
  /// Reviews so far.
  public var reps: Int
  /// How often the card was forgotten in state ``CardState/review``.
  public var lapses: Int

  /// A card that was never reviewed.
  public init(cardID: String) {
    self.init(
      cardID: cardID, state: .new, step: nil, stability: nil, difficulty: nil, due: nil, lastReview: nil, reps: 0,
      lapses: 0)
  }

  /// A memory as stored or imported. Values outside their range are brought into it by the next review.
  public init(
    cardID: String, state: CardState, step: Int?, stability: Double?, difficulty: Double?, due: Int64?,
    lastReview: Int64?, reps: Int, lapses: Int
  ) {
    self.cardID = cardID
    self.state = state
    self.step = step
    self.stability = stability
    self.difficulty = difficulty
    self.due = due
    self.lastReview = lastReview
    self.reps = reps
    self.lapses = lapses
  }

  /// The interval in whole days that the last review gave; 0 in the learning steps and for a new card.
  public var intervalDays: Int {
    guard let due, let lastReview else { return 0 }
    return Int(Milliseconds.between(lastReview, due) / Milliseconds.perDay)
  }

  /// Whole days of 24 hours since the last review: 0 if the time is not later, nil for a new card.
  public func elapsedDays(at time: Int64) -> Int? {
    lastReview.map { Int(Milliseconds.between($0, time) / Milliseconds.perDay) }
  }

  /// Stability and difficulty, brought into their ranges; nil before the first review.
  var memoryState: MemoryState? {
    guard state != .new, let stability, let difficulty else { return nil }
    return MemoryState(
      stability: MemoryState.clampStability(stability), difficulty: MemoryState.clampDifficulty(difficulty))
  }
}
