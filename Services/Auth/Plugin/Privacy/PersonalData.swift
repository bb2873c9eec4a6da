import Contracts
import Persistence
import ServiceKit

/// Everything about a person: told, and erased.
struct PersonalData: Sendable {
  let database: any Database
  let accounts: AccountStore
  let sessions: Sessions
  let time: TimeSource
  let erasures: Erasures
  /// The services that keep something of people.
  let consumers: @Sendable () async throws -> [(name: String, client: APIClient)]

  // MARK: export

  /// What auth and every other service keep. A service that does not answer fails the whole: an export that lacks
  /// something without saying so would be a wrong one.
  func export(_ user: UserID, by actor: AuditActor) async throws -> JSONValue {
    try await database.write { tx in try tx.audit("account.exported", object: "user:\(user)", by: actor) }
    var services: [(String, JSONValue?)] = [(AuthAPI.name, try await own(user))]
    for service in try await consumers() {
      services.append((service.name, try await service.client.send(PersonalDataAPI.Export(user: user))))
    }
    return .object([("exportedAt", .string(time.now().description)), ("services", .object(services))])
  }

  /// Auth's part.
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
        ["issuer": .string(try row[0]), "subject": .string(try row[1]), "since": try json(row[2] as Timestamp)]
      }
      let devices = try db.all("SELECT id, app, updated_at FROM devices WHERE user_id = \(user) ORDER BY id") {
        row -> JSONValue in
        ["id": .string(try row[0]), "app": .string(try row[1]), "since": try json(row[2] as Timestamp)]
      }
      let connections = try db.all("SELECT other_id FROM connections WHERE user_id = \(user) ORDER BY other_id") {
        row -> JSONValue in .string(try row[0])
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

  /// Erases the account here and tells every service to do the same. The audit trail keeps that it happened, by id.
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
