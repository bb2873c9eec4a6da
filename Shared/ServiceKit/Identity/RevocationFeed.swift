import Contracts
import Logging
import ServiceLifecycle

/// Polls auth every second for revoked sessions, so that their access tokens are rejected before they expire.
struct RevocationFeed: Service {
  let auth: APIClient
  let tokens: TokenVerifier
  let time: TimeSource
  let logger: Logger

  /// Maximum lifetime of an access token, in seconds; how far back the first request reaches.
  static let reach = 3600.0
  static let interval = Duration.seconds(1)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var since = time.now().advanced(bySeconds: -Self.reach)
      var isFailing = false
      while !Task.isCancelled {
        do {
          let answer = try await auth.send(AuthAPI.ListRevokedSessions(since: since))
          tokens.revoke(answer.items, tokenLifetime: Self.reach)
          since = answer.next
          isFailing = false
        } catch {
          if !isFailing, !Task.isCancelled { logger.warning("cannot read revoked sessions from auth") }
          isFailing = true
        }
        do { try await Task.sleep(for: Self.interval) } catch { return }
      }
    }
  }
}
