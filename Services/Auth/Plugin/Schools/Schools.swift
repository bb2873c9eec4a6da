import Contracts
import Persistence
import ServiceKit

/// Institutions, which administrators create, and the caller's own memberships.
struct Schools: Feature {
  private let core: AuthCore
  private let members: SchoolMemberStore
  private let proof: RecentProof

  init(_ core: AuthCore) {
    self.core = core
    proof = RecentProof(core)
    members = SchoolMemberStore(keys: core.dataKeys)
  }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.CreateSchool.self) { request, call in try await create(request, by: call.auditActor) }
    routes.on(AuthAPI.ListSchools.self) { request, _ in
      let page = try request.page(by: SchoolID.self, limit: 50)
      return try await core.database.read { db in
        try page.fetch({ try SchoolStore.list(before: $0, limit: $1, in: db) }, key: \.id).page
      }
    }
    routes.on(AuthAPI.UpdateSchool.self) { request, call in
      try await update(request, for: call.user, by: call.auditActor)
    }
    routes.on(AuthAPI.AddSchoolStaff.self) { request, call -> Void in
      try await addStaff(request.user, to: request.id, for: call.user, by: call.auditActor)
    }
    routes.on(AuthAPI.RemoveSchoolStaff.self) { request, call -> Void in
      try await removeStaff(request.user, from: request.id, by: call.auditActor)
    }
    routes.on(AuthAPI.ListMySchools.self) { _, call in try await list(of: call.user.id) }
    routes.on(AuthAPI.LeaveSchool.self) { request, call -> Void in
      try await leave(request.id, call.user.id, by: call.auditActor)
    }
  }

  // MARK: administrators

  private func create(_ request: AuthAPI.CreateSchool, by actor: AuditActor) async throws -> School {
    let id: SchoolID = core.ids.make()
    return try await core.database.write { tx in
      let school = School(
        id: id, name: request.name, country: request.country, isActive: true, createdAt: tx.now, version: 1)
      try SchoolStore.insert(school, in: tx)
      try tx.audit("school.created", object: "school:\(id)", by: actor)
      return school
    }
  }

  /// A school that is active again gives its staff their rights back, which last longer than a stolen token.
  private func update(_ request: AuthAPI.UpdateSchool, for staff: UserCaller, by actor: AuditActor) async throws
    -> School
  {
    try await core.database.write { tx in
      try proof.requireOfStaff(staff, in: tx)
      guard var school = try SchoolStore.find(request.id, in: tx) else { throw Problem(.schoolNotFound) }
      try request.ifMatch?.require(school.version)
      let before = school
      school.name = request.name ?? school.name
      school.isActive = request.isActive ?? school.isActive
      guard school != before else { return school }
      try SchoolStore.update(&school, in: tx)
      try tx.audit(
        "school.changed", object: "school:\(school.id)", by: actor,
        changes: .between(before, school, masked: false))
      return school
    }
  }

  /// The rights last longer than a stolen token, so a recent proof is required.
  private func addStaff(_ user: UserID, to school: SchoolID, for staff: UserCaller, by actor: AuditActor) async throws {
    let id: ID<StoredMember> = core.ids.make()
    try await core.database.write { tx in
      try proof.requireOfStaff(staff, in: tx)
      guard try SchoolStore.find(school, in: tx) != nil else { throw Problem(.schoolNotFound) }
      guard let stored = try core.accounts.find(user, in: tx), !stored.isGuest, !stored.isDisabled else {
        throw Problem(.userNotFound)
      }
      if let role = try SchoolMemberStore.role(of: user, at: school, in: tx) {
        // A managed account would otherwise manage itself.
        guard role == .staff else { throw Problem(.alreadyAtSchool) }
        return
      }
      let member = StoredMember(
        id: id, school: school, user: user, role: .staff, number: nil, joinedAt: tx.now)
      try SchoolMemberStore.deleteLeft(user, at: school, in: tx)
      try members.insert(member, in: tx)
      try tx.audit(
        "school.staff-added", object: "school:\(school)", by: actor,
        changes: [AuditChange("staff", from: nil, to: stored.object)])
    }
  }

  private func removeStaff(_ user: UserID, from school: SchoolID, by actor: AuditActor) async throws {
    try await core.database.write { tx in
      guard let member = try members.find(user, at: school, in: tx), member.role == .staff else { return }
      try SchoolMemberStore.delete(member, in: tx)
      try tx.audit(
        "school.staff-removed", object: "school:\(school)", by: actor,
        changes: [AuditChange("staff", from: "user:\(user)", to: nil)])
      try MembershipEnd.revokePasswords(of: member, by: actor, in: tx)
    }
  }

  // MARK: the caller's

  private func list(of user: UserID) async throws -> Page<SchoolMembership> {
    try await core.database.read { db in
      let own = try members.list(of: user, in: db).filter { $0.leftAt == nil }
      let roles = Dictionary(own.map { ($0.school, $0.role) }) { first, _ in first }
      let schools = try SchoolStore.find(own.map(\.school), in: db)
      return Page(items: schools.compactMap { school in roles[school.id].map { .init(school: school, role: $0) } })
    }
  }

  private func leave(_ school: SchoolID, _ user: UserID, by actor: AuditActor) async throws {
    try await core.database.write { tx in
      guard let member = try members.find(user, at: school, in: tx) else { throw Problem(.schoolNotFound) }
      var stored = try core.accounts.get(user, in: tx)
      // Otherwise the account could not be recovered once the school no longer resets its password.
      guard member.role == .staff || stored.account.email != nil && stored.account.isEmailVerified else {
        throw Problem(.emailNotVerified)
      }
      try MembershipEnd.apply(to: member, &stored, core.accounts, by: actor, in: tx)
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let own = try members.list(of: user, in: db)
    let schools = Dictionary(try SchoolStore.find(own.map(\.school), in: db).map { ($0.id, $0) }) { first, _ in first }
    let items = own.map { member -> JSONValue in
      let pairs: [(String, JSONValue?)] = [
        ("school", schools[member.school].map { .string($0.name.rawValue) }), ("role", .string(member.role.rawValue)),
        ("number", member.number.map { .string($0.rawValue) }), ("joinedAt", .string(member.joinedAt.description)),
        ("leftAt", member.leftAt.map { .string($0.description) }),
      ]
      return .object(pairs)
    }
    return [("schools", .array(items))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    for member in try members.list(of: user, in: tx) where member.role == .staff {
      try MembershipEnd.revokePasswords(of: member, by: AuditActor("service:auth"), in: tx)
    }
    try TemporaryPasswordStore.forgetIssuer(user, in: tx)
    try SchoolMemberStore.delete(of: user, in: tx)
    try TemporaryPasswordStore.delete(of: user, in: tx)
  }
}

/// The end of a membership, by the member or by the school's staff.
enum MembershipEnd {
  /// The account is its user's own from now on, or disabled when it could not be recovered. The role that the school
  /// has given ends. A membership whose end has disabled the account is kept: the school may have removed the wrong
  /// member.
  static func apply(
    to member: StoredMember, _ stored: inout StoredAccount, _ accounts: AccountStore, by actor: AuditActor,
    in tx: Transaction
  ) throws {
    if member.role == .staff { try revokePasswords(of: member, by: actor, in: tx) }
    let before = stored
    if member.role == .instructor { stored.account.roles.removeAll { $0 == .instructor } }
    let isOwn = member.role == .staff || stored.account.email != nil && stored.account.isEmailVerified
    if isOwn || stored.isDisabled {
      try SchoolMemberStore.delete(member, in: tx)
    } else {
      stored.isDisabled = true
      try revokePasswords(issuedBy: member.user, since: nil, by: actor, in: tx)
      try SchoolMemberStore.setLeft(true, of: member, in: tx)
    }
    if member.role != .staff, try TemporaryPasswordStore.expiry(of: member.user, in: tx) != nil {
      // The school knows it.
      stored.passwordHash = nil
      try TemporaryPasswordStore.delete(of: member.user, in: tx)
    }
    try tx.audit(
      "school.left", object: stored.object, by: actor,
      changes: [AuditChange("school", from: "school:\(member.school)", to: nil)])
    guard stored != before else { return }
    try accounts.update(&stored, in: tx)
    try tx.record(UserChanged(userID: stored.id, version: stored.account.version))
    try SessionStore.end(.all, of: stored.id, stored.isDisabled ? .disabled : .rolesChanged, by: actor, in: tx)
  }

  /// The temporary passwords that a former member of the staff knows end.
  static func revokePasswords(of staff: StoredMember, by actor: AuditActor, in tx: Transaction) throws {
    try note(try TemporaryPasswordStore.revoke(issuedBy: staff.user, at: staff.school, in: tx), by: actor, in: tx)
  }

  /// Ends the temporary passwords that may be known to someone who had got into an account, or whose account is
  /// disabled.
  ///
  /// - Parameter moment: When they may have got in; `nil` for all passwords.
  static func revokePasswords(
    issuedBy user: UserID, since moment: Timestamp?, by actor: AuditActor, in tx: Transaction
  ) throws {
    try note(try TemporaryPasswordStore.revoke(issuedBy: user, since: moment, in: tx), by: actor, in: tx)
  }

  private static func note(_ revoked: [UserID], by actor: AuditActor, in tx: Transaction) throws {
    for user in revoked { try tx.audit("school.password-revoked", object: "user:\(user)", by: actor) }
  }

  /// Takes back the end of a membership, by the school that had ended it. An account that someone can sign in to by
  /// then is not the school's any more; neither does a new member whose number was another's get the account of that
  /// one.
  ///
  /// - Returns: `nil` when the number is free for another member.
  static func undo(
    _ member: StoredMember, _ username: Username, _ accounts: AccountStore, by staff: UserID, _ actor: AuditActor,
    in tx: Transaction
  ) throws -> StoredMember? {
    guard var stored = try accounts.find(member.user, in: tx), stored.isDisabled,
      stored.account.username == username.rawValue, stored.account.email == nil || !stored.account.isEmailVerified,
      Set(stored.account.roles).isDisjoint(with: [.administrator, .support, .owner])
    else {
      try SchoolMemberStore.delete(member, in: tx)
      return nil
    }
    stored.isDisabled = false
    stored.account.roles = member.role.accountRoles(besides: stored.account.roles)
    try accounts.update(&stored, in: tx)
    if stored.passwordHash == nil {
      // The temporary one of before was removed; it is due for another.
      try TemporaryPasswordStore.put(for: stored.id, by: staff, until: tx.now, in: tx)
    }
    try SchoolMemberStore.setLeft(false, of: member, in: tx)
    try tx.audit(
      "school.rejoined", object: stored.object, by: actor,
      changes: [AuditChange("school", from: nil, to: "school:\(member.school)")])
    try tx.record(UserChanged(userID: stored.id, version: stored.account.version))
    var back = member
    back.leftAt = nil
    return back
  }
}
