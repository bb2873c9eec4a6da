import Contracts
import Persistence
import ServiceKit

/// Ends sessions, and lists live and revoked ones.
struct LogOut: Feature {
  let core: AuthCore

  /// How far consecutive responses overlap, in seconds: longer than a transaction usually takes to commit. Readers reach
  /// back further from time to time.
  private static let overlap = 10.0
  private static let pageSize = 1000

  init(_ core: AuthCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.LogOut.self) { request, call in
      try await logOut(call.user, scope: request.scope ?? .local, by: call.auditActor)
    }
    routes.on(AuthAPI.ListSessions.self) { _, call in try await list(of: call.user) }
    routes.on(AuthAPI.EndSession.self) { request, call in
      try await end(request.id, of: call.user, by: call.auditActor)
    }
    routes.on(AuthAPI.ListRevokedSessions.self) { request, _ in try await revoked(request) }
  }

  private func logOut(_ user: UserCaller, scope: AuthAPI.LogOut.Scope, by actor: AuditActor) async throws {
    let which: SessionStore.Selection =
      switch scope {
      case .local: .one(user.sessionID)
      case .others: .allBut(user.sessionID)
      case .global: .all
      }
    try await core.database.write { tx in try SessionStore.end(which, of: user.id, .logOut, by: actor, in: tx) }
  }

  func list(of user: UserCaller) async throws -> Page<SessionInfo> {
    let now = core.time.now()
    return Page(
      items: try await core.database.read { db in
        try core.sessions.list(of: user.id, current: user.sessionID, at: now, in: db)
      }
    )
  }

  /// Ends one session of the user; ending it again is not an error.
  func end(_ id: SessionID, of user: UserCaller, by actor: AuditActor) async throws {
    try await core.database.write { tx in
      guard let session = try core.sessions.find(id, in: tx), session.userID == user.id else {
        throw Problem(.sessionNotFound)
      }
      try SessionStore.end(.one(id), of: user.id, .ended, by: actor, in: tx)
    }
  }

  /// Sessions that ended at or after `since`, and where to continue: page by page, however many ended at one moment.
  func revoked(_ request: AuthAPI.ListRevokedSessions) async throws -> RevokedSessions {
    let after = request.cursor.map { SessionStore.EndedCursor(cursor: $0) }
    guard let start = after ?? SessionStore.EndedCursor(revokedAt: request.since, id: "") else {
      throw Problem(.invalidRequest, errors: [.init(location: "query.cursor", message: "is not a cursor of this list")])
    }
    let now = core.time.now()
    return try await core.database.read { db in
      let page = try SessionStore.listRevoked(after: start, limit: Self.pageSize, in: db)
      let isFull = page.items.count == Self.pageSize
      return RevokedSessions(
        items: page.items, next: max(request.since, now.advanced(bySeconds: -Self.overlap)),
        cursor: isFull ? page.last?.cursor : nil)
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let none = SessionID(trusted: "")
    let list = try core.sessions.list(of: user, current: none, at: core.time.now(), in: db)
    return [("sessions", try JSONValue(list))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try SessionStore.delete(of: user, in: tx) }
}
