import Contracts
import Persistence
import ServiceKit

/// Export and deletion of a user's personal data.
struct PersonalData: Sendable {
  let database: any Database
  let accounts: AccountStore
  let sessions: Sessions
  let time: TimeSource
  let erasures: Erasures
  /// The services that store personal data.
  let consumers: @Sendable () async throws -> [(name: String, client: APIClient)]

  // MARK: export

  /// Exports what auth and every other service store about a user. If one service does not respond, the whole export
  /// fails: an export must not be silently incomplete.
  func export(_ user: UserID, by actor: AuditActor) async throws -> JSONValue {
    try await database.write { tx in try tx.audit("account.exported", object: "user:\(user)", by: actor) }
    var services: [(String, JSONValue?)] = [(AuthAPI.name, try await own(user))]
    for service in try await consumers() {
      services.append((service.name, try await service.client.send(PersonalDataAPI.Export(user: user))))
    }
    return .object([("exportedAt", .string(time.now().description)), ("services", .object(services))])
  }

  /// The auth service's part of the export.
  func own(_ user: UserID) async throws -> JSONValue {
    let now = time.now()
    let trail = AuditTrail(database)
    let done = try await trail.search(AuditFilter(actor: "user:\(user)"), limit: 10_000, cursor: nil)
    let suffered = try await trail.search(AuditFilter(object: "user:\(user)"), limit: 10_000, cursor: nil)
    return try await database.read { [accounts, sessions] db in
      func json(_ value: some Encodable) throws -> JSONValue {
        try WireJSON.decode(JSONValue.self, from: WireJSON.encode(value))
      }
      let none = SessionID(trusted: "")
      let identities = try db.all("SELECT issuer, subject, created_at FROM identities WHERE user_id = \(user)") {
        row -> JSONValue in
        [
          "issuer": .string(try row["issuer"]), "subject": .string(try row["subject"]),
          "since": try json(row["created_at"] as Timestamp),
        ]
      }
      let devices = try db.all("SELECT id, app, updated_at FROM devices WHERE user_id = \(user) ORDER BY id") {
        row -> JSONValue in
        [
          "id": .string(try row["id"]), "app": .string(try row["app"]),
          "since": try json(row["updated_at"] as Timestamp),
        ]
      }
      let connections = try db.all("SELECT other_id FROM connections WHERE user_id = \(user) ORDER BY other_id") {
        row -> JSONValue in .string(try row["other_id"])
      }
      return .object([
        ("account", try json(accounts.required(user, in: db).account)),
        ("sessions", try json(sessions.list(of: user, current: none, at: now, in: db))),
        ("devices", .array(devices)),
        ("connections", .array(connections)),
        ("identities", .array(identities)),
        ("settings", try json(Preferences.find(user, in: db))),
        ("consents", try json(ConsentLog.find(user, in: db))),
        ("reminders", try json(Reminders.list(of: user, keys: accounts.keys, in: db))),
        ("audit", try json(done.items + suffered.items.filter { $0.actor != "user:\(user)" })),
      ])
    }
  }

  // MARK: deletion

  /// Deletes the account and notifies every service to delete its data. The audit trail records the deletion under the
  /// user's id.
  func delete(_ user: UserID, by actor: AuditActor) async throws {
    try await database.write { [accounts] tx in
      let stored = try accounts.required(user, in: tx)
      if stored.account.roles.contains(.administrator) { try Administration.checkOthers(than: user, in: tx) }
      try Sessions.end(.all, of: user, .deleted, by: actor, in: tx)
      try accounts.delete(user, in: tx)
      try tx.record(UserDeleted(userID: user))
      try tx.audit("account.deleted", object: stored.object, by: actor)
      try erasures.add(in: tx)
    }
  }
}
