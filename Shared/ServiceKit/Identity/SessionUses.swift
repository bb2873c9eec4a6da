import Contracts
import Logging
import ServiceLifecycle
import Synchronization

/// When the sessions of this process's callers were last used, for auth, which ends those that are not used: each
/// session is reported at most once a minute.
final class SessionUses: Sendable {
  /// How long after a report the next one of the same session follows, in seconds.
  static let interval = 60.0
  /// Maximum number of sessions that wait for a report or have been reported recently; more are not recorded. They are
  /// reported by another process, or when they are used again.
  static let capacity = 100_000

  private struct State {
    var pending: [SessionID: Timestamp] = [:]
    var reported: [SessionID: Timestamp] = [:]
  }

  private let state = Mutex(State())

  func record(_ session: SessionID, at now: Timestamp) {
    state.withLock { state in
      guard state.pending[session] != nil || state.pending.count < Self.capacity else { return }
      state.pending[session] = now
    }
  }

  /// Sends what is due, in batches; what could not be sent is due again.
  func report(at now: Timestamp, _ send: ([SessionUse]) async throws -> Void) async throws {
    state.withLock { state in
      state.reported = state.reported.filter { now.seconds(since: $0.value) < Self.interval }
    }
    while true {
      let batch = take(at: now)
      if batch.isEmpty { return }
      do { try await send(batch) } catch {
        restore(batch)
        throw error
      }
    }
  }

  /// Everything is due, because the process ends.
  func close() { state.withLock { $0.reported = [:] } }

  private func take(at now: Timestamp) -> [SessionUse] {
    state.withLock { state in
      let room = min(AuthAPI.ReportSessionUses.maxCount, Self.capacity - state.reported.count)
      var batch: [SessionUse] = []
      for (session, usedAt) in state.pending where state.reported[session] == nil {
        guard batch.count < room else { break }
        batch.append(SessionUse(session: session, usedAt: usedAt))
      }
      for use in batch {
        state.pending[use.session] = nil
        state.reported[use.session] = now
      }
      return batch
    }
  }

  private func restore(_ batch: [SessionUse]) {
    state.withLock { state in
      for use in batch {
        state.reported[use.session] = nil
        state.pending[use.session] = max(use.usedAt, state.pending[use.session] ?? use.usedAt)
      }
    }
  }
}

/// Reports the uses of sessions every few seconds, and what is left when the process ends.
struct SessionUseReporter: Worker {
  let name = "sessions.used"
  let uses: SessionUses
  let auth: APIClient
  let time: TimeSource
  let logger: Logger

  func run() async throws {
    await repeatRounds(every: .seconds(5), logger: logger) {
      _ = try await runOnce()
      return false
    }
    uses.close()
    // Uses that are lost with auth make sessions end a minute early at most.
    _ = try? await runOnce()
  }

  func runOnce() async throws -> Int {
    var count = 0
    try await uses.report(at: time.now()) { batch in
      _ = try await auth.send(AuthAPI.ReportSessionUses(uses: batch))
      count += batch.count
    }
    return count
  }
}
