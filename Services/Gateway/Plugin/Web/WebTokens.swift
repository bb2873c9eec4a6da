import Contracts
import Persistence
import ServiceKit
import Synchronization

/// The access tokens of browsers' sessions. They are in memory only: whatever gateway a request arrives at gets one from
/// auth with the cookie's refresh token, once for all requests that wait for it.
final class WebTokens: Sendable {
  /// The claims of an access token. Its signature is checked where it is used.
  struct Claims: Decodable {
    var sid: SessionID
    var aud: ClientApp
    /// In seconds.
    var iat: Int64
    var exp: Int64

    init?(_ token: String) {
      let parts = token.split(separator: ".", omittingEmptySubsequences: false)
      guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
        let claims = try? WireJSON.decode(Self.self, from: payload)
      else { return nil }
      self = claims
    }

    /// Before it expires, but not at every request when tokens are short-lived.
    var renewAt: Int64 { exp - min(30, (exp - iat) / 4) }
  }

  private struct Known {
    var token: String
    var claims: Claims
  }

  private struct State {
    var known: [SessionID: Known] = [:]
    var running: [SessionID: Task<String, any Error>] = [:]
    /// Sessions that auth has refused, so that it is not asked again.
    var ended: Set<SessionID> = []
  }

  private static let capacity = 100_000
  /// How often auth is asked about one session: each time is a write there, and happens before the request is charged to
  /// its user. A browser needs a few in an hour.
  private static let rate = RateLimit(20, per: 60, pause: .untilOneIsForgotten)

  private let auth: APIClient
  private let verifier: TokenVerifier
  private let time: TimeSource
  private let state = Mutex(State())
  private let asked = LocalBuckets()

  init(auth: APIClient, verifier: TokenVerifier, time: TimeSource) {
    (self.auth, self.verifier, self.time) = (auth, verifier, time)
  }

  /// An access token of a session.
  ///
  /// - Throws: ``Problem`` 401 when the session has ended, 503 when auth cannot be asked, 429 when it was too often.
  func token(of session: WebSession) async throws(Problem) -> String {
    let known = state.withLock { usable(for: session, in: $0) }
    if let known {
      // Its session may have ended, and its key may have been retired: only auth knows which.
      do {
        _ = try await verifier.verify(known[...])
        return known
      } catch let problem as Problem where problem.status != 401 {
        throw problem
      } catch {}
    }
    return try await ask(session, insteadOf: .token(known))
  }

  /// A token with the roles and rights of now: one that is on its way may have those of before.
  func renew(_ session: WebSession) async throws(Problem) -> String {
    if let running = state.withLock({ $0.running[session.session] }) { _ = await running.result }
    return try await ask(session, insteadOf: .anyToken)
  }

  /// The refusals that callers of ``ask(_:insteadOf:)`` do not need to distinguish.
  private enum Refused {
    case anyToken
    case token(String?)
  }

  private func usable(for session: WebSession, in state: State) -> String? {
    guard let known = state.known[session.session], known.claims.iat >= session.issuedAt,
      known.claims.renewAt > time.now().unixSeconds
    else { return nil }
    return known.token
  }

  /// - Throws: ``Problem`` 401, 429 or 503.
  private func ask(_ session: WebSession, insteadOf refused: Refused) async throws(Problem) -> String {
    if state.withLock({ $0.ended.contains(session.session) }) { throw Problem(.sessionRevoked) }
    do {
      return try await answer(for: session, insteadOf: refused).value
    } catch let problem as Problem {
      throw problem
    } catch CallError.problem(let problem) where problem.is(.refreshTokenInvalid) || problem.is(.refreshTokenReused) {
      state.withLock { state in
        state.known[session.session] = nil
        if state.ended.count >= Self.capacity { state.ended = [] }
        state.ended.insert(session.session)
      }
      throw Problem(.sessionRevoked)
    } catch {
      throw Problem(.unavailable, retryAfter: 1)
    }
  }

  /// The running request for a session, or a new one.
  private func answer(for session: WebSession, insteadOf refused: Refused) throws -> Task<String, any Error> {
    try state.withLock { state in
      if let running = state.running[session.session] { return running }
      // The request that ran when the caller looked may have ended since.
      if case .token(let refused) = refused, let known = usable(for: session, in: state), known != refused {
        return Task { known }
      }
      try asked.require(session.session.rawValue, Self.rate, at: time.now())
      let task = Task { [self] in
        defer { finished(session.session) }
        let answer = try await Workload.shared {
          try await auth.send(AuthAPI.RenewSession(refreshToken: session.refreshToken))
        }
        keep(answer.accessToken)
        return answer.accessToken
      }
      state.running[session.session] = task
      return task
    }
  }

  private func finished(_ session: SessionID) { state.withLock { $0.running[session] = nil } }

  /// Keeps a token that auth has granted.
  ///
  /// - Returns: Its claims.
  @discardableResult
  func keep(_ token: String) -> Claims? {
    guard let claims = Claims(token) else { return nil }
    state.withLock { state in
      if state.known.count >= Self.capacity {
        let now = time.now().unixSeconds
        state.known = state.known.filter { $0.value.claims.exp > now }
        if state.known.count >= Self.capacity { state.known = [:] }
      }
      state.known[claims.sid] = Known(token: token, claims: claims)
    }
    return claims
  }

  func forget(_ session: SessionID) { state.withLock { $0.known[session] = nil } }
}
