import TestKit

@testable import StudyModel

let day: Int64 = 86_400_000
/// 2026-01-01 00:00 UTC.
let newYear: Int64 = 1_767_225_600_000

extension Scheduler {
  /// Without fuzz.
  static func exact(
    learningSteps: [Int64] = defaultLearningSteps, relearningSteps: [Int64] = defaultRelearningSteps
  ) throws -> Scheduler {
    try Scheduler(learningSteps: learningSteps, relearningSteps: relearningSteps, fuzz: false)
  }
}

extension CardReview {
  static func random(_ count: Int, _ random: inout SeededGenerator) -> [CardReview] {
    (0..<count).map { index in
      CardReview(
        id: "r\(index)", reviewedAt: newYear + Int64.random(in: 0...40, using: &random) * day / 2,
        rating: .allCases.randomElement(using: &random) ?? .good)
    }
  }
}

/// The same numbers in every run, for data of which only one sample is judged.
struct FixedGenerator: RandomNumberGenerator {
  var base: SeededRandom
  mutating func next() -> UInt64 { base.next() }
}

/// A learner whose memory follows known weights, scheduled by the defaults.
struct SimulatedLearner {
  let truth: MemoryModel
  private var random: FixedGenerator

  init(_ weights: FSRSWeights, seed: UInt64) {
    truth = MemoryModel(weights)
    random = FixedGenerator(base: SeededRandom(seed: seed))
  }

  /// The reviews of cards that are begun one after the other in 400 days.
  mutating func study(cards: Int) throws -> [[CardReview]] {
    let scheduler = try Scheduler(fuzz: true)
    return (0..<cards).map { card in
      var memory = CardMemory(cardID: "c\(card)")
      var state: MemoryState?
      var time = Int64.random(in: 0..<400, using: &random) * day
      var last = time
      var reviews: [CardReview] = []
      while time < 400 * day {
        let elapsed = Double((time - last) / day)
        let rating = rate(state, elapsed)
        state = state.map { truth.next($0, rating, elapsedDays: elapsed) } ?? truth.initial(rating)
        reviews.append(CardReview(id: "\(card)-\(reviews.count)", reviewedAt: time, rating: rating))
        memory = scheduler.review(memory, rating: rating, at: time)
        last = time
        let due = memory.due ?? time
        time = due + Int64.random(in: 0...(due - time) / 3, using: &random)
      }
      return reviews
    }
  }

  private mutating func rate(_ state: MemoryState?, _ elapsed: Double) -> ReviewRating {
    let first: [ReviewRating] = [.again, .hard, .good, .good, .easy]
    guard let state else { return first.randomElement(using: &random) ?? .good }
    let recall = elapsed < 1 ? 0.9 : truth.retrievability(elapsedDays: elapsed, stability: state.stability)
    guard Double.random(in: 0..<1, using: &random) < recall else { return .again }
    return first.dropFirst().randomElement(using: &random) ?? .good
  }
}
