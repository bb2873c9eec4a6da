import Contracts
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
    case updated, unchanged
    case rejected(String)
  }

  /// One transaction for each row, so that a row that fails changes nothing and keeps no other from being imported.
  func callAsFunction(_ file: ImportFile, into school: School, by staff: UserID, _ actor: AuditActor) async throws
    -> SchoolImportReport
  {
    let list = try MemberRows(file)
    var report = ImportReport(rejected: list.rejected)
    var passwords: [TemporaryPassword] = []
    for row in list.rows {
      switch try await take(row, school, by: staff, actor) {
      case .created(let password):
        report.created += 1
        passwords.append(password)
      case .updated: report.updated += 1
      case .unchanged: report.unchanged += 1
      case .rejected(let reason): report.rejected.append(.init(line: row.line, errors: [reason]))
      }
    }
    report.rejected.sort { $0.line < $1.line }
    return SchoolImportReport(report: report, passwords: passwords)
  }

  private func take(_ row: MemberRow, _ school: School, by staff: UserID, _ actor: AuditActor) async throws -> Outcome {
    let isKnown = try await core.database.read { [store] db in
      try store.find(row.number, at: school.id, in: db) != nil
    }
    // Only new members get a password.
    let password = isKnown ? nil : TemporaryPasswordStore.make()
    var hash: String?
    if let password { hash = try await core.hasher.hash(password) }
    do {
      return try await core.database.write { [hash] tx in
        try SchoolMembers.requireStaff(staff, of: school.id, in: tx)
        if let member = try store.find(row.number, at: school.id, in: tx) {
          return try update(member, row, by: actor, in: tx)
        }
        guard let password, let hash else { return .rejected("the member has left meanwhile") }
        return .created(try create(row, school, password, hash, by: staff, actor, in: tx))
      }
    } catch let problem as Problem where problem.is(.usernameTaken) {
      return .rejected("username is taken")
    } catch let problem as Problem where problem.is(.guardianConsentRequired) {
      return .rejected("the birthday of a minor can only be corrected by support")
    }
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
    let expiresAt = tx.now.advanced(bySeconds: TemporaryPasswordStore.lifetime)
    try TemporaryPasswordStore.put(for: stored.id, by: staff, until: expiresAt, in: tx)
    try tx.record(UserRegistered(userID: stored.id, app: .letustudy))
    try tx.audit(
      "account.imported", object: stored.object, by: actor,
      changes: [AuditChange("school", from: nil, to: "school:\(school.id)")])
    return TemporaryPassword(
      userID: stored.id, number: row.number, username: row.username.rawValue, password: password, expiresAt: expiresAt)
  }

  /// Values that the row omits stay.
  private func update(_ member: StoredMember, _ row: MemberRow, by actor: AuditActor, in tx: Transaction) throws
    -> Outcome
  {
    guard member.role != .staff, var stored = try core.accounts.find(member.user, in: tx),
      Set(stored.account.roles).isDisjoint(with: [.administrator, .support, .owner])
    else { return .rejected("the school manages no such account") }
    let before = stored
    stored.account.username = row.username.rawValue
    stored.account.details.firstName = row.firstName ?? stored.account.details.firstName
    stored.account.details.lastName = row.lastName ?? stored.account.details.lastName
    stored.account.details.birthday = row.birthday ?? stored.account.details.birthday
    if stored != before {
      // A school does not replace the guardian.
      try core.minors.requireBirthdayMayChange(from: before.account, to: stored.account, in: tx)
      try core.accounts.update(&stored, in: tx)
      try ProfileChange(core.minors).note(from: before.account, to: stored.account, in: tx)
      try tx.audit(
        "profile.changed", object: stored.object, by: actor,
        changes: Profiles.changes(from: before.account, to: stored.account))
    }
    var changed = member
    try SchoolMembers.setRole(row.role ?? member.role, of: &changed, &stored, core.accounts, by: actor, in: tx)
    return stored == before ? .unchanged : .updated
  }
}
