/// The 21 weights of FSRS-6, within their bounds (those of py-fsrs 6.3.2 and fsrs-rs).
public struct FSRSWeights: Sendable, Hashable {
  /// Version of the algorithm that the weights belong to; stored with them.
  public static let algorithmVersion = 6
  public static let count = 21

  /// w0…w20.
  public let values: [Double]

  /// The weights fitted to many people, the default for users without weights of their own.
  public static let `default` = FSRSWeights(unchecked: [
    0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796, 1.4835, 0.0614, 0.2629,
    1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
  ])

  /// The least value of each weight.
  public static let lowerBounds: [Double] = [
    0.001, 0.001, 0.001, 0.001, 1, 0.001, 0.001, 0.001, 0, 0, 0.001, 0.001, 0.001, 0.001, 0, 0, 1, 0, 0, 0, 0.1,
  ]

  /// The greatest value of each weight.
  public static let upperBounds: [Double] = [
    100, 100, 100, 100, 10, 4, 4, 0.75, 4.5, 0.8, 3.5, 5, 0.25, 0.9, 4, 1, 6, 2, 2, 0.8, 0.8,
  ]

  /// - Throws: ``WeightsError`` for another number of weights or a weight out of bounds or not a number.
  public init(_ values: [Double]) throws(WeightsError) {
    guard values.count == Self.count else { throw .count(values.count) }
    for index in values.indices
    where !(values[index] >= Self.lowerBounds[index] && values[index] <= Self.upperBounds[index]) {
      throw .outOfBounds(index: index)
    }
    self.values = values
  }

  /// Converts the weights of an older version, as fsrs-rs does: 17 of FSRS-4.5, 19 of FSRS-5 or 21 of FSRS-6. Values
  /// out of bounds are clipped, because older versions had other bounds.
  ///
  /// - Throws: ``WeightsError`` for another number of weights, or a weight that is not a finite number.
  public init(migrating values: [Double]) throws(WeightsError) {
    if let index = values.firstIndex(where: { !$0.isFinite }) { throw .outOfBounds(index: index) }
    // Before FSRS-6 the forgetting curve had the fixed decay 0.5.
    let decay = 0.5
    switch values.count {
    case 17:
      var converted = values
      converted[4] = values[4] + 2 * values[5]
      // A negative weight, which only a hand-written list has, would leave the logarithm without a value.
      converted[5] = Elementary.log(max(1 + 3 * values[5], 1)) / 3
      converted[6] = values[6] + 0.5
      self.init(clipping: converted + [0, 0, 0, decay])
    case 19: self.init(clipping: values + [0, decay])
    case 21: self.init(clipping: values)
    default: throw .count(values.count)
    }
  }

  /// 21 finite values, moved to the nearest within the bounds.
  init(clipping values: [Double]) {
    self.values = values.indices.map { min(max(values[$0], Self.lowerBounds[$0]), Self.upperBounds[$0]) }
  }

  private init(unchecked values: [Double]) { self.values = values }
}

/// The reason why weights are not accepted.
public enum WeightsError: Error, Sendable, Hashable {
  case count(Int)
  case outOfBounds(index: Int)
}
