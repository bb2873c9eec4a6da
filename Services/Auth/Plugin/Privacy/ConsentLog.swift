import Contracts
import Persistence
import ServiceKit

/// Append-only log of users' consent decisions.
struct ConsentLog: Feature {
  let database: any Database
  let ids: IDGenerator

  init(_ core: AuthCore) { (database, ids) = (core.database, core.ids) }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.GetConsents.self) { _, call in try await get(call.user.id) }
    routes.on(AuthAPI.PutConsents.self) { request, call in
      try await decide(call.user.id, request.decisions, by: call.auditActor)
    }
  }

  static func find(_ user: UserID, in db: any Connection) throws -> Consents {
    let history = try db.all(
      """
      SELECT purpose, text_version, is_given, decided_at FROM consents WHERE user_id = \(user) ORDER BY id LIMIT 1000
      """
    ) { row in
      Consent(
        purpose: try row["purpose"],
        textVersion: try row["text_version"],
        isGiven: try row["is_given"],
        decidedAt: try row["decided_at"]
      )
    }
    let latest = Dictionary(history.map { ($0.purpose, $0) }) { $1 }
    return Consents(current: ConsentPurpose.allCases.compactMap { latest[$0] }, history: history)
  }

  func get(_ user: UserID) async throws -> Consents { try await database.read { db in try Self.find(user, in: db) } }

  func decide(_ user: UserID, _ decisions: [AuthAPI.PutConsents.Decision], by actor: AuditActor) async throws
    -> Consents
  {
    try await database.write { [ids] tx in
      let known = try Self.find(user, in: tx).current
      for decision in decisions {
        // A repeated decision adds no entry.
        let isKnown = known.contains {
          $0.purpose == decision.purpose && $0.textVersion == decision.textVersion && $0.isGiven == decision.isGiven
        }
        if isKnown { continue }
        try tx.execute(
          """
          INSERT INTO consents (id, user_id, purpose, text_version, is_given, decided_at)
          VALUES (\(ids.text()), \(user), \(decision.purpose), \(decision.textVersion),
                  \(decision.isGiven), \(tx.now))
          """
        )
        try tx.audit(
          "consent.decided",
          object: "user:\(user)",
          by: actor,
          changes: [AuditChange(decision.purpose.rawValue, from: nil, to: decision.isGiven ? "given" : "refused")]
        )
      }
      return try Self.find(user, in: tx)
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("consents", try JSONValue(Self.find(user, in: db)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    try tx.execute("DELETE FROM consents WHERE user_id = \(user)")
  }
}
