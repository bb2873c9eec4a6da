public import Contracts

/// A limit on how often one caller may do something: a number of attempts, which are forgotten evenly over a period, and
/// a pause for callers who have used them up. A pure value, to which its users pass the time and the state that they
/// keep: the gateway in memory or Redis, services in their database (``StoredLimit``).
public struct RateLimit: Sendable, Equatable {
  /// How long a caller waits who has used up the attempts.
  public enum Pause: Sendable {
    /// Until one attempt is forgotten, as with a token bucket: for traffic, which may continue at the rate.
    case untilOneIsForgotten
    /// Until all attempts are forgotten: for actions that are rare in normal use, such as contact messages.
    case untilAllAreForgotten
    /// For 1, 2, 4, … seconds after each further attempt, at most for a quarter of an hour: for guessing. Another pause
    /// would either allow more guesses, or lock out the owner of an account for long when someone else guesses.
    case doubling
  }

  /// The stored state of one caller.
  public struct State: Sendable, Equatable {
    /// When all attempts are forgotten; the time until then is proportional to their number.
    public var emptyAt: Timestamp
    /// When the next attempt is allowed; long ago when it is allowed at once, also to who has read the clock a moment before
    /// the last attempt did.
    public var blockedUntil: Timestamp

    /// Whether it is equivalent to no state.
    public func isForgotten(at now: Timestamp) -> Bool { emptyAt <= now && blockedUntil <= now }
  }

  /// The result of an attempt.
  public struct Verdict: Sendable, Equatable {
    public var isAllowed: Bool
    /// Attempts that are still allowed immediately.
    public var remaining: Int
    /// Seconds until the next attempt is allowed, when this one is not; otherwise until all attempts are forgotten.
    public var seconds: Int
  }

  /// Attempts that may follow each other immediately.
  public let count: Int
  /// Seconds in which as many attempts are forgotten.
  public let seconds: Int
  /// The pause of callers who have used up the attempts.
  public let pause: Pause

  /// The longest doubled pause in microseconds, and the attempts beyond `count` that lead to it.
  private static let maxPause: Int64 = 900 * 1_000_000
  private static let attemptsToMaxPause: Int64 = 10

  /// - Parameters:
  ///   - count: 0 for no limit; ``take(_:at:)`` must then not be called.
  ///   - seconds: At least 1, and at least a millionth of `count`.
  public init(_ count: Int, per seconds: Int, pause: Pause) {
    (self.count, self.seconds, self.pause) = (count, seconds, pause)
  }

  /// Whether everything is allowed.
  public var isUnlimited: Bool { count == 0 }

  /// The same with several times as many attempts, as far as there can be so many.
  public func multiplied(by factor: Int) -> RateLimit {
    let (product, overflows) = count.multipliedReportingOverflow(by: factor)
    return RateLimit(min(overflows ? .max : product, seconds * 1_000_000), per: seconds, pause: pause)
  }

  /// Microseconds after which one attempt is forgotten.
  public var interval: Int64 { Int64(seconds) * 1_000_000 / Int64(count) }

  /// Counts an attempt, unless it must wait.
  public func take(_ state: inout State?, at now: Timestamp) -> Verdict {
    let period = interval * Int64(count)
    let (maxMemory, maxWait) =
      pause == .doubling ? (period + interval * Self.attemptsToMaxPause, Self.maxPause) : (period, period)
    if let blockedUntil = state?.blockedUntil, blockedUntil > now {
      // Bounded, in case the clock was set back.
      let wait = min(blockedUntil.microseconds - now.microseconds, maxWait)
      state?.blockedUntil = now.advanced(byMicroseconds: wait)
      return Verdict(isAllowed: false, remaining: 0, seconds: Int(wait.dividedUp(by: 1_000_000)))
    }
    let remembered = state.map { max(0, $0.emptyAt.microseconds - now.microseconds) } ?? 0
    let used = min(remembered + interval, maxMemory)
    state = self.state(used: used, at: now)
    return Verdict(
      isAllowed: true,
      remaining: max(0, count - Int(used.dividedUp(by: interval))),
      seconds: Int(used.dividedUp(by: 1_000_000))
    )
  }

  /// The state right after an attempt, or of attempts that were read from elsewhere.
  ///
  /// - Parameter used: Microseconds until all attempts are forgotten.
  public func state(used: Int64, at now: Timestamp) -> State {
    let excess = used + interval * Int64(1 - count)
    let wait: Int64
    switch pause {
    case .untilOneIsForgotten: wait = max(0, excess)
    case .untilAllAreForgotten: wait = excess > 0 ? used : 0
    case .doubling:
      let further = Int(used.dividedUp(by: interval)) - count
      wait = further < 0 ? 0 : min(Self.maxPause, 1_000_000 << further)
    }
    return State(
      emptyAt: now.advanced(byMicroseconds: used),
      blockedUntil: wait > 0 ? now.advanced(byMicroseconds: wait) : Timestamp(microseconds: 0))
  }
}

/// `count/seconds`, as in settings.
extension RateLimit: LosslessStringConvertible {
  /// A limit of traffic; `nil` when the text is not `count/seconds`.
  public init?(_ description: String) {
    let parts = description.split(separator: "/").map { Int($0) }
    guard parts.count == 2, let count = parts[0], let seconds = parts[1], (0...1_000_000).contains(count),
      (1...86_400).contains(seconds)
    else { return nil }
    self.init(count, per: seconds, pause: .untilOneIsForgotten)
  }

  public var description: String { "\(count)/\(seconds)" }
}

extension Timestamp {
  fileprivate func advanced(byMicroseconds offset: Int64) -> Timestamp {
    Timestamp(microseconds: microseconds + offset)
  }
}

extension Int64 {
  /// The quotient of numbers that are not negative, rounded up.
  fileprivate func dividedUp(by divisor: Int64) -> Int64 { (self + divisor - 1) / divisor }
}
