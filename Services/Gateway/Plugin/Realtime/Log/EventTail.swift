import Contracts
import Logging
import Persistence
import ServiceLifecycle

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
    let (range, events, lost) = try await database.read { db in
      let range = try EventLogStore.range(in: db)
      let through = min(range.last, after + Self.page)
      guard through > after else { return (range, [LoggedEvent](), Set<Topic>()) }
      let events = try EventLogStore.list(after: after, through: through, in: db)
      return (range, events, try EventLogStore.trimmed(after: after, in: db))
    }
    let through = min(range.last, after + Self.page)
    guard through > after else { return false }
    // A gateway that was held up for long may find that the log no longer has what it has not read.
    if range.floor > after { hub.resyncAll() } else if !lost.isEmpty { hub.resync(lost) }
    hub.dispatch(events, through: through)
    return range.last > through
  }
}
