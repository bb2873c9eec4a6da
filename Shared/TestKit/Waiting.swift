/// Polls until a condition holds, for effects outside the test's control; throws after a timeout.
public func eventually(
  _ what: String,
  within seconds: Double = 20,
  every interval: Double = 0.02,
  _ condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < end {
    if try await condition() { return }
    try await Task.sleep(for: .seconds(interval))
  }
  throw TestKitError("\(what) did not happen within \(seconds) seconds")
}
