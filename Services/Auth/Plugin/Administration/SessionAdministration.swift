import Contracts
import Persistence
import ServiceKit

/// The sessions of an account, which support looks at and administrators end.
struct SessionAdministration: Feature {
  let core: AuthCore
  let proof: RecentProof

  init(_ core: AuthCore) { (self.core, proof) = (core, RecentProof(core)) }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.AdminListSessions.self) { request, call in try await list(of: request.id, by: call.auditActor) }
    routes.on(AuthAPI.AdminEndSession.self) { request, call in
      try await end(.one(request.session), of: request.id, for: call.user, by: call.auditActor)
    }
    routes.on(AuthAPI.AdminEndSessions.self) { request, call in
      try await end(.all, of: request.id, for: call.user, by: call.auditActor)
    }
  }

  func list(of user: UserID, by actor: AuditActor) async throws -> Page<AdministeredSession> {
    let (none, now) = (SessionID(trusted: ""), core.time.now())
    return try await core.database.readAudited(by: actor) { db in
      guard try core.accounts.find(user, in: db) != nil else { throw Problem(.userNotFound) }
      let live = try core.sessions.list(of: user, current: none, at: now, in: db)
      return Page(items: live.map { AdministeredSession($0) })
    } as: {
      AuditedRead("sessions.viewed", object: "user:\(user)", viewed: $0.items.map { "session:\($0.id)" })
    }
  }

  /// The entry of each session is kept under the session; one more shows up in what was done to the account.
  private func end(
    _ which: SessionStore.Selection, of user: UserID, for staff: UserCaller, by actor: AuditActor
  ) async throws {
    try await core.database.write { tx in
      try proof.requireOfStaff(staff, in: tx)
      guard let stored = try core.accounts.find(user, in: tx) else { throw Problem(.userNotFound) }
      if case .one(let id) = which {
        guard try core.sessions.find(id, in: tx)?.userID == user else { throw Problem(.sessionNotFound) }
      }
      let count = try SessionStore.end(which, of: user, .ended, by: actor, in: tx)
      guard count > 0 else { return }
      try tx.audit(
        "account.sessions-ended", object: stored.object, by: actor,
        changes: [AuditChange("sessions", from: String(count), to: nil)])
    }
  }
}
