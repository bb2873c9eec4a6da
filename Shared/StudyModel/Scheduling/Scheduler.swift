/// Schedules reviews with FSRS-6. Without fuzz it agrees with py-fsrs 6.3.2.
public struct Scheduler: Sendable {
  public let weights: FSRSWeights
  /// The probability of recall at which a card becomes due.
  public let desiredRetention: Double
  /// Seconds before each repetition of a card that is being learned.
  public let learningSteps: [Int64]
  /// Seconds before each repetition of a card that was forgotten.
  public let relearningSteps: [Int64]
  /// Days.
  public let maximumInterval: Int
  /// Whether intervals are varied a little, in the same way on every device. See ``IntervalFuzz``.
  public let fuzz: Bool
  let model: MemoryModel

  public static let retentionRange = 0.70...0.97
  public static let defaultLearningSteps: [Int64] = [60, 600]
  public static let defaultRelearningSteps: [Int64] = [600]
  /// A hundred years.
  public static let maxInterval = 36_500
  public static let maximumSteps = 20

  /// - Throws: ``SchedulerError`` for a retention outside ``retentionRange``, a step of less than a second or more than
  ///   a year, more than ``maximumSteps`` steps, or a maximum interval outside 1…``maxInterval``.
  public init(
    weights: FSRSWeights = .default, desiredRetention: Double = 0.9,
    learningSteps: [Int64] = defaultLearningSteps, relearningSteps: [Int64] = defaultRelearningSteps,
    maximumInterval: Int = maxInterval, fuzz: Bool = true
  ) throws(SchedulerError) {
    guard Self.retentionRange.contains(desiredRetention) else { throw .desiredRetention }
    guard Self.areValid(learningSteps) else { throw .learningSteps }
    guard Self.areValid(relearningSteps) else { throw .relearningSteps }
    guard (1...Self.maxInterval).contains(maximumInterval) else { throw .maximumInterval }
    self.init(weights, desiredRetention, learningSteps, relearningSteps, maximumInterval, fuzz)
  }

  /// The defaults with a learner's weights.
  public init(weights: FSRSWeights) {
    self.init(weights, 0.9, Self.defaultLearningSteps, Self.defaultRelearningSteps, Self.maxInterval, true)
  }

  private init(
    _ weights: FSRSWeights, _ desiredRetention: Double, _ learningSteps: [Int64], _ relearningSteps: [Int64],
    _ maximumInterval: Int, _ fuzz: Bool
  ) {
    self.weights = weights
    self.desiredRetention = desiredRetention
    self.learningSteps = learningSteps
    self.relearningSteps = relearningSteps
    self.maximumInterval = maximumInterval
    self.fuzz = fuzz
    model = MemoryModel(weights)
  }

  private static func areValid(_ steps: [Int64]) -> Bool {
    steps.count <= maximumSteps && steps.allSatisfy { (1...31_536_000).contains($0) }
  }

  /// The memory after a review.
  ///
  /// - Parameter time: Milliseconds since 1970. A time before the last review counts as the same day.
  public func review(_ memory: CardMemory, rating: ReviewRating, at time: Int64) -> CardMemory {
    var next = memory
    next.reps = memory.reps &+ 1
    let elapsed = memory.elapsedDays(at: time) ?? 0
    let state = memory.memoryState.map { model.next($0, rating, elapsedDays: Double(elapsed)) } ?? model.initial(rating)
    next.stability = state.stability
    next.difficulty = state.difficulty
    let wait: Int64
    if memory.state == .review, memory.memoryState != nil {
      if rating == .again { next.lapses = memory.lapses &+ 1 }
      if rating == .again, let first = relearningSteps.first {
        (next.state, next.step) = (.relearning, 0)
        wait = first * Milliseconds.perSecond
      } else {
        wait = graduate(&next)
      }
    } else {
      let isRelearning = memory.state == .relearning && memory.memoryState != nil
      next.state = isRelearning ? .relearning : .learning
      wait = advance(&next, rating, isRelearning ? relearningSteps : learningSteps)
    }
    next.lastReview = time
    next.due = Milliseconds.adding(wait, to: time)
    return next
  }

  /// The memories that each rating would give now.
  public func preview(_ memory: CardMemory, at time: Int64) -> RatingPreview {
    RatingPreview(
      again: review(memory, rating: .again, at: time), hard: review(memory, rating: .hard, at: time),
      good: review(memory, rating: .good, at: time), easy: review(memory, rating: .easy, at: time))
  }

  /// The probability from 0 to 1 that the card is recalled at a time, in milliseconds since 1970; 0 for a new card.
  public func retrievability(_ memory: CardMemory, at time: Int64) -> Double {
    guard let state = memory.memoryState, let elapsed = memory.elapsedDays(at: time) else { return 0 }
    return model.retrievability(elapsedDays: Double(elapsed), stability: state.stability)
  }

  /// Moves through the steps; returns milliseconds until the card is due.
  private func advance(_ memory: inout CardMemory, _ rating: ReviewRating, _ steps: [Int64]) -> Int64 {
    let step = max(memory.step ?? 0, 0)
    // A scheduler with more steps may have left the card at a step that this one does not have.
    if steps.isEmpty || (step >= steps.count && rating.isRecall) { return graduate(&memory) }
    switch rating {
    case .again:
      memory.step = 0
      return steps[0] * Milliseconds.perSecond
    case .hard:
      memory.step = step
      if step > 0 { return steps[step] * Milliseconds.perSecond }
      // Halfway to the second step, or half as long again.
      return (steps.count > 1 ? steps[0] + steps[1] : 3 * steps[0]) * Milliseconds.perSecond / 2
    case .good where step + 1 < steps.count:
      memory.step = step + 1
      return steps[step + 1] * Milliseconds.perSecond
    case .good, .easy:
      return graduate(&memory)
    }
  }

  /// Enters intervals of days; returns milliseconds until the card is due.
  private func graduate(_ memory: inout CardMemory) -> Int64 {
    (memory.state, memory.step) = (.review, nil)
    let ideal = model.interval(stability: memory.stability ?? 0, retention: desiredRetention)
    let days = Int(min(max(ideal.rounded(.toNearestOrEven), 1), Double(maximumInterval)))
    return Milliseconds.days(
      fuzz
        ? IntervalFuzz.apply(days: days, maximum: maximumInterval, cardID: memory.cardID, reps: memory.reps) : days)
  }
}

/// The memories that the four ratings would give.
public struct RatingPreview: Sendable, Hashable {
  public let again: CardMemory
  public let hard: CardMemory
  public let good: CardMemory
  public let easy: CardMemory

  public subscript(_ rating: ReviewRating) -> CardMemory {
    switch rating {
    case .again: again
    case .hard: hard
    case .good: good
    case .easy: easy
    }
  }
}

/// The setting of a ``Scheduler`` that is out of range.
public enum SchedulerError: Error, Sendable, Hashable {
  case desiredRetention
  case learningSteps
  case relearningSteps
  case maximumInterval
}
