public import Logging
public import ServiceLifecycle

/// Work beside requests that is done in rounds until the process stops.
public protocol Worker: Service {
  /// Names it in logs and tests, such as `mail` or `ledger.expire-holds`.
  var name: String { get }

  /// Does at most one batch of what is due and returns how much there was. `run()` calls it repeatedly.
  func runOnce() async throws -> Int
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
  ///   - body: A failure is logged, and the next run tries again.
  public init(_ name: String, every: Duration, logger: Logger, _ body: @escaping @Sendable () async throws -> Void) {
    (self.name, interval, self.logger, self.body) = (name, every, logger, body)
  }

  public func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do { try await body() } catch is CancellationError { return } catch {
          logger.error("periodic work failed", metadata: ["task": "\(name)", "error": "\(error)"])
        }
        do { try await Task.sleep(for: interval) } catch { return }
      }
    }
  }

  public func runOnce() async throws -> Int {
    try await body()
    return 1
  }
}
