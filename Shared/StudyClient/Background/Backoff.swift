/// How long to wait after failures: twice as long each time, with jitter, so that devices do not return all at once.
struct Backoff: Sendable {
  var first = 1.0
  var maxDelay = 300.0

  /// - Parameters:
  ///   - failures: How many there were in a row, from 1.
  ///   - random: From 0 to 1.
  ///   - least: Seconds that the server has asked for.
  /// - Returns: Seconds: between half of the step and the whole, beyond the least.
  func delay(after failures: Int, random: Double, atLeast least: Double = 0) -> Double {
    var step = first
    for _ in 1..<max(failures, 1) where step < maxDelay { step *= 2 }
    return least + min(step, maxDelay) * (0.5 + random / 2)
  }
}
