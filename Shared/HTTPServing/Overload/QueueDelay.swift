/// Decides by how long a request has waited for its turn whether it is served: controlled delay (CoDel, RFC 8289) as
/// servers use it (Maurer, "Fail at Scale", ACM Queue 13(8), 2015). A pure value; times are seconds of any monotonic
/// clock.
///
/// A queue that was short at some moment of the last interval is a burst, which may wait for long. One that was not is
/// overload: then only requests that have waited for a shorter time are served, so that those that are served are served
/// soon, and the others are refused at once.
package struct QueueDelay: Sendable {
  private static let interval = 0.1

  /// The longest wait of a burst.
  private let maxWait: Double
  private var intervalEnd = -Double.infinity
  /// The shortest wait in this interval.
  private var shortest = 0.0
  /// Whether the queue was long during the whole last interval.
  private(set) package var isStanding = false

  /// - Parameter maxWait: In seconds; half of it under overload.
  package init(maxWait: Double) { self.maxWait = maxWait }

  /// Notes that a request found the queue empty.
  package mutating func passedEmptyQueue(at now: Double) { note(0, at: now) }

  /// - Parameter waited: How long the request at the head of the queue has waited.
  /// - Returns: Whether it is served.
  package mutating func admits(waited: Double, at now: Double) -> Bool {
    note(waited, at: now)
    return waited <= (isStanding ? maxWait / 2 : maxWait)
  }

  private mutating func note(_ waited: Double, at now: Double) {
    guard now >= intervalEnd else {
      shortest = min(shortest, waited)
      return
    }
    // After an interval without a request, nothing was standing.
    isStanding = now < intervalEnd + Self.interval && shortest > maxWait / 4
    (shortest, intervalEnd) = (waited, now + Self.interval)
  }
}
