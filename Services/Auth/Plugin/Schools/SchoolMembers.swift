import Contracts
import Persistence
import ServiceKit

/// The operations of a school's staff: they see and manage the members of their own school, whose accounts it has
/// created, and no other account. Every read and every change is audited.
struct SchoolMembers: Feature {
  private let core: AuthCore
  private let store: SchoolMemberStore
  private let importing: MemberImport
  private let proof: RecentProof

  init(_ core: AuthCore) throws {
    (self.core, proof) = (core, RecentProof(core))
    store = SchoolMemberStore(keys: core.environment.dataKeys)
    importing = MemberImport(core, store)
  }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.ListSchoolMembers.self) { request, call in
      try await list(request, call.user.id, by: call.auditActor)
    }
    routes.on(AuthAPI.ImportSchoolMembers.self) { request, call in
      let user = try call.user
      let school = try await core.database.write { [proof] tx in
        let school = try Self.requireStaff(user.id, of: request.id, in: tx)
        // The answer has passwords, which a stolen token must not get.
        try proof.require(user, in: tx)
        return school
      }
      return try await SchoolImports(core).run(at: school.id) {
        try await importing(
          request.body, into: school, by: user.id, call.auditActor, newPasswords: request.newPasswords ?? false)
      }
    }
    routes.on(AuthAPI.UpdateSchoolMember.self) { request, call in
      try await update(request, call.user, by: call.auditActor)
    }
    routes.on(AuthAPI.ResetMemberPassword.self) { request, call in
      try await reset(request, call.user, by: call.auditActor)
    }
    routes.on(AuthAPI.RemoveSchoolMember.self) { request, call -> Void in
      try await remove(request, call.user, by: call.auditActor)
    }
  }

  /// - Throws: ``Problem`` `school-not-found`, also for those who are not of its staff.
  @discardableResult
  static func requireStaff(_ user: UserID, of id: SchoolID, in db: any Connection) throws -> School {
    guard let school = try SchoolStore.find(id, in: db), school.isActive,
      try SchoolMemberStore.role(of: user, at: id, in: db) == .staff
    else { throw Problem(.schoolNotFound) }
    return school
  }

  /// A member whose account the school manages. Staff do not manage each other, nor anyone with rights of the platform.
  ///
  /// - Throws: ``Problem`` `school-member-not-found`.
  private func managed(_ user: UserID, at school: SchoolID, in db: any Connection) throws
    -> (member: StoredMember, number: SourceID, stored: StoredAccount)
  {
    guard let member = try store.find(user, at: school, in: db), member.role != .staff, let number = member.number,
      let stored = try core.accounts.find(user, in: db),
      Set(stored.account.roles).isDisjoint(with: [.administrator, .support, .owner])
    else { throw Problem(.schoolMemberNotFound) }
    return (member, number, stored)
  }

  private func list(_ request: AuthAPI.ListSchoolMembers, _ user: UserID, by actor: AuditActor) async throws
    -> Page<SchoolMember>
  {
    let page = try request.page(by: ID<StoredMember>.self, limit: 50)
    return try await core.database.write { [core, store] tx in
      try Self.requireStaff(user, of: request.id, in: tx)
      let found = try page.fetch(
        { try store.list(at: request.id, after: $0, limit: $1, in: tx) }, key: \.id)
      let users = found.rows.map(\.user)
      let accounts = Dictionary(try core.accounts.find(users, in: tx).map { ($0.id, $0.account) }) { first, _ in first }
      let temporary = try TemporaryPasswordStore.among(users, in: tx)
      try tx.audit(
        "school-members.viewed", object: "school:\(request.id)", by: actor,
        changes: users.map { AuditChange("viewed", from: nil, to: "user:\($0)") })
      return found.with(
        found.rows.compactMap { member in
          accounts[member.user].map { SchoolMember(member, $0, isTemporary: temporary.contains(member.user)) }
        })
    }
  }

  /// A stolen token must not end the sessions of a whole school.
  private func update(_ request: AuthAPI.UpdateSchoolMember, _ user: UserCaller, by actor: AuditActor) async throws
    -> SchoolMember
  {
    try await core.database.write { [core, proof] tx in
      try Self.requireStaff(user.id, of: request.id, in: tx)
      try proof.require(user, in: tx)
      var (member, _, stored) = try managed(request.user, at: request.id, in: tx)
      try Self.setRole(request.role.role, of: &member, &stored, core.accounts, by: actor, in: tx)
      let isTemporary = try TemporaryPasswordStore.expiry(of: member.user, in: tx) != nil
      return SchoolMember(member, stored.account, isTemporary: isTemporary)
    }
  }

  /// Gives the account the role, and ends its sessions, whose tokens name the role before.
  static func setRole(
    _ role: SchoolRole, of member: inout StoredMember, _ stored: inout StoredAccount, _ accounts: AccountStore,
    by actor: AuditActor, in tx: Transaction
  ) throws {
    guard role != member.role else { return }
    try tx.audit(
      "school.role-changed", object: stored.object, by: actor,
      changes: [AuditChange("role", from: member.role.rawValue, to: role.rawValue)])
    member.role = role
    try SchoolMemberStore.setRole(role, of: member, in: tx)
    stored.account.roles = role.accountRoles(besides: stored.account.roles)
    try accounts.update(&stored, in: tx)
    try tx.record(UserChanged(userID: stored.id, version: stored.account.version))
    try SessionStore.end(.all, of: stored.id, .rolesChanged, by: actor, in: tx)
  }

  private func reset(_ request: AuthAPI.ResetMemberPassword, _ user: UserCaller, by actor: AuditActor) async throws
    -> TemporaryPassword
  {
    // Before the password is hashed, which costs more than a refusal.
    _ = try await core.database.write { [proof] tx in
      try Self.requireStaff(user.id, of: request.id, in: tx)
      try proof.require(user, in: tx)
      return try managed(request.user, at: request.id, in: tx).member
    }
    let password = TemporaryPasswordStore.make()
    let hash = try await core.hasher.hash(password)
    return try await core.database.write { [core] tx in
      try Self.requireStaff(user.id, of: request.id, in: tx)
      var (_, number, stored) = try managed(request.user, at: request.id, in: tx)
      guard let username = stored.account.username else { throw Problem(.schoolMemberNotFound) }
      let expiresAt = tx.now.advanced(bySeconds: TemporaryPasswordStore.lifetime)
      let hadPassword = stored.passwordHash != nil
      stored.passwordHash = hash
      try core.accounts.update(&stored, in: tx)
      try TemporaryPasswordStore.put(for: stored.id, by: user.id, until: expiresAt, in: tx)
      try EmailTokenStore.delete(of: stored.id, in: tx)
      // Failed guesses do not hold up the account's owner.
      try core.throttle.forget(stored.account, in: tx)
      try KnownDeviceStore.delete(of: stored.id, in: tx)
      // Nor do those who guessed the right one keep what they have added.
      try SignInUndo(core).passwordWasReset(of: stored.id, by: stored.account.email ?? "", actor, in: tx)
      try tx.audit(
        "school.password-reset", object: stored.object, by: actor,
        changes: [.masked("password", hadValue: hadPassword)])
      try SessionStore.end(.all, of: stored.id, .passwordChanged, by: actor, in: tx)
      if stored.account.isEmailVerified, let email = stored.account.email.flatMap({ try? EmailAddress(validating: $0) })
      {
        try core.mailer.send(AuthMails.passwordChanged(email), person: stored.id, in: tx)
      }
      return TemporaryPassword(
        userID: stored.id, number: number, username: username, password: password, expiresAt: expiresAt)
    }
  }

  /// Nor must it disable its accounts.
  private func remove(_ request: AuthAPI.RemoveSchoolMember, _ user: UserCaller, by actor: AuditActor) async throws {
    try await core.database.write { [core, proof] tx in
      try Self.requireStaff(user.id, of: request.id, in: tx)
      try proof.require(user, in: tx)
      var (member, _, stored) = try managed(request.user, at: request.id, in: tx)
      try MembershipEnd.apply(to: member, &stored, core.accounts, by: actor, in: tx)
    }
  }
}

extension SchoolRole {
  /// An account's roles with the one that the school gives.
  func accountRoles(besides roles: [Role]) -> [Role] {
    var wanted = Set(roles).subtracting([.instructor]).union([.user])
    if self == .instructor { wanted.insert(.instructor) }
    return Role.allCases.filter { wanted.contains($0) }
  }
}

extension SchoolMember {
  init(_ member: StoredMember, _ account: Account, isTemporary: Bool) {
    self.init(
      userID: member.user, role: member.role, number: member.number, username: account.username,
      displayName: account.displayName, hasTemporaryPassword: isTemporary, joinedAt: member.joinedAt)
  }
}
