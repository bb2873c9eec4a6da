import Persistence
import Synchronization

/// Runs one task for each key, which concurrent callers share.
final class SingleFlight<Key: Hashable & Sendable>: Sendable {
  private let running = Mutex<[Key: Task<Void, any Error>]>([:])

  /// Waits for the body, or for the one that is running for the key. It continues when callers are canceled.
  func run(_ key: Key, _ body: @escaping @Sendable () async throws -> Void) async throws {
    let task = running.withLock { running in
      if let known = running[key] { return known }
      let task = Task {
        defer { self.running.withLock { $0[key] = nil } }
        try await Workload.shared(body)
      }
      running[key] = task
      return task
    }
    try await task.value
  }
}
