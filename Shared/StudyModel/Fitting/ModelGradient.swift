/// The derivatives of a card's log loss by the 21 weights: the formulas of ``MemoryModel`` run backwards (reverse-mode
/// differentiation by hand), so that one pass over a history costs about as much as three predictions.
struct ModelGradient {
  let model: MemoryModel
  /// The sum over the cards so far.
  private(set) var w = Array(repeating: 0.0, count: FSRSWeights.count)
  /// Natural logarithm; sum over the predicted reviews so far.
  private(set) var loss = 0.0
  /// Derivative of ``MemoryModel/factor`` by w20.
  private let factorByDecay: Double

  init(_ model: MemoryModel) {
    self.model = model
    factorByDecay = (model.factor + 1) * Elementary.log(0.9) / (model.w[20] * model.w[20])
  }

  /// Log loss of one prediction, kept finite when the model is certain and wrong.
  static func logLoss(_ recall: Double, _ isRecall: Bool) -> Double {
    -Elementary.log(max(isRecall ? recall : 1 - recall, 1e-9))
  }

  /// Adds a card's reviews from the first until before a time.
  mutating func add(_ reviews: [FittingReview], before end: Int64) {
    var count = reviews.count
    // Reviews after the last prediction change no loss.
    while count > 0, !reviews[count - 1].isPredicted || reviews[count - 1].reviewedAt >= end { count -= 1 }
    guard count > 1 else { return }
    var states: [MemoryState] = [model.initial(reviews[0].rating)]
    states.reserveCapacity(count)
    for index in 1..<(count - 1) {
      states.append(
        model.next(states[index - 1], reviews[index].rating, elapsedDays: reviews[index].elapsedDays))
    }
    var adjoint = MemoryState(stability: 0, difficulty: 0)
    for index in stride(from: count - 1, to: 0, by: -1) {
      let review = reviews[index]
      let before = states[index - 1]
      var byRecall = 0.0
      var recall = 1.0
      if review.isPredicted {
        recall = model.retrievability(elapsedDays: review.elapsedDays, stability: before.stability)
        loss += Self.logLoss(recall, review.rating.isRecall)
        byRecall = review.rating.isRecall ? -1 / max(recall, 1e-9) : 1 / max(1 - recall, 1e-9)
      }
      if index < count - 1 {
        let pulled = pullTransition(review, before, states[index], recall, adjoint)
        (adjoint, byRecall) = (pulled.state, byRecall + pulled.recall)
      }
      if review.isPredicted { adjoint.stability += pullRecall(byRecall, recall, before.stability, review.elapsedDays) }
    }
    pullInitial(reviews[0].rating, adjoint)
  }

  private mutating func pullRecall(_ adjoint: Double, _ recall: Double, _ stability: Double, _ days: Double) -> Double {
    let base = 1 + model.factor * days / stability
    w[20] +=
      adjoint * recall * (-Elementary.log(base) - model.w[20] * days / stability / base * factorByDecay)
    return adjoint * recall * model.w[20] * model.factor * days / (stability * stability * base)
  }

  private mutating func pullInitial(_ rating: ReviewRating, _ adjoint: MemoryState) {
    w[rating.rawValue - 1] += adjoint.stability
    guard isInside(model.initialDifficulty(rating)) else { return }
    let grade = Double(rating.rawValue - 1)
    w[4] += adjoint.difficulty
    w[5] -= adjoint.difficulty * grade * Elementary.exp(model.w[5] * grade)
  }

  private mutating func pullTransition(
    _ review: FittingReview, _ before: MemoryState, _ after: MemoryState, _ recall: Double, _ adjoint: MemoryState
  ) -> (state: MemoryState, recall: Double) {
    var pulled = MemoryState(
      stability: 0, difficulty: pullDifficulty(adjoint.difficulty, before.difficulty, review.rating))
    guard after.stability > 0.001, after.stability < MemoryState.maximumStability else { return (pulled, 0) }
    if !review.isPredicted {
      pulled.stability = pullSameDay(adjoint.stability, before.stability, after.stability, review.rating)
      return (pulled, 0)
    }
    let byRecall =
      review.rating.isRecall
      ? pullSuccess(adjoint.stability, before, recall, review.rating, &pulled)
      : pullFailure(adjoint.stability, before, recall, &pulled)
    return (pulled, byRecall)
  }

  private mutating func pullDifficulty(_ adjoint: Double, _ before: Double, _ rating: ReviewRating) -> Double {
    guard isInside(model.nextDifficulty(before, rating)) else { return 0 }
    let grade = Double(rating.rawValue - 3)
    let change = -model.w[6] * grade
    w[4] += adjoint * model.w[7]
    w[5] -= adjoint * model.w[7] * 3 * Elementary.exp(3 * model.w[5])
    w[6] -= adjoint * (1 - model.w[7]) * (10 - before) / 9 * grade
    w[7] += adjoint * (model.initialDifficulty(.easy) - before - (10 - before) * change / 9)
    return adjoint * (1 - model.w[7]) * (1 - change / 9)
  }

  private mutating func pullSameDay(_ adjoint: Double, _ before: Double, _ after: Double, _ rating: ReviewRating)
    -> Double
  {
    if rating.isRecall, model.sameDayIncrease(before, rating) < 1 { return adjoint }
    w[17] += adjoint * after * (Double(rating.rawValue - 3) + model.w[18])
    w[18] += adjoint * after * model.w[17]
    w[19] -= adjoint * after * Elementary.log(before)
    return adjoint * (1 - model.w[19]) * after / before
  }

  private mutating func pullSuccess(
    _ adjoint: Double, _ before: MemoryState, _ recall: Double, _ rating: ReviewRating, _ pulled: inout MemoryState
  ) -> Double {
    let plain =
      Elementary.exp(model.w[8]) * (11 - before.difficulty) * Elementary.pow(before.stability, -model.w[9])
    let scale = (rating == .hard ? model.w[15] : 1) * (rating == .easy ? model.w[16] : 1)
    let growth = Elementary.exp((1 - recall) * model.w[10])
    let increase = plain * (growth - 1) * scale
    let scaled = adjoint * before.stability
    w[8] += scaled * increase
    w[9] -= scaled * increase * Elementary.log(before.stability)
    w[10] += scaled * plain * scale * growth * (1 - recall)
    if rating == .hard { w[15] += scaled * plain * (growth - 1) }
    if rating == .easy { w[16] += scaled * plain * (growth - 1) }
    pulled.stability = adjoint * (1 + increase * (1 - model.w[9]))
    pulled.difficulty -= scaled * increase / (11 - before.difficulty)
    return -scaled * plain * scale * growth * model.w[10]
  }

  private mutating func pullFailure(
    _ adjoint: Double, _ before: MemoryState, _ recall: Double, _ pulled: inout MemoryState
  ) -> Double {
    let long = model.longForget(before, recall)
    let short = model.shortForget(before)
    if short < long {
      w[17] -= adjoint * short * model.w[18]
      w[18] -= adjoint * short * model.w[17]
      pulled.stability = adjoint * short / before.stability
      return 0
    }
    let power = Elementary.pow(before.stability + 1, model.w[13])
    let rest =
      model.w[11] * Elementary.pow(before.difficulty, -model.w[12]) * Elementary.exp((1 - recall) * model.w[14])
    w[11] += adjoint * long / model.w[11]
    w[12] -= adjoint * long * Elementary.log(before.difficulty)
    w[13] += adjoint * rest * power * Elementary.log(before.stability + 1)
    w[14] += adjoint * long * (1 - recall)
    pulled.stability = adjoint * rest * model.w[13] * power / (before.stability + 1)
    pulled.difficulty -= adjoint * long * model.w[12] / before.difficulty
    return -adjoint * long * model.w[14]
  }

  /// Whether a difficulty is not clamped, so that derivatives pass.
  private func isInside(_ difficulty: Double) -> Bool { difficulty > 1 && difficulty < 10 }
}
