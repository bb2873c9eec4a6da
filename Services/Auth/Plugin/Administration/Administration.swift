import Contracts
import Persistence
import ServiceKit

/// Operations for administrators and support; every read and every change is audited.
struct Administration: Feature {
  let database: any Database
  let accounts: AccountStore
  /// Clients of the services whose audit trails can be searched.
  let consumers: @Sendable () async throws -> [(name: String, client: APIClient)]

  init(_ core: AuthCore) { (database, accounts, consumers) = (core.database, core.accounts, core.consumers) }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.AdminListUsers.self) { request, call in try await users(request, by: call.auditActor) }
    routes.on(AuthAPI.AdminUpdateUser.self) { request, call in
      try await update(request.id, request, by: call.auditActor)
    }
    routes.on(AuthAPI.SearchAudit.self) { request, call in try await audit(request, by: call.auditActor) }
  }

  func users(_ request: AuthAPI.AdminListUsers, by actor: AuditActor) async throws -> Page<AdministeredAccount> {
    let page = try request.page(by: UserID.self, limit: 50)
    return try await database.write { [accounts] tx in
      let found: FetchedPage<StoredAccount>
      if let email = request.email {
        found = try page.fetch(
          { _, _ in try accounts.find(email: email.rawValue, in: tx).map { [$0] } ?? [] }, key: \.id)
      } else {
        found = try accounts.page(page, matching: request.query, in: tx)
      }
      try tx.audit(
        "accounts.viewed",
        object: "users",
        by: actor,
        changes: found.rows.map { AuditChange("viewed", from: nil, to: $0.object) }
      )
      return found.with(found.rows.map { AdministeredAccount($0) })
    }
  }

  func update(_ id: UserID, _ change: AuthAPI.AdminUpdateUser, by actor: AuditActor) async throws
    -> AdministeredAccount
  {
    try await database.write { [accounts] tx in
      guard var stored = try accounts.find(id, in: tx) else { throw Problem(.userNotFound) }
      let before = stored
      if let roles = change.roles { stored.account.roles = Role.allCases.filter { roles.contains($0) } }
      if let isDisabled = change.isDisabled { stored.isDisabled = isDisabled }
      guard stored != before else { return AdministeredAccount(stored) }
      let wasAdministrator = before.account.roles.contains(.administrator) && !before.isDisabled
      let isAdministrator = stored.account.roles.contains(.administrator) && !stored.isDisabled
      if wasAdministrator, !isAdministrator { try Self.checkOthers(than: id, in: tx) }
      try accounts.update(&stored, in: tx)
      func text(_ roles: [Role]) -> String { roles.map(\.rawValue).joined(separator: " ") }
      var changes: [AuditChange] = []
      if before.account.roles != stored.account.roles {
        changes.append(AuditChange("roles", from: text(before.account.roles), to: text(stored.account.roles)))
      }
      if before.isDisabled != stored.isDisabled {
        changes.append(AuditChange("isDisabled", from: "\(before.isDisabled)", to: "\(stored.isDisabled)"))
      }
      try tx.audit("account.administered", object: stored.object, by: actor, changes: changes)
      try tx.record(UserChanged(userID: id, version: stored.account.version))
      try EmailTokenStore.delete(of: id, in: tx)
      try SessionStore.end(.all, of: id, stored.isDisabled ? .disabled : .rolesChanged, by: actor, in: tx)
      return AdministeredAccount(stored)
    }
  }

  /// Requires that another active administrator remains.
  static func checkOthers(than id: UserID, in tx: Transaction) throws {
    guard try AccountStore.hasAdministrator(besides: id, in: tx) else { throw Problem(.lastAdministrator) }
  }

  func audit(_ request: AuthAPI.SearchAudit, by actor: AuditActor) async throws -> Page<AuditRecord> {
    let service = request.service ?? AuthAPI.name
    let limit = request.limit?.value ?? 50
    try await database.write { tx in try tx.audit("audit.searched", object: "service:\(service)", by: actor) }
    if service == AuthAPI.name {
      return try await AuditTrail(database).search(request.filter, limit: limit, cursor: request.cursor)
    }
    guard let client = try await consumers().first(where: { $0.name == service })?.client else {
      throw Problem(.invalidRequest, errors: [.init(location: "query.service", message: "is not an audited service")])
    }
    return try await client.send(
      AuditAPI.Search(filter: request.filter, limit: request.limit, cursor: request.cursor)
    )
  }
}

extension AdministeredAccount {
  init(_ stored: StoredAccount) {
    self.init(
      id: stored.id,
      username: stored.account.username,
      displayName: stored.account.displayName,
      email: stored.account.email,
      roles: stored.account.roles,
      isDisabled: stored.isDisabled,
      createdAt: stored.account.createdAt
    )
  }
}
