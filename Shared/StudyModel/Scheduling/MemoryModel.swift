/// Stability in days and difficulty from 1 to 10.
struct MemoryState: Sendable, Hashable {
  var stability: Double
  var difficulty: Double

  /// Far above any interval; it only keeps the arithmetic finite under extreme weights.
  static let maximumStability = 1e100

  static func clampStability(_ stability: Double) -> Double {
    stability.isNaN ? 0.001 : min(max(stability, 0.001), maximumStability)
  }

  static func clampDifficulty(_ difficulty: Double) -> Double {
    difficulty.isNaN ? 10 : min(max(difficulty, 1), 10)
  }
}

/// The formulas of FSRS-6 (open-spaced-repetition, "The Algorithm"; behavior of py-fsrs 6.3.2).
struct MemoryModel: Sendable {
  let w: [Double]
  /// The exponent of the forgetting curve, negative.
  let decay: Double
  /// Chosen so that the probability of recall is 0.9 after as many days as the stability.
  let factor: Double

  init(_ weights: FSRSWeights) {
    w = weights.values
    decay = -w[20]
    factor = Elementary.pow(0.9, 1 / decay) - 1
  }

  /// Probability of recall after whole days.
  func retrievability(elapsedDays: Double, stability: Double) -> Double {
    Elementary.pow(1 + factor * elapsedDays / stability, decay)
  }

  /// Days until the probability of recall has fallen to `retention`.
  func interval(stability: Double, retention: Double) -> Double {
    stability / factor * (Elementary.pow(retention, 1 / decay) - 1)
  }

  func initial(_ rating: ReviewRating) -> MemoryState {
    MemoryState(
      stability: MemoryState.clampStability(w[rating.rawValue - 1]),
      difficulty: MemoryState.clampDifficulty(initialDifficulty(rating)))
  }

  func next(_ state: MemoryState, _ rating: ReviewRating, elapsedDays: Double) -> MemoryState {
    let stability: Double
    if elapsedDays < 1 {
      stability = sameDayStability(state.stability, rating)
    } else {
      let recall = retrievability(elapsedDays: elapsedDays, stability: state.stability)
      stability =
        rating.isRecall ? recallStability(state, recall, rating) : min(longForget(state, recall), shortForget(state))
    }
    return MemoryState(
      stability: MemoryState.clampStability(stability),
      difficulty: MemoryState.clampDifficulty(nextDifficulty(state.difficulty, rating)))
  }

  func initialDifficulty(_ rating: ReviewRating) -> Double {
    w[4] - Elementary.exp(w[5] * Double(rating.rawValue - 1)) + 1
  }

  /// Moves with damping towards 10, and back towards the initial difficulty of an easy card.
  func nextDifficulty(_ difficulty: Double, _ rating: ReviewRating) -> Double {
    let change = -w[6] * Double(rating.rawValue - 3)
    return w[7] * initialDifficulty(.easy) + (1 - w[7]) * (difficulty + (10 - difficulty) * change / 9)
  }

  func sameDayIncrease(_ stability: Double, _ rating: ReviewRating) -> Double {
    Elementary.exp(w[17] * (Double(rating.rawValue - 3) + w[18])) * Elementary.pow(stability, -w[19])
  }

  func sameDayStability(_ stability: Double, _ rating: ReviewRating) -> Double {
    let increase = sameDayIncrease(stability, rating)
    return stability * (rating.isRecall ? max(increase, 1) : increase)
  }

  func recallStability(_ state: MemoryState, _ recall: Double, _ rating: ReviewRating) -> Double {
    let increase =
      Elementary.exp(w[8]) * (11 - state.difficulty) * Elementary.pow(state.stability, -w[9])
      * (Elementary.exp((1 - recall) * w[10]) - 1)
    return state.stability * (1 + increase * (rating == .hard ? w[15] : 1) * (rating == .easy ? w[16] : 1))
  }

  func longForget(_ state: MemoryState, _ recall: Double) -> Double {
    w[11] * Elementary.pow(state.difficulty, -w[12]) * (Elementary.pow(state.stability + 1, w[13]) - 1)
      * Elementary.exp((1 - recall) * w[14])
  }

  func shortForget(_ state: MemoryState) -> Double {
    state.stability / Elementary.exp(w[17] * w[18])
  }
}
