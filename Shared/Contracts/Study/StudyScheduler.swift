/// How a user's cards are scheduled: the fields of the synchronized settings, with the defaults of those that are unset.
public struct StudyScheduler: Codable, Sendable, Equatable {
  /// The probability of recall at which a card becomes due; from 0.7 to 0.97.
  public var desiredRetention: Double
  /// Seconds before each repetition of a card that is being learned; at most 20.
  public var learningSteps: [Int64]
  /// Seconds before each repetition of a card that was forgotten; at most 20.
  public var relearningSteps: [Int64]
  /// Days; from 1 to 36500.
  public var maximumInterval: Int64
  /// Whether intervals are varied a little, in the same way on every device.
  public var fuzz: Bool
  /// From 0 to 9999, of all sets together.
  public var newCardsPerDay: Int64
  /// The local hour at which a study day begins.
  public var rolloverHour: Int64
  /// Whether weights are fitted when there are enough new reviews.
  public var fitsWeights: Bool
  public var weights: SchedulerWeights
  /// The last fit; unset before the first.
  public var lastFit: SchedulerFit?

  public init(
    desiredRetention: Double, learningSteps: [Int64], relearningSteps: [Int64], maximumInterval: Int64, fuzz: Bool,
    newCardsPerDay: Int64, rolloverHour: Int64, fitsWeights: Bool, weights: SchedulerWeights,
    lastFit: SchedulerFit? = nil
  ) {
    (self.desiredRetention, self.learningSteps) = (desiredRetention, learningSteps)
    (self.relearningSteps, self.maximumInterval, self.fuzz) = (relearningSteps, maximumInterval, fuzz)
    (self.newCardsPerDay, self.rolloverHour, self.fitsWeights) = (newCardsPerDay, rolloverHour, fitsWeights)
    (self.weights, self.lastFit) = (weights, lastFit)
  }
}

/// The weights of a scheduling algorithm.
public struct SchedulerWeights: Codable, Sendable, Equatable {
  /// `fsrs`.
  public var algorithm: String
  /// 6; others are kept, and the default weights used.
  public var version: Int64
  /// 21 of FSRS-6.
  public var w: [Double]

  public init(algorithm: String, version: Int64, w: [Double]) {
    (self.algorithm, self.version, self.w) = (algorithm, version, w)
  }
}

/// The result of fitting weights to a user's reviews.
public struct SchedulerFit: Codable, Sendable, Equatable {
  public var at: Timestamp
  public var result: SchedulerFitResult
  /// Reviews at least a day after the previous one of the same card: those that the weights predict.
  public var reviews: Int
  /// The later fifth of them, which only judges.
  public var heldOutReviews: Int
  /// Mean log loss of the default weights on the held-out reviews; lower is better. Unset with too few reviews.
  public var defaultLogLoss: Double?
  /// The same of the fitted weights.
  public var fittedLogLoss: Double?

  public init(
    at: Timestamp, result: SchedulerFitResult, reviews: Int, heldOutReviews: Int = 0, defaultLogLoss: Double? = nil,
    fittedLogLoss: Double? = nil
  ) {
    (self.at, self.result, self.reviews, self.heldOutReviews) = (at, result, reviews, heldOutReviews)
    (self.defaultLogLoss, self.fittedLogLoss) = (defaultLogLoss, fittedLogLoss)
  }
}

public enum SchedulerFitResult: String, WireEnum {
  /// The fitted weights are in use.
  case improved
  /// The weights that were in use predict better and stay.
  case unchanged
  case notEnoughReviews
}
