public import Contracts
import Synchronization

/// A clock that only a test advances.
public final class ManualTime: Sendable {
  private let current: Mutex<Timestamp>

  public init(_ start: Timestamp = Timestamp(microseconds: 1_767_225_600_000_000)) { current = Mutex(start) }

  public var source: TimeSource { TimeSource(isManual: true) { self.current.withLock { $0 } } }

  /// The same as a monotonic clock.
  public var seconds: @Sendable () -> Double {
    { self.current.withLock { Double($0.microseconds) / 1_000_000 } }
  }

  public func advance(seconds: Double) { current.withLock { $0 = $0.advanced(bySeconds: seconds) } }
}
