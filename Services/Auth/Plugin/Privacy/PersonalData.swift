import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Export and deletion of a user's personal data.
struct PersonalData: Feature {
  let core: AuthCore
  let erasures: ErasureJobs
  let proof: RecentProof
  /// The features that store personal data in this service.
  let features: [any Feature]

  init(_ core: AuthCore, features: [any Feature]) throws {
    self.core = core
    proof = RecentProof(core)
    erasures = try ErasureJobs(core.environment) { user, tx in
      for feature in features { try feature.erase(user, in: tx) }
    }
    self.features = features
  }

  var workers: [any Service] { [erasures] }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.ExportMe.self) { _, call in try await export(call.user, by: call.auditActor) }
    routes.on(AuthAPI.DeleteMe.self) { _, call in try await delete(call.user, by: call.auditActor) }
    routes.on(AuthAPI.AdminDeleteUser.self) { request, call in
      try await delete(request.id, for: call.user, by: call.auditActor, reason: request.reason)
    }
  }

  // MARK: export

  /// Exports what auth and every other service store about a user. If one service does not respond, the whole export
  /// fails: an export must not be silently incomplete.
  private func export(_ caller: UserCaller, by actor: AuditActor) async throws -> JSONValue {
    let user = caller.id
    try await core.database.write { tx in
      try proof.require(caller, in: tx)
      try tx.audit("account.exported", object: "user:\(user)", by: actor)
    }
    var services: [(String, JSONValue?)] = [(AuthAPI.name, try await own(user))]
    for service in try await core.consumers() {
      services.append((service.name, try await service.client.send(PersonalDataAPI.Export(user: user))))
    }
    return .object([("exportedAt", .string(core.time.now().description)), ("services", .object(services))])
  }

  private func own(_ user: UserID) async throws -> JSONValue {
    try await core.database.read { db in
      let sections = try features.flatMap { try $0.export(user, in: db) } + self.export(user, in: db)
      return .object(sections.map { ($0.section, $0.content) })
    }
  }

  /// The audit trail's part of the export: what the user did, and what others did to the account.
  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let actor = "user:\(user)"
    let done = try AuditTrail.search(AuditFilter(actor: actor), limit: 10_000, cursor: nil, in: db)
    let suffered = try AuditTrail.search(AuditFilter(object: actor), limit: 10_000, cursor: nil, in: db)
    let others = suffered.items.filter { $0.actor != actor }.map { $0.actor.isPerson ? $0.blanked : $0 }
    return [("audit", try JSONValue(done.items + others))]
  }

  // MARK: deletion

  /// Deletes the account and notifies every service to delete its data. The audit trail records the deletion under the
  /// user's id.
  private func delete(_ caller: UserCaller, by actor: AuditActor) async throws {
    try await core.database.write { tx in
      try proof.require(caller, in: tx)
      try delete(try core.accounts.get(caller.id, in: tx), by: actor, in: tx)
      try erasures.add(in: tx)
    }
  }

  /// Deletes the account of another user, who is notified of the reason.
  private func delete(_ user: UserID, for staff: UserCaller, by actor: AuditActor, reason: ShortText) async throws {
    try await core.database.write { tx in
      try proof.requireOfStaff(staff, in: tx)
      guard let stored = try core.accounts.find(user, in: tx) else { throw Problem(.userNotFound) }
      try delete(stored, by: actor, reason: reason, in: tx)
      if stored.account.isEmailVerified, let email = stored.account.email {
        try core.mailer.send(StaffMails.accountDeleted(EmailAddress(checked: email), reason: reason.rawValue), in: tx)
      }
      try erasures.add(in: tx)
    }
  }

  /// Deletes an account and notifies every service; the caller schedules the erasure of what was deleted.
  func delete(_ stored: StoredAccount, by actor: AuditActor, reason: ShortText? = nil, in tx: Transaction) throws {
    let user = stored.id
    if stored.account.roles.contains(.administrator) { try Administration.checkOthers(than: user, in: tx) }
    try SessionStore.end(.all, of: user, .deleted, by: actor, in: tx)
    for feature in features { try feature.erase(user, in: tx) }
    try tx.erase(user)
    try core.accounts.delete(user, in: tx)
    try tx.record(UserDeleted(userID: user))
    try tx.audit("account.deleted", object: stored.object, by: actor, changes: .reason(reason))
  }
}

extension AuditRecord {
  /// Without where someone else was and on what device, and without the hash over that.
  fileprivate var blanked: AuditRecord {
    var record = self
    (record.session, record.address, record.app, record.device) = (nil, nil, nil, nil)
    (record.hash, record.key) = (nil, nil)
    return record
  }
}

extension String {
  /// Whether an actor is a user or a registered client, not a service, an operator or an unknown caller.
  fileprivate var isPerson: Bool { hasPrefix("user:") || hasPrefix("client:") }
}
