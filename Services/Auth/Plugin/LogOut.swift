import Contracts
import Persistence
import ServiceKit

struct LogOut: Sendable {
  let database: any Database

  /// How far answers reach back behind the present, in seconds: longer than a transaction takes to commit.
  private static let overlap = 10.0
  private static let pageSize = 1000

  func callAsFunction(_ user: UserCaller, scope: AuthAPI.LogOut.Scope) async throws {
    try await database.write { tx in
      let active = try tx.all("SELECT id FROM sessions WHERE user_id = \(user.id) AND revoked_at IS NULL") {
        row -> SessionID in try row[0]
      }
      for session in active {
        switch scope {
        case .local where session != user.sessionID: continue
        case .others where session == user.sessionID: continue
        default: try Sessions.revoke(session, of: user.id, .logOut, in: tx)
        }
      }
    }
  }

  /// Sessions that ended since a moment, and from where to ask next.
  func revoked(since: Timestamp) async throws -> RevokedSessions {
    try await database.write { tx in
      let items = try tx.all(
        """
        SELECT id, revoked_at FROM sessions WHERE revoked_at >= \(since) ORDER BY revoked_at LIMIT \(Self.pageSize)
        """
      ) { row in RevokedSession(id: try row[0], revokedAt: try row[1]) }
      let recent = max(since, tx.now.advanced(bySeconds: -Self.overlap))
      return RevokedSessions(items: items, next: items.count < Self.pageSize ? recent : items.last?.revokedAt ?? recent)
    }
  }
}
