import TestKit
import Testing

@testable import StudyModel

struct FittingTests {
  private static func weights(_ changes: [Int: Double]) -> FSRSWeights {
    FSRSWeights(clipping: FSRSWeights.default.values.enumerated().map { changes[$0.offset] ?? $0.element })
  }

  /// Remembers long, and along another forgetting curve.
  private static let strong = weights([0: 1, 1: 3, 2: 9, 3: 30, 8: 2.3, 11: 2.2, 20: 0.3])

  @Test func findsTheMemoryOfAnotherLearner() throws {
    var learner = SimulatedLearner(Self.strong, seed: 1)
    let reviews = try learner.study(cards: 400)
    let fit = try FSRSFitting().fit(reviews)
    #expect(fit.isPersonal)
    #expect(fit.fittedLoss.heldOut < fit.defaultLoss.heldOut - 0.005)
    #expect(fit.fittedLoss.fitted < fit.defaultLoss.fitted)
    #expect(fit.heldOutReviews * 3 < fit.fittedReviews)
    // Nearly as good as the weights that made the data, on data that the fit has not seen.
    let others = try learner.study(cards: 400)
    let personal = try #require(FSRSFitting.logLoss(fit.weights, others))
    let best = try #require(FSRSFitting.logLoss(Self.strong, others))
    let usual = try #require(FSRSFitting.logLoss(.default, others))
    #expect(personal < usual - (usual - best) * 0.7)
  }

  @Test(arguments: 1...6) func neverReturnsWeightsThatPredictTheHeldOutReviewsWorse(seed: UInt64) throws {
    var learner = SimulatedLearner(.default, seed: seed)
    let fit = try FSRSFitting(minimumReviews: 100).fit(try learner.study(cards: 60))
    #expect(fit.isPersonal == (fit.fittedLoss.heldOut < fit.defaultLoss.heldOut))
    if !fit.isPersonal { #expect(fit.weights == .default) }
  }

  @Test func returnsDefaultsForSomeDefaultLearner() throws {
    let kept = try (UInt64(1)...6).filter { seed in
      var learner = SimulatedLearner(.default, seed: seed)
      return try !FSRSFitting(minimumReviews: 100).fit(try learner.study(cards: 60)).isPersonal
    }
    #expect(!kept.isEmpty)
  }

  @Test func orderOfCardsAndReviewsDoesNotMatter() throws {
    var random = SeededGenerator()
    var learner = SimulatedLearner(Self.strong, seed: 3)
    let reviews = try learner.study(cards: 150)
    let shuffled = reviews.shuffled(using: &random).map { $0.shuffled(using: &random) }
    #expect(try FSRSFitting().fit(shuffled) == FSRSFitting().fit(reviews), "\(random)")
  }

  @Test func tooFewReviewsAreRefused() throws {
    var learner = SimulatedLearner(.default, seed: 4)
    let reviews = try learner.study(cards: 20)
    let error = #expect(throws: NotEnoughReviews.self) { try FSRSFitting().fit(reviews) }
    #expect(error?.needed == 400)
    #expect(throws: NotEnoughReviews(found: 0, needed: 400)) { try FSRSFitting().fit([]) }
    #expect(FSRSFitting.logLoss(.default, []) == nil)
  }

  @Test func workIsBounded() throws {
    var learner = SimulatedLearner(.default, seed: 5)
    let fit = try FSRSFitting(minimumReviews: 100, maximumReviews: 600).fit(try learner.study(cards: 300))
    #expect(fit.fittedReviews + fit.heldOutReviews <= 600)
  }

  @Test func sameAnswerToEverythingGivesWeightsWithinBounds() throws {
    for rating in ReviewRating.allCases {
      let reviews = (0..<60).map { card in
        (0..<10).map { CardReview(id: "\(card)-\($0)", reviewedAt: Int64(card + $0 * 5) * day, rating: rating) }
      }
      let fit = try FSRSFitting().fit(reviews)
      #expect(throws: Never.self) { try FSRSWeights(fit.weights.values) }
      #expect(fit.fittedLoss.heldOut.isFinite)
    }
  }

  @Test func derivativesAreThoseOfTheLoss() {
    // Always the same samples: next to a kink (a clamp, the lesser of two stabilities) differences mean nothing.
    var random = FixedGenerator(base: SeededRandom(seed: 1))
    var worst = 0.0
    for _ in 0..<100 {
      let weights = FSRSWeights(
        clipping: FSRSWeights.default.values.map { $0 * .random(in: 0.7...1.3, using: &random) + 0.005 })
      let reviews = (0..<Int.random(in: 2...12, using: &random)).map { index in
        FittingReview(
          rating: .allCases.randomElement(using: &random) ?? .good,
          elapsedDays: index == 0 ? 0 : [0, 1, 2, 5, 30, 200].randomElement(using: &random) ?? 1, reviewedAt: 0)
      }
      func gradient(_ values: [Double]) -> ModelGradient {
        var gradient = ModelGradient(MemoryModel(FSRSWeights(clipping: values)))
        gradient.add(reviews, before: .max)
        return gradient
      }
      let exact = gradient(weights.values).w
      for index in exact.indices {
        let step = 1e-6 * max(1, weights.values[index])
        var (less, more) = (weights.values, weights.values)
        less[index] -= step
        more[index] += step
        guard less[index] > FSRSWeights.lowerBounds[index], more[index] < FSRSWeights.upperBounds[index] else {
          continue
        }
        let difference = (gradient(more).loss - gradient(less).loss) / (2 * step)
        worst = max(worst, abs(difference - exact[index]) / max(1, abs(difference)))
      }
    }
    #expect(worst < 1e-5)
  }
}
