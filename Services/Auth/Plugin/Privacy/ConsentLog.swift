import Contracts
import Persistence
import ServiceKit

/// Append-only log of users' consent decisions. A consent that is withdrawn loses its effect in the same transaction, and
/// services that hold data by it are notified (``ConsentChanged``).
struct ConsentLog: Feature {
  let core: AuthCore
  let store: ConsentStore
  let rules: ConsentRules

  /// Far more than a person decides. What is withdrawn is not limited, but only what was given can be withdrawn.
  private static let entries = RateLimit(50, per: 86_400, pause: .untilOneIsForgotten)

  init(_ core: AuthCore) throws {
    self.core = core
    store = ConsentStore(ids: core.ids)
    rules = try ConsentRules(core.settings)
  }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.GetConsents.self) { _, call in try await get(call.user.id) }
    routes.on(AuthAPI.PutConsents.self) { request, call in
      try await decide(call.user.id, request.decisions, by: call.auditActor)
    }
    routes.on(AuthAPI.ListConsentPurposes.self) { _, _ in
      Page(
        items: ConsentPurpose.allCases.map { purpose in
          ConsentPurposeText(
            purpose: purpose, textVersion: rules.versions[purpose], isNeededFor: ConsentRules.isNeededFor(purpose))
        })
    }
    routes.on(AuthAPI.CheckConsent.self) { request, _ in
      try await core.database.read { db in
        ConsentCheckResult(isGiven: try rules.isGiven(request.purpose, by: request.user, in: db))
      }
    }
  }

  func get(_ user: UserID) async throws -> Consents {
    try await core.database.read { db in try store.find(user, in: db) }
  }

  func decide(_ user: UserID, _ decisions: [AuthAPI.PutConsents.Decision], by actor: AuditActor) async throws
    -> Consents
  {
    try Self.requireOneForEachPurpose(decisions)
    return try await core.database.write { tx in
      for (index, decision) in decisions.enumerated() {
        let version = rules.versions[decision.purpose]
        guard !decision.isGiven || version == nil || version == decision.textVersion else {
          throw Problem(
            .invalidRequest,
            errors: [
              .init(location: "body.decisions.\(index).textVersion", message: "is not the version that is in force")
            ])
        }
        // A repeated decision adds no entry.
        let known = try ConsentStore.latest(decision.purpose, of: user, in: tx)
        if let known, known.textVersion == decision.textVersion, known.isGiven == decision.isGiven { continue }
        if decision.isGiven || known?.isGiven != true {
          try StoredLimit(Self.entries, of: user.rawValue, for: "consents", core.dataKeys).require(in: tx)
        }
        // Later than the one that it replaces, which an instance with a fast clock may have stored.
        let earliest = known.map { Timestamp(microseconds: $0.decidedAt.microseconds + 1) }
        let consent = Consent(
          purpose: decision.purpose, textVersion: decision.textVersion, isGiven: decision.isGiven,
          decidedAt: max(tx.now, earliest ?? tx.now))
        let wasGiven = try rules.isGiven(decision.purpose, by: user, in: tx)
        try store.insert(consent, of: user, in: tx)
        // A refusal also deletes what was stored by an older text.
        if !wasGiven || !decision.isGiven { try takeEffect(consent, of: user, by: actor, in: tx) }
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

  /// The effective one of two decisions about one purpose would be undefined.
  private static func requireOneForEachPurpose(_ decisions: [AuthAPI.PutConsents.Decision]) throws {
    var purposes: Set<ConsentPurpose> = []
    for (index, decision) in decisions.enumerated() where !purposes.insert(decision.purpose).inserted {
      throw Problem(
        .invalidRequest,
        errors: [.init(location: "body.decisions.\(index).purpose", message: "is in the list before")])
    }
  }

  private func takeEffect(_ consent: Consent, of user: UserID, by actor: AuditActor, in tx: Transaction) throws {
    try tx.record(ConsentChanged(userID: user, purpose: consent.purpose, isGiven: consent.isGiven))
    let data: JSONValue = ["purpose": .string(consent.purpose.rawValue), "isGiven": .bool(consent.isGiven)]
    try tx.record(RealtimeEvent(to: user, "consents.changed", data))
    guard !consent.isGiven, var stored = try core.accounts.find(user, in: tx) else { return }
    let before = stored.account
    guard ConsentRules.withdraw(consent.purpose, from: &stored.account) else { return }
    try core.accounts.update(&stored, in: tx)
    try tx.audit(
      "profile.changed", object: stored.object, by: actor,
      changes: .between(before.details, stored.account.details, masked: true))
    try tx.record(UserChanged(userID: user, version: stored.account.version))
    try tx.record(RealtimeEvent(to: user, "account.changed", ["version": .integer(Int64(stored.account.version))]))
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("consents", try JSONValue(store.find(user, in: db)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try store.delete(of: user, in: tx) }
}
