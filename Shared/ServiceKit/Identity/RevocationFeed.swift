import Contracts
import Synchronization

/// Polls auth for revoked sessions, so that their access tokens are rejected before they expire.
final class RevocationFeed: Sendable {
  private let auth: APIClient
  private let tokens: TokenVerifier
  private let since: Mutex<Timestamp>

  /// Maximum lifetime of an access token, in seconds; how far back the first request reaches.
  private static let reach = 3600.0

  init(auth: APIClient, tokens: TokenVerifier, time: TimeSource) {
    (self.auth, self.tokens) = (auth, tokens)
    since = Mutex(time.now().advanced(bySeconds: -Self.reach))
  }

  func poll() async throws {
    let answer = try await auth.send(AuthAPI.ListRevokedSessions(since: since.withLock { $0 }))
    tokens.revoke(answer.items, tokenLifetime: Self.reach)
    since.withLock { $0 = answer.next }
  }
}
