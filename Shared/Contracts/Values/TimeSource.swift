import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The source of the current time; injected wherever the time is needed, so that tests can control it.
public struct TimeSource: Sendable {
  /// Returns the current time.
  public let now: @Sendable () -> Timestamp
  /// Whether this is the clock of one machine, from which those of others may differ.
  public let isLocal: Bool
  /// Whether it moves only when a test moves it, so that a database's own clock says nothing, and no one can sleep until
  /// a moment of it.
  public let isManual: Bool

  public init(isLocal: Bool = false, isManual: Bool = false, now: @escaping @Sendable () -> Timestamp) {
    (self.isLocal, self.isManual, self.now) = (isLocal, isManual, now)
  }

  /// The system's clock.
  public static let system = TimeSource(isLocal: true) {
    Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
  }
}

/// Generates increasing ids: the ids of one generator sort in order of creation, even within one millisecond.
///
/// The 12 bits after the version are a counter within the millisecond (RFC 9562 §6.2, method 1); when the counter
/// overflows, the timestamp advances to the next millisecond.
public final class IDGenerator: Sendable {
  private struct Last {
    var milliseconds: Int64 = 0
    var counter: UInt64 = 0
  }

  private let time: TimeSource
  private let last = Mutex(Last())

  public init(time: TimeSource = .system) { self.time = time }

  /// Creates an id for the given subject.
  public func make<Subject>(_ type: ID<Subject>.Type = ID<Subject>.self) -> ID<Subject> { ID(trusted: text()) }

  /// Creates an id as text that sorts after a given one, which another machine may have created by a clock that is ahead
  /// (as Lamport's clocks do). For rows of which the last one counts: read the last id in the transaction that inserts.
  public func text(after id: String?) -> String {
    if let id, let known = Self.parts(of: id) {
      last.withLock { last in
        if (known.milliseconds, known.counter) > (last.milliseconds, last.counter) { last = known }
      }
    }
    return text()
  }

  /// The time and the counter of an id of any generator.
  private static func parts(of id: String) -> Last? {
    let digits = id.filter { $0 != "-" }
    guard digits.count == 32, let milliseconds = Int64(digits.prefix(12), radix: 16),
      let counter = UInt64(digits.dropFirst(13).prefix(3), radix: 16)
    else { return nil }
    return Last(milliseconds: milliseconds, counter: counter)
  }

  /// Creates an id as text.
  public func text() -> String {
    let now = time.now().microseconds / 1000
    let (milliseconds, counter) = last.withLock { last in
      if now > last.milliseconds {
        last = Last(milliseconds: now, counter: UInt64.random(in: 0..<1024))
      } else if last.counter < 4095 {
        last.counter += 1
      } else {
        last = Last(milliseconds: last.milliseconds + 1, counter: 0)
      }
      return (last.milliseconds, last.counter)
    }
    return UUIDv7.text(at: Timestamp(microseconds: milliseconds * 1000), high: counter, low: .random(in: 0 ... .max))
  }
}
