import Contracts
import Logging
import Persistence
import ServiceLifecycle
import Synchronization

/// Reads what is new in the log, once for all streams of the process.
final class EventTail: Service {
  /// How many numbers are read at once.
  private static let page: Int64 = 256

  private let database: any Database
  private let hub: StreamHub
  private let logger: Logger
  private let wakeUps: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init(_ database: any Database, hub: StreamHub, logger: Logger) {
    (self.database, self.hub, self.logger) = (database, hub, logger)
    (wakeUps, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Begins after the latest event; those before it are read by the streams that have missed them.
  func begin() async throws {
    hub.begin(after: try await database.read { try EventLogStore.range(in: $0).last })
  }

  /// Reads soon; several calls may cause one read.
  func wake() { continuation.yield() }

  func run() async throws {
    await cancelWhenGracefulShutdown { [self] in
      var lastFailure = ""
      for await _ in wakeUps {
        do {
          while try await readOnce() {}
          lastFailure = ""
        } catch {
          // The next wake-up, at the latest after a second, tries again.
          if "\(error)" != lastFailure, !Task.isCancelled {
            logger.warning("cannot read new realtime events", metadata: ["error": "\(error)"])
          }
          lastFailure = "\(error)"
        }
      }
    }
  }

  /// - Returns: Whether there is more.
  func readOnce() async throws -> Bool {
    let after = hub.number
    let (events, through, last) = try await database.read { db in
      let last = try EventLogStore.range(in: db).last
      let through = min(last, after + Self.page)
      let events = through > after ? try EventLogStore.list(after: after, through: through, in: db) : []
      return (events, through, last)
    }
    guard through > after else { return false }
    hub.dispatch(events, through: through)
    return last > through
  }
}
