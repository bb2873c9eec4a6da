import Contracts
import Persistence
import ServiceKit

/// Append-only log of users' consent decisions.
struct ConsentLog: Feature {
  let database: any Database
  let store: ConsentStore

  init(_ core: AuthCore) { (database, store) = (core.database, ConsentStore(ids: core.ids)) }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.GetConsents.self) { _, call in try await get(call.user.id) }
    routes.on(AuthAPI.PutConsents.self) { request, call in
      try await decide(call.user.id, request.decisions, by: call.auditActor)
    }
  }

  func get(_ user: UserID) async throws -> Consents {
    try await database.read { [store] db in try store.find(user, in: db) }
  }

  func decide(_ user: UserID, _ decisions: [AuthAPI.PutConsents.Decision], by actor: AuditActor) async throws
    -> Consents
  {
    try await database.write { [store] tx in
      let known = try store.find(user, in: tx).current
      for decision in decisions {
        // A repeated decision adds no entry.
        let isKnown = known.contains {
          $0.purpose == decision.purpose && $0.textVersion == decision.textVersion && $0.isGiven == decision.isGiven
        }
        if isKnown { continue }
        let consent = Consent(
          purpose: decision.purpose, textVersion: decision.textVersion, isGiven: decision.isGiven, decidedAt: tx.now)
        try store.insert(consent, of: user, in: tx)
        try tx.audit(
          "consent.decided",
          object: "user:\(user)",
          by: actor,
          changes: [AuditChange(decision.purpose.rawValue, from: nil, to: decision.isGiven ? "given" : "refused")]
        )
      }
      return try store.find(user, in: tx)
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("consents", try JSONValue(store.find(user, in: db)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try store.delete(of: user, in: tx) }
}
