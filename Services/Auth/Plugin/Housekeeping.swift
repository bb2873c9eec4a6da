import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Deletes expired data every hour: tokens, nonces, sessions that ended long ago.
struct Housekeeping: Feature {
  let database: any Database
  let limits: SessionLimits
  let logger: Logger

  /// How long ended sessions are retained for their users' export, in seconds.
  private static let keptSessions = 30 * 86_400.0
  /// Longer than the lifetime of any access token, in seconds.
  private static let keptRevocations = 86_400.0

  init(_ core: AuthCore) { (database, limits, logger) = (core.database, core.sessions.limits, core.logger) }

  var workers: [any Service] {
    [PeriodicTask("auth.purge", every: .seconds(3600), logger: logger) { try await clear() }]
  }

  private func clear() async throws {
    try await database.write { [limits] tx in
      let now = tx.now
      try tx.execute("DELETE FROM used_nonces WHERE expires_at < \(now)")
      try tx.execute("DELETE FROM mailed_tokens WHERE expires_at < \(now)")
      let revocations = now.advanced(bySeconds: -Self.keptRevocations)
      try tx.execute("DELETE FROM revoked_sessions WHERE revoked_at < \(revocations)")
      let unused = now.advanced(bySeconds: -limits.idleSeconds - Self.keptSessions)
      try tx.execute(
        "DELETE FROM devices WHERE session_id IN (SELECT id FROM sessions WHERE rotated_at < \(unused))"
      )
      try tx.execute("DELETE FROM sessions WHERE rotated_at < \(unused)")
    }
  }
}
