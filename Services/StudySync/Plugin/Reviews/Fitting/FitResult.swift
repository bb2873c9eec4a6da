import Contracts
import StudyModel

/// The result of a fit.
struct FitResult: Sendable {
  /// Weights that take the place of the current ones.
  let weights: FSRSWeights?
  private let fit: FSRSFit?
  private let found: Int

  init(_ histories: [[CardReview]], current: FSRSWeights) {
    do {
      let fit = try FSRSFitting().fit(histories)
      (self.fit, found) = (fit, fit.fittedReviews + fit.heldOutReviews)
      weights = Self.isBetter(fit.weights, than: current, histories) ? fit.weights : nil
    } catch {
      (weights, fit, found) = (nil, nil, error.found)
    }
  }

  /// The weights in use may be an earlier fit, or the user's choice: only better ones replace them.
  private static func isBetter(_ weights: FSRSWeights, than current: FSRSWeights, _ histories: [[CardReview]]) -> Bool {
    guard weights != current, let new = FSRSFitting.logLoss(weights, histories),
      let old = FSRSFitting.logLoss(current, histories)
    else { return false }
    return new < old
  }

  func report(at time: Timestamp) -> SchedulerFit {
    guard let fit else { return SchedulerFit(at: time, result: .notEnoughReviews, reviews: found) }
    return SchedulerFit(
      at: time, result: weights == nil ? .unchanged : .improved, reviews: found, heldOutReviews: fit.heldOutReviews,
      defaultLogLoss: fit.defaultLoss.heldOut, fittedLogLoss: fit.fittedLoss.heldOut)
  }
}
