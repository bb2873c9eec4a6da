public import Logging
public import Persistence
public import ServiceLifecycle
import Timing

/// Work beside requests that is done in rounds until the process stops.
public protocol Worker: Service {
  /// Names it in logs and tests, such as `mail` or `ledger.expire-holds`.
  var name: String { get }

  /// Does at most one batch of what is due and returns how much there was. `run()` calls it repeatedly.
  func runOnce() async throws -> Int
}

extension Worker {
  /// Repeats a round until the process stops. A failure is logged unless the previous round failed in the same way, and
  /// the next round follows after a jittered delay that doubles up to the interval.
  ///
  /// - Parameters:
  ///   - interval: The pause after a round; no delay after a failure is longer.
  ///   - wakeUp: Ends a pause early.
  ///   - round: Returns whether more is due, so that the next round follows immediately.
  package func repeatRounds(
    every interval: Duration, wokenBy wakeUp: WakeUp = WakeUp(), logger: Logger,
    _ round: @escaping @Sendable () async throws -> Bool
  )
    async
  {
    await cancelWhenGracefulShutdown {
      var failures = RoundFailures(of: name, logger)
      while !Task.isCancelled {
        var pause = interval
        do {
          let isMoreDue = try await round()
          failures.end()
          if isMoreDue { continue }
        } catch {
          if Task.isCancelled { return }
          pause = failures.add(error, interval: interval)
        }
        await wakeUp.wait(atMost: pause)
      }
    }
  }
}

/// The failures of a worker's last rounds, logged once for each kind.
struct RoundFailures {
  private let worker: String
  private let logger: Logger
  private var count = 0
  private var last = ""

  init(of worker: String, _ logger: Logger) { (self.worker, self.logger) = (worker, logger) }

  /// A round has succeeded.
  mutating func end() {
    if count > 0 { logger.info("background work succeeds again", metadata: ["worker": "\(worker)"]) }
    (count, last) = (0, "")
  }

  /// - Returns: The pause before the next round, at most the interval.
  mutating func add(_ error: any Error, interval: Duration) -> Duration {
    if "\(error)" != last {
      logger.warning("background work failed", metadata: ["worker": "\(worker)", "error": "\(error)"])
    }
    (count, last) = (count + 1, "\(error)")
    return .seconds(Backoff(first: 0.2, maxDelay: interval / .seconds(1)).delay(after: count))
  }
}

/// Work that is done at fixed intervals, such as deleting expired rows.
public struct PeriodicTask: Worker {
  /// The processes that do the work.
  public enum Scope: Sendable {
    /// Each process for itself, such as what keeps its memory up to date.
    case process
    /// One process of the service at a time, whatever their number; the host decides which, by a ``Lease``.
    case platform
  }

  public let name: String
  let scope: Scope
  private let interval: Duration
  private let wakeUp: WakeUp
  private let logger: Logger
  /// Returns how much was done, and whether more is due.
  private let body: @Sendable () async throws -> (count: Int, isMoreDue: Bool)
  /// The leadership of a task that is done once per platform, when a process runs it.
  private var leadership: Leadership?

  /// - Parameters:
  ///   - name: For logs, such as `ledger.expire-holds`.
  ///   - scope: Which processes do it.
  ///   - every: The pause between two runs; the first run is at the start.
  ///   - wakeUp: Ends a pause early.
  ///   - body: A failure is logged, and the body soon runs again.
  public init(
    _ name: String, per scope: Scope = .process, every: Duration, wokenBy wakeUp: WakeUp = WakeUp(), logger: Logger,
    _ body: @escaping @Sendable () async throws -> Void
  ) {
    (self.name, self.scope, interval, self.wakeUp, self.logger) = (name, scope, every, wakeUp, logger)
    self.body = {
      try await body()
      return (1, false)
    }
  }

  /// A task that is done in batches.
  ///
  /// - Parameters:
  ///   - size: Of a whole batch, after which the next one follows immediately.
  ///   - body: Does a batch and returns how much it was.
  public init(
    _ name: String, per scope: Scope = .process, every: Duration, inBatchesOf size: Int, logger: Logger,
    _ body: @escaping @Sendable () async throws -> Int
  ) {
    (self.name, self.scope, interval, wakeUp, self.logger) = (name, scope, every, WakeUp(), logger)
    self.body = {
      let count = try await body()
      return (count, count >= size)
    }
  }

  /// The same task, which runs only while the process leads if it is one of the platform.
  func led(by leadership: Leadership) -> PeriodicTask {
    var task = self
    if scope == .platform { task.leadership = leadership }
    return task
  }

  public func run() async throws {
    await repeatRounds(every: interval, wokenBy: wakeUp, logger: logger) {
      guard let leadership else { return try await body().isMoreDue }
      // After the leadership was lost, the work is due when it is regained.
      return try await leadership.perform(body)?.isMoreDue ?? true
    }
  }

  public func runOnce() async throws -> Int { try await body().count }
}
