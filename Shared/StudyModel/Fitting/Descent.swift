/// Adam (Kingma, Ba 2014) with a falling rate on weights drawn to the defaults.
struct Descent {
  private(set) var weights = FSRSWeights.default.values
  private var first = Array(repeating: 0.0, count: FSRSWeights.count)
  private var second = Array(repeating: 0.0, count: FSRSWeights.count)
  private var taken = 0
  private let steps: Int

  /// Standard deviations of the weights among learners (fsrs-rs, BSD-3-Clause).
  static let deviations: [Double] = [
    6.43, 9.66, 17.58, 27.85, 0.57, 0.28, 0.6, 0.12, 0.39, 0.18, 0.33, 0.3, 0.09, 0.16, 0.57, 0.25, 1.03, 0.31, 0.32,
    0.14, 0.27,
  ]

  /// - Parameter steps: About how many will be taken; the rate falls to zero by then.
  init(steps: Int) { self.steps = max(steps, 1) }

  /// - Parameter gradient: The sum over `reviews` of the `total` reviews.
  mutating func step(_ gradient: [Double], reviews: Int, of total: Int) {
    let progress = Double(min(taken, steps)) / Double(steps)
    taken += 1
    let rate = 0.04 * (1 - progress)
    for index in weights.indices {
      let deviation = Self.deviations[index]
      let pull = (weights[index] - FSRSWeights.default.values[index]) / (deviation * deviation) / Double(total)
      // Initial stabilities differ by orders of magnitude between learners, so they move in proportion to themselves;
      // the other weights in proportion to how much learners differ.
      let scale = index < 4 ? weights[index] : min(2 * deviation, 1)
      let slope = (gradient[index] / Double(reviews) + pull) * scale
      guard slope.isFinite else { continue }
      first[index] = 0.9 * first[index] + 0.1 * slope
      second[index] = 0.999 * second[index] + 0.001 * slope * slope
      let mean = first[index] / (1 - Elementary.pow(0.9, Double(taken)))
      let variance = second[index] / (1 - Elementary.pow(0.999, Double(taken)))
      let moved = weights[index] - rate * scale * mean / (variance.squareRoot() + 1e-8)
      weights[index] = min(max(moved, FSRSWeights.lowerBounds[index]), FSRSWeights.upperBounds[index])
    }
  }
}
