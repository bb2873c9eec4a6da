import Contracts
import Persistence
import Synchronization

/// The sessions that have ended, as auth lists them, so that their access tokens are refused before they expire.
///
/// Before the first complete read nothing is known: no token is accepted, and the service is not ready. When later reads
/// fail, what is known still holds; only operations that need the scope `administration` then require that auth answers.
final class RevocationFeed: Sendable {
  typealias Fetch = @Sendable (AuthAPI.ListRevokedSessions) async throws -> RevokedSessions

  private struct State {
    var revoked: [SessionID: Timestamp] = [:]
    var since: Timestamp
    var readAt: Timestamp?
    /// When a read last reached back for what was committed late.
    var reachedBackAt: Timestamp
    /// When what no longer matters was last sought among the revoked.
    var clearedAt: Timestamp?
    var reading: Task<Void, any Error>?
  }

  /// How old the last complete read may be before administration is refused, in seconds.
  static let freshness = 60.0
  /// How far back the first read reaches, in seconds: the longest life of an access token, and what clocks may differ.
  private static let reach = TokenVerifier.maxLifetime + 300
  /// A session is listed at the time of its transaction, and seen when that commits: a statement may take 10 seconds, and
  /// a transaction may wait 60 between two of them (docs/postgresql.md).
  private static let lateness = 90.0
  /// The pause between two reads that reach back so far, in seconds.
  private static let reachingBack = 30.0
  /// The pause between two passes through all that are known, in seconds.
  private static let clearing = 60.0

  private let time: TimeSource
  private let fetch: Fetch
  private let state: Mutex<State>

  init(time: TimeSource, fetch: @escaping Fetch) {
    (self.time, self.fetch) = (time, fetch)
    let now = time.now()
    state = Mutex(State(since: now.advanced(bySeconds: -Self.reach), reachedBackAt: now))
  }

  func contains(_ session: SessionID) -> Bool { state.withLock { $0.revoked[session] != nil } }

  // MARK: reading

  /// Reads every page of what has ended since the last read; one read at a time, which all callers await.
  func read() async throws {
    let task = state.withLock { state in
      if let running = state.reading { return running }
      let task = Task { try await Workload.shared { try await self.readPages() } }
      state.reading = task
      return task
    }
    try await task.value
  }

  private func readPages() async throws {
    defer { state.withLock { $0.reading = nil } }
    let begunAt = time.now()
    let (since, reachesBack) = state.withLock { state in
      let pause = begunAt.seconds(since: state.reachedBackAt)
      guard pause >= Self.reachingBack || pause < 0 else { return (state.since, false) }
      return (state.since.advanced(bySeconds: -Self.lateness), true)
    }
    var cursor: String?
    var next = since
    repeat {
      let page = try await fetch(AuthAPI.ListRevokedSessions(since: since, cursor: cursor))
      state.withLock { state in
        for session in page.items { state.revoked[session.id] = session.revokedAt }
      }
      (cursor, next) = (page.cursor, page.next)
    } while cursor != nil
    let forgotten = begunAt.advanced(bySeconds: -Self.reach)
    state.withLock { state in
      (state.since, state.readAt) = (next, begunAt)
      if reachesBack { state.reachedBackAt = begunAt }
      let isDue = state.clearedAt.map { begunAt.seconds(since: $0) >= Self.clearing } ?? true
      guard isDue, state.revoked.count > 1000 else { return }
      state.revoked = state.revoked.filter { $0.value > forgotten }
      state.clearedAt = begunAt
    }
  }

  // MARK: how old

  /// Seconds since the last complete read; `nil` before the first.
  var age: Double? { state.withLock { $0.readAt }.map { max(0, time.now().seconds(since: $0)) } }

  private var isStale: Bool { age.map { $0 > Self.freshness } ?? true }

  /// - Throws: ``Problem`` 503 when there has been no complete read and auth does not answer now.
  func requireFirstRead() async throws {
    guard age == nil else { return }
    do { try await read() } catch {
      throw Problem(.unavailable, detail: "The ended sessions are not known yet.", retryAfter: 1)
    }
  }

  /// - Throws: ``Problem`` 503 when the last complete read is too old and auth does not answer now.
  func requireFresh() async throws {
    guard isStale else { return }
    do { try await read() } catch { throw Problem(.sessionsUnconfirmed, retryAfter: 5) }
  }

  /// The warning that ``Health`` reports when administration is refused.
  var warning: String? {
    guard isStale, let age else { return nil }
    return "auth has not answered for \(Int(age)) seconds: administration is refused"
  }
}

extension Operation.Access {
  /// Whether callers need the scope `administration`, with which an ended session could do most harm.
  var isAdministrative: Bool { if case .roles = self { true } else { false } }
}
