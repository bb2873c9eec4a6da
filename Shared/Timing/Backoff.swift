/// How long to wait after failures: twice as long after each, up to a limit, and at random, so that those who have failed
/// together do not return together.
public struct Backoff: Sendable, Equatable {
  /// Seconds after the first failure.
  public var first: Double
  /// In seconds.
  public var maxDelay: Double
  /// The part of a step that is waited for.
  public var jitter: ClosedRange<Double>

  public init(first: Double, maxDelay: Double = .infinity, jitter: ClosedRange<Double> = 0.5...1) {
    (self.first, self.maxDelay, self.jitter) = (first, maxDelay, jitter)
  }

  /// The longest wait, in seconds.
  ///
  /// - Parameter failures: How many there were in a row, from 1.
  public func step(after failures: Int) -> Double {
    min(maxDelay, first * Double(UInt64(1) << UInt64(min(max(failures, 1) - 1, 62))))
  }

  /// How long to wait, in seconds.
  ///
  /// - Parameters:
  ///   - failures: How many there were in a row, from 1.
  ///   - random: From 0 to 1; fixed in tests.
  public func delay(after failures: Int, random: Double = .random(in: 0...1)) -> Double {
    step(after: failures) * (jitter.lowerBound + (jitter.upperBound - jitter.lowerBound) * random)
  }
}
