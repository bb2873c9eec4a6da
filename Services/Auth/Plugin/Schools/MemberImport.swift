import Contracts
import Logging
import Persistence
import ServiceKit

/// Imports a list of a school's members. A row belongs to the member with its number at this school; it never takes an
/// existing account over.
struct MemberImport: Sendable {
  private let core: AuthCore
  private let store: SchoolMemberStore

  init(_ core: AuthCore, _ store: SchoolMemberStore) { (self.core, self.store) = (core, store) }

  private enum Outcome: Sendable {
    case created(TemporaryPassword)
    /// With another temporary password, if the one before has expired unused or is to be replaced.
    case updated(TemporaryPassword?), unchanged(TemporaryPassword?)
    case rejected(String)
  }

  /// Rows are taken for less time than the request has, so that the report is answered.
  private static let time = Duration.seconds(40)

  /// One transaction for each row, so that a row that fails changes nothing and keeps no other from being imported. The
  /// passwords are nowhere but in the report, so nothing that happens to a row keeps it from being returned.
  ///
  /// - Parameter newPasswords: Whether temporary passwords that are valid and were not used are replaced.
  func callAsFunction(
    _ file: ImportFile, into school: School, by staff: UserID, _ actor: AuditActor, newPasswords: Bool
  ) async throws -> SchoolImportReport {
    let list = try MemberRows(file)
    var report = ImportReport(rejected: list.rejected)
    var passwords: [TemporaryPassword] = []
    let end = ContinuousClock.now.advanced(by: Self.time)
    for row in list.rows {
      let outcome =
        ContinuousClock.now < end
        ? try await attempt(row, school, by: staff, actor, newPasswords)
        : .rejected("there was no time left; import it again")
      switch outcome {
      case .created(let password):
        report.created += 1
        passwords.append(password)
      case .updated(let password):
        report.updated += 1
        if let password { passwords.append(password) }
      case .unchanged(let password):
        report.unchanged += 1
        if let password { passwords.append(password) }
      case .rejected(let reason): report.rejected.append(.init(line: row.line, errors: [reason]))
      }
    }
    report.rejected.sort { $0.line < $1.line }
    return SchoolImportReport(report: report, passwords: passwords)
  }

  /// Rejects a row for whatever goes wrong with it.
  /// - Throws: ``Problem`` when the caller is not of the school's staff any more.
  private func attempt(
    _ row: MemberRow, _ school: School, by staff: UserID, _ actor: AuditActor, _ newPasswords: Bool
  ) async throws -> Outcome {
    do { return try await take(row, school, by: staff, actor, newPasswords) } catch let problem as Problem {
      if problem.is(.schoolNotFound) { throw problem }
      if problem.is(.usernameTaken) { return .rejected("username is taken") }
      if problem.is(.switchedOff) { return .rejected("new accounts are switched off at the moment; import it again") }
      if problem.is(.guardianConsentRequired) {
        return .rejected("the birthday of a minor can only be corrected by support")
      }
      core.logger.notice("a member was not imported", metadata: ["problem": "\(problem.code)"])
    } catch let error as CancellationError { throw error } catch {
      core.logger.error("a member was not imported", metadata: ["error": "\(error)"])
    }
    return .rejected("the platform was too busy; import it again")
  }

  private func take(
    _ row: MemberRow, _ school: School, by staff: UserID, _ actor: AuditActor, _ newPasswords: Bool
  ) async throws -> Outcome {
    let now = core.time.now()
    let needsPassword = try await core.database.read { [store] db in
      guard let member = try store.find(row.number, at: school.id, in: db), member.leftAt == nil else { return true }
      return try Self.needsPassword(member.user, newPasswords, at: now, in: db)
    }
    let password = needsPassword ? TemporaryPasswordStore.make() : nil
    var hash: String?
    if let password { hash = try await core.hasher.hash(password) }
    return try await core.database.write { [hash] tx in
      try SchoolMembers.requireStaff(staff, of: school.id, in: tx)
      if let member = try store.find(row.number, at: school.id, in: tx) {
        if member.leftAt == nil {
          return try update(member, row, password, hash, by: staff, actor, newPasswords, in: tx)
        }
        if let back = try MembershipEnd.undo(member, row.username, core.accounts, by: staff, actor, in: tx) {
          let outcome = try update(back, row, password, hash, by: staff, actor, newPasswords, in: tx)
          guard case .unchanged(let password) = outcome else { return outcome }
          return .updated(password)
        }
      }
      guard let password, let hash else { return .rejected("the member has left meanwhile") }
      try core.environment.switches.require(.signUp)
      return .created(try create(row, school, password, hash, by: staff, actor, in: tx))
    }
  }

  /// Whether a member has a temporary password that does not serve any more, or is to be replaced.
  private static func needsPassword(
    _ member: UserID, _ newPasswords: Bool, at now: Timestamp, in db: any Connection
  ) throws -> Bool {
    guard let expiry = try TemporaryPasswordStore.expiry(of: member, in: db) else { return false }
    return newPasswords || expiry <= now
  }

  private func create(
    _ row: MemberRow, _ school: School, _ password: String, _ hash: String, by staff: UserID, _ actor: AuditActor,
    in tx: Transaction
  ) throws -> TemporaryPassword {
    var details = ProfileDetails()
    (details.firstName, details.lastName, details.birthday) = (row.firstName, row.lastName, row.birthday)
    details.school = school.name
    let role = row.role ?? .student
    let stored = StoredAccount(
      account: Account(
        id: core.ids.make(),
        email: nil,
        isEmailVerified: false,
        username: row.username.rawValue,
        // The display name is public, so it does not contain the member's names.
        displayName: row.username.rawValue,
        hasPassword: true,
        details: details,
        roles: role.accountRoles(besides: []),
        createdAt: tx.now,
        version: 1
      ),
      passwordHash: hash
    )
    try core.accounts.insert(stored, in: tx)
    try GuardianStore.setCountry(school.country, of: stored.id, in: tx)
    try store.insert(
      StoredMember(
        id: core.ids.make(), school: school.id, user: stored.id, role: role, number: row.number, joinedAt: tx.now),
      in: tx)
    let temporary = try Self.issue(password, to: stored.id, row, by: staff, in: tx)
    try tx.record(UserRegistered(userID: stored.id, app: .letustudy))
    try tx.audit(
      "account.imported", object: stored.object, by: actor,
      changes: [AuditChange("school", from: nil, to: "school:\(school.id)")])
    return temporary
  }

  private static func issue(
    _ password: String, to user: UserID, _ row: MemberRow, by staff: UserID, in tx: Transaction
  ) throws -> TemporaryPassword {
    let expiresAt = tx.now.advanced(bySeconds: TemporaryPasswordStore.lifetime)
    try TemporaryPasswordStore.put(for: user, by: staff, until: expiresAt, in: tx)
    return TemporaryPassword(
      userID: user, number: row.number, username: row.username.rawValue, password: password, expiresAt: expiresAt)
  }

  /// Values that the row omits stay.
  ///
  /// - Parameter password: For a member whose temporary one has expired unused or may never have reached the school.
  private func update(
    _ member: StoredMember, _ row: MemberRow, _ password: String?, _ hash: String?, by staff: UserID,
    _ actor: AuditActor, _ newPasswords: Bool, in tx: Transaction
  ) throws -> Outcome {
    guard member.role != .staff, var stored = try core.accounts.find(member.user, in: tx),
      Set(stored.account.roles).isDisjoint(with: [.administrator, .support, .owner])
    else { return .rejected("the school manages no such account") }
    let before = stored
    stored.account.username = row.username.rawValue
    stored.account.details.firstName = row.firstName ?? stored.account.details.firstName
    stored.account.details.lastName = row.lastName ?? stored.account.details.lastName
    stored.account.details.birthday = row.birthday ?? stored.account.details.birthday
    let isChanged = stored != before
    if isChanged {
      // A school does not replace the guardian.
      try core.minors.requireBirthdayMayChange(from: before.account, to: stored.account, in: tx)
      try core.accounts.update(&stored, in: tx)
      if let name = before.account.username, name != stored.account.username {
        try core.accounts.reserved.reserve(name, for: stored.id, in: tx)
      }
      try ProfileChange(core.minors).note(from: before.account, to: stored.account, in: tx)
      try tx.audit(
        "profile.changed", object: stored.object, by: actor,
        changes: Profiles.changes(from: before.account, to: stored.account))
    }
    var changed = member
    try SchoolMembers.setRole(row.role ?? member.role, of: &changed, &stored, core.accounts, by: actor, in: tx)
    var temporary: TemporaryPassword?
    if let password, let hash, try Self.needsPassword(stored.id, newPasswords, at: tx.now, in: tx) {
      stored.passwordHash = hash
      try core.accounts.update(&stored, in: tx)
      temporary = try Self.issue(password, to: stored.id, row, by: staff, in: tx)
      try tx.audit(
        "school.password-reset", object: stored.object, by: actor, changes: [.masked("password", hadValue: true)])
    }
    return isChanged || changed.role != member.role ? .updated(temporary) : .unchanged(temporary)
  }
}
