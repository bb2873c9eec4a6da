/// Fits the 21 weights to one learner's log of reviews.
///
/// Minimizes the log loss of the predicted recall on reviews at least a day after the previous one, plus half the
/// squared distance to the default weights in units of their standard deviation among learners (the prior of fsrs-rs),
/// by Adam in mini-batches of cards with analytic derivatives, clipped to the bounds. Deterministic.
///
/// The predicted reviews are divided by time: the earlier four fifths are fitted, the rest only judges. Weights that
/// predict the rest no better than the defaults are not returned.
public struct FSRSFitting: Sendable {
  /// Fewer predicted reviews are refused.
  public var minimumReviews: Int
  /// With more reviews, a sample of the cards is fitted.
  public var maximumReviews: Int
  /// The first reviews of a card that count.
  public var maximumReviewsPerCard: Int

  public init(minimumReviews: Int = 400, maximumReviews: Int = 64_000, maximumReviewsPerCard: Int = 64) {
    self.minimumReviews = max(minimumReviews, 10)
    self.maximumReviews = min(max(maximumReviews, 0), 1_000_000)
    self.maximumReviewsPerCard = min(max(maximumReviewsPerCard, 2), 1024)
  }

  /// - Parameter histories: All reviews of each card, in any order.
  /// - Throws: ``NotEnoughReviews``.
  public func fit(_ histories: [[CardReview]]) throws(NotEnoughReviews) -> FSRSFit {
    let data = FittingData(histories, maximumReviews: maximumReviews, maximumPerCard: maximumReviewsPerCard)
    guard data.predicted >= minimumReviews else {
      throw NotEnoughReviews(found: data.predicted, needed: minimumReviews)
    }
    let split = data.time(after: 0.8)
    let candidate = FSRSWeights(clipping: Self.minimize(data, before: split))
    let ofDefaults = Self.losses(.default, data, split)
    let ofCandidate = Self.losses(candidate, data, split)
    let isBetter = ofCandidate.heldOut.mean < ofDefaults.heldOut.mean
    return FSRSFit(
      weights: isBetter ? candidate : .default, isPersonal: isBetter, fittedReviews: ofDefaults.fitted.count,
      heldOutReviews: ofDefaults.heldOut.count,
      defaultLoss: LogLoss(fitted: ofDefaults.fitted.mean, heldOut: ofDefaults.heldOut.mean),
      fittedLoss: LogLoss(fitted: ofCandidate.fitted.mean, heldOut: ofCandidate.heldOut.mean))
  }

  /// Mean log loss (natural logarithm) of weights on the reviews at least a day after the previous one; nil without
  /// any.
  public static func logLoss(_ weights: FSRSWeights, _ histories: [[CardReview]]) -> Double? {
    let data = FittingData(histories, maximumReviews: .max, maximumPerCard: .max)
    let losses = losses(weights, data, .max)
    return losses.fitted.count == 0 ? nil : losses.fitted.mean
  }

  private struct Sum {
    var total = 0.0
    var count = 0
    var mean: Double { total / Double(max(count, 1)) }
  }

  private static func losses(_ weights: FSRSWeights, _ data: FittingData, _ split: Int64) -> (fitted: Sum, heldOut: Sum)
  {
    let model = MemoryModel(weights)
    var fitted = Sum()
    var heldOut = Sum()
    for reviews in data.cards {
      var state = model.initial(reviews[0].rating)
      for review in reviews.dropFirst() {
        if review.isPredicted {
          let recall = model.retrievability(elapsedDays: review.elapsedDays, stability: state.stability)
          let loss = ModelGradient.logLoss(recall, review.rating.isRecall)
          if review.reviewedAt < split {
            fitted.total += loss
            fitted.count += 1
          } else {
            heldOut.total += loss
            heldOut.count += 1
          }
        }
        state = model.next(state, review.rating, elapsedDays: review.elapsedDays)
      }
    }
    return (fitted, heldOut)
  }

  /// Cards in batches of about `size` predicted reviews.
  private static func batches(_ cards: [[FittingReview]], size: Int, _ random: inout SeededRandom) -> [[Int]] {
    var batches: [[Int]] = []
    var batch: [Int] = []
    var count = 0
    for index in random.shuffled(Array(cards.indices)) {
      batch.append(index)
      count += cards[index].count(where: \.isPredicted)
      if count >= size {
        batches.append(batch)
        (batch, count) = ([], 0)
      }
    }
    if !batch.isEmpty { batches.append(batch) }
    return batches
  }

  private static func minimize(_ data: FittingData, before split: Int64) -> [Double] {
    let total = data.cards.reduce(0) { $0 + $1.count { $0.isPredicted && $0.reviewedAt < split } }
    let size = min(max(total / 8, 64), 512)
    // Few reviews make few steps an epoch; a fit needs some hundred.
    let epochs = min(max(300 * size / max(total, 1), 5), 40)
    var random = SeededRandom(seed: 2023)
    var descent = Descent(steps: epochs * (total / size + 1))
    for _ in 0..<epochs {
      for batch in batches(data.cards, size: size, &random) {
        var gradient = ModelGradient(MemoryModel(FSRSWeights(clipping: descent.weights)))
        var count = 0
        for index in batch {
          gradient.add(data.cards[index], before: split)
          count += data.cards[index].count { $0.isPredicted && $0.reviewedAt < split }
        }
        if count > 0 { descent.step(gradient.w, reviews: count, of: total) }
      }
    }
    return descent.weights
  }
}

/// A learner has too few reviews for weights of their own.
public struct NotEnoughReviews: Error, Sendable, Hashable {
  /// Reviews at least a day after the previous one of the same card.
  public let found: Int
  public let needed: Int
}

/// Mean log losses, natural logarithm; lower is better.
public struct LogLoss: Sendable, Hashable {
  /// On the earlier reviews, which the weights were fitted to.
  public let fitted: Double
  /// On the later reviews, which the fit did not see.
  public let heldOut: Double
}

/// The result of a fit.
public struct FSRSFit: Sendable, Hashable {
  /// The fitted weights if they predict the held-out reviews better than the defaults, otherwise the defaults.
  public let weights: FSRSWeights
  /// Whether ``weights`` are the fitted ones.
  public let isPersonal: Bool
  public let fittedReviews: Int
  public let heldOutReviews: Int
  /// The loss of the default weights.
  public let defaultLoss: LogLoss
  /// The loss of the fitted weights, also when they are not returned.
  public let fittedLoss: LogLoss
}
