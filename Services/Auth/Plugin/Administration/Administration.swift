import Contracts
import Persistence
import ServiceKit

/// Operations for administrators and support; every read and every change is audited.
struct Administration: Feature {
  let core: AuthCore
  let photo: ProfilePhoto
  private let proof: RecentProof
  private let profileChange: ProfileChange

  init(_ core: AuthCore) {
    self.core = core
    photo = ProfilePhoto(core)
    proof = RecentProof(core)
    profileChange = ProfileChange(core.minors)
  }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.AdminListUsers.self) { request, call in try await users(request, by: call.auditActor) }
    routes.on(AuthAPI.AdminUpdateUser.self) { request, call in
      try await update(request.id, request, for: call.user, by: call.auditActor)
    }
  }

  func users(_ request: AuthAPI.AdminListUsers, by actor: AuditActor) async throws -> Page<AdministeredAccount> {
    let page = try request.page(by: UserID.self, limit: 50)
    return try await core.database.readAudited(by: actor) { db in
      let found: FetchedPage<StoredAccount>
      if let email = request.email {
        found = try page.fetch(
          { _, _ in try core.accounts.find(email: email.rawValue, in: db).map { [$0] } ?? [] }, key: \.id)
      } else {
        found = try core.accounts.page(page, matching: request.query, in: db)
      }
      return found.with(found.rows.map { AdministeredAccount($0) })
    } as: {
      AuditedRead("accounts.viewed", object: "users", viewed: $0.items.map { "user:\($0.id)" })
    }
  }

  /// Rights and names last longer than a stolen token, so a change of them requires a recent proof.
  func update(
    _ id: UserID, _ change: AuthAPI.AdminUpdateUser, for staff: UserCaller, by actor: AuditActor
  ) async throws -> AdministeredAccount {
    if change.editsProfile, change.reason == nil {
      throw Problem(
        .invalidRequest, errors: [.init(location: "body.reason", message: "is required to change a profile")])
    }
    try await photo.require(change.details?.photo ?? .keep, of: id, at: "body.details.photo")
    return try await core.database.write { [self] tx in
      if change.editsSignIn { try proof.requireOfStaff(staff, in: tx) }
      guard var stored = try core.accounts.find(id, in: tx) else { throw Problem(.userNotFound) }
      let before = stored
      if let roles = change.roles { stored.account.roles = Role.allCases.filter { roles.contains($0) } }
      if let isDisabled = change.isDisabled { stored.isDisabled = isDisabled }
      if change.isDisabled == true { try endReturn(of: stored, reason: change.reason, by: actor, in: tx) }
      change.edit(&stored.account)
      guard stored != before else { return AdministeredAccount(stored) }
      let wasAdministrator = before.account.roles.contains(.administrator) && !before.isDisabled
      let isAdministrator = stored.account.roles.contains(.administrator) && !stored.isDisabled
      if wasAdministrator, !isAdministrator { try Self.checkOthers(than: id, in: tx) }
      try core.accounts.update(&stored, in: tx)
      if let name = before.account.username, name != stored.account.username {
        try core.accounts.reserved.reserve(name, for: id, in: tx)
      }
      try noteAccess(from: before, to: stored, reason: change.reason, by: actor, in: tx)
      try noteProfile(from: before, to: stored, reason: change.reason, by: actor, in: tx)
      return AdministeredAccount(stored)
    }
  }

  /// An account that an administrator disables stays disabled, also if a school had disabled it before and could take that
  /// back.
  private func endReturn(of stored: StoredAccount, reason: ShortText?, by actor: AuditActor, in tx: Transaction) throws
  {
    let count = try SchoolMemberStore.deleteLeft(stored.id, in: tx)
    guard count > 0 else { return }
    try tx.audit(
      "account.administered", object: stored.object, by: actor,
      changes: [AuditChange("formerSchools", from: String(count), to: nil)] + .reason(reason))
  }

  /// Ends the sessions of an account whose rights have changed.
  private func noteAccess(
    from before: StoredAccount, to stored: StoredAccount, reason: ShortText?, by actor: AuditActor, in tx: Transaction
  ) throws {
    func text(_ roles: [Role]) -> String { roles.map(\.rawValue).joined(separator: " ") }
    var changes: [AuditChange] = []
    if before.account.roles != stored.account.roles {
      changes.append(AuditChange("roles", from: text(before.account.roles), to: text(stored.account.roles)))
    }
    if before.isDisabled != stored.isDisabled {
      changes.append(AuditChange("isDisabled", from: "\(before.isDisabled)", to: "\(stored.isDisabled)"))
    }
    guard !changes.isEmpty else { return }
    try tx.audit("account.administered", object: stored.object, by: actor, changes: changes + .reason(reason))
    try EmailTokenStore.delete(of: stored.id, in: tx)
    if stored.isDisabled, !before.isDisabled {
      try MembershipEnd.revokePasswords(issuedBy: stored.id, since: nil, by: actor, in: tx)
    }
    try SessionStore.end(.all, of: stored.id, stored.isDisabled ? .disabled : .rolesChanged, by: actor, in: tx)
  }

  /// Notifies the user of what was changed, and why.
  private func noteProfile(
    from before: StoredAccount, to stored: StoredAccount, reason: ShortText?, by actor: AuditActor, in tx: Transaction
  ) throws {
    let changes = try Profiles.changes(from: before.account, to: stored.account)
    guard !changes.isEmpty, let reason else {
      return try tx.record(UserChanged(userID: stored.id, version: stored.account.version))
    }
    try profileChange.note(from: before.account, to: stored.account, in: tx)
    try tx.audit("profile.edited", object: stored.object, by: actor, changes: changes + .reason(reason))
    let fields = changes.map(\.field)
    let version = Int64(stored.account.version)
    try tx.record(
      RealtimeEvent(
        to: stored.id, "account.edited",
        [
          "version": .integer(version), "fields": .array(fields.map { .string($0) }),
          "reason": .string(reason.rawValue),
        ]))
    if stored.account.isEmailVerified, let email = stored.account.email {
      let message = StaffMails.profileEdited(EmailAddress(checked: email), fields: fields, reason: reason.rawValue)
      try core.mailer.send(message, person: stored.id, in: tx)
    }
  }

  /// Requires that another active administrator remains.
  static func checkOthers(than id: UserID, in tx: Transaction) throws {
    guard try AccountStore.hasAdministrator(besides: id, in: tx) else { throw Problem(.lastAdministrator) }
  }
}

extension AuthAPI.AdminUpdateUser {
  fileprivate var editsProfile: Bool { displayName != nil || username != nil || details != nil }

  /// Whether it changes who signs in, by which name, or with which rights.
  fileprivate var editsSignIn: Bool { roles != nil || isDisabled != nil || username != nil }

  fileprivate func edit(_ account: inout Account) {
    account.displayName = displayName?.rawValue ?? account.displayName
    account.username = username?.rawValue ?? account.username
    account.details = details?.applied(to: account.details) ?? account.details
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
