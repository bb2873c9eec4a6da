public import Logging
public import ServiceLifecycle

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
  ///   - round: Returns whether more is due, so that the next round follows immediately.
  package func repeatRounds(
    every interval: Duration, logger: Logger, _ round: @escaping @Sendable () async throws -> Bool
  )
    async
  {
    await cancelWhenGracefulShutdown {
      var (failures, lastFailure) = (0, "")
      while !Task.isCancelled {
        var pause = interval
        do {
          let isMoreDue = try await round()
          if failures > 0 { logger.info("background work succeeds again", metadata: ["worker": "\(name)"]) }
          (failures, lastFailure) = (0, "")
          if isMoreDue { continue }
        } catch {
          if Task.isCancelled { return }
          if "\(error)" != lastFailure {
            logger.warning("background work failed", metadata: ["worker": "\(name)", "error": "\(error)"])
          }
          (failures, lastFailure) = (failures + 1, "\(error)")
          pause = min(interval, .seconds(0.1 * Double(1 << min(failures, 20)) * .random(in: 0.5...1)))
        }
        do { try await Task.sleep(for: pause) } catch { return }
      }
    }
  }
}

/// Work that is done at fixed intervals, such as deleting expired rows.
public struct PeriodicTask: Worker {
  public let name: String
  private let interval: Duration
  private let logger: Logger
  private let body: @Sendable () async throws -> Void

  /// - Parameters:
  ///   - name: For logs, such as `ledger.expire-holds`.
  ///   - every: The pause between two runs; the first run is at the start.
  ///   - body: A failure is logged, and the body soon runs again.
  public init(_ name: String, every: Duration, logger: Logger, _ body: @escaping @Sendable () async throws -> Void) {
    (self.name, interval, self.logger, self.body) = (name, every, logger, body)
  }

  public func run() async throws {
    await repeatRounds(every: interval, logger: logger) {
      try await body()
      return false
    }
  }

  public func runOnce() async throws -> Int {
    try await body()
    return 1
  }
}
