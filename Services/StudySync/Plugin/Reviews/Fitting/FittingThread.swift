import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle
import StudyModel

/// A thread for fits, which take seconds of processor time; one at a time.
struct FittingThread: Service {
  private let queue = BlockingWorkQueue<@Sendable () -> Void>(capacity: 16)

  init() {
    queue.startThread(named: "fit-scheduler") { [queue] in while let job = queue.take() { job() } }
  }

  /// - Parameter current: The weights that are in use.
  /// - Throws: ``DatabaseError`` when the service shuts down.
  func fit(_ histories: [[CardReview]], current: FSRSWeights) async throws -> FitResult {
    try await withCheckedThrowingContinuation { continuation in
      do throws(DatabaseError) {
        try queue.submit { continuation.resume(returning: FitResult(histories, current: current)) }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  /// Stops the thread when the service shuts down.
  func run() async throws {
    try? await gracefulShutdown()
    await queue.close()
  }
}

/// What a fit has found.
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
