import Contracts
import Persistence
import ServiceKit

/// Password reset and password change.
struct Passwords: Sendable {
  let database: any Database
  let accounts: AccountStore
  let hasher: PasswordHasher
  let check: PasswordCheck
  let commonPasswords: CommonPasswords
  let mailedTokens: MailedTokens
  let mailer: Mailer
  let throttle: Throttle
  let sessions: Sessions
  let requests: ResetRequests

  /// Responds identically for known and unknown addresses; the account is looked up later (``ResetRequests``).
  func forgot(_ address: EmailAddress, _ terminal: Terminal) async throws {
    try await throttle.begin([throttle.mails("reset", address.rawValue), throttle.address(terminal.address)])
    try await database.write { [requests] tx in try requests.add(address, in: tx) }
  }

  /// The token is consumed in the same transaction as its effect. Every session ends, and no new session begins.
  func reset(_ form: AuthAPI.ResetPassword, _ terminal: Terminal) async throws {
    try commonPasswords.check(form.password, names: [])
    let address = throttle.address(terminal.address)
    try await throttle.begin([address])
    let hash = try await hasher.hash(form.password.rawValue)
    try await database.write { [accounts, mailedTokens] tx in
      try Throttle.takeBack(address, in: tx)
      guard let proof = try mailedTokens.consume(form.token, .resetPassword, in: tx) else {
        throw Problem(.mailedTokenInvalid)
      }
      var stored = try accounts.required(proof.userID, in: tx)
      guard stored.account.email == proof.address else { throw Problem(.mailedTokenInvalid) }
      // The caller has access to the mailbox, so the address is verified too.
      stored.account.isEmailVerified = true
      let actor = AuditActor.user(stored.id, address: terminal.address)
      try replace(hash, &stored, "password.reset", actor, sparing: nil, in: tx)
    }
  }

  func change(_ user: UserCaller, _ form: AuthAPI.ChangePassword, _ terminal: Terminal, by actor: AuditActor)
    async throws
  {
    let stored = try await database.read { [accounts] db in try accounts.required(user.id, in: db) }
    try commonPasswords.check(form.password, names: [stored.account.email, stored.account.username])
    if stored.passwordHash != nil {
      let account = throttle.account(user.id.rawValue, for: "change")
      let address = throttle.address(terminal.address)
      try await throttle.begin([account, address])
      guard try await check.check(form.current ?? "", against: stored.passwordHash) != .wrong else {
        throw Problem(.invalidCredentials)
      }
      try await database.write { tx in try Throttle.forgive(account, address, in: tx) }
    }
    let hash = try await hasher.hash(form.password.rawValue)
    try await database.write { [accounts, sessions] tx in
      var current = try accounts.required(user.id, in: tx)
      guard current.passwordHash == stored.passwordHash else { throw Problem(.invalidCredentials) }
      try sessions.requireRecent(user.sessionID, unless: current.passwordHash != nil, in: tx)
      try replace(hash, &current, "password.changed", actor, sparing: user.sessionID, in: tx)
    }
  }

  private func replace(
    _ hash: String,
    _ stored: inout StoredAccount,
    _ action: String,
    _ actor: AuditActor,
    sparing session: SessionID?,
    in tx: Transaction
  ) throws {
    let hadPassword = stored.passwordHash != nil
    stored.passwordHash = hash
    try accounts.update(&stored, in: tx)
    // Someone who had the old password may have requested a change of address.
    try mailedTokens.forget(stored.id, in: tx)
    let changes = [AuditChange.masked("password", hadValue: hadPassword)]
    try tx.audit(action, object: stored.object, by: actor, changes: changes)
    try Sessions.end(session.map { .allBut($0) } ?? .all, of: stored.id, .passwordChanged, by: actor, in: tx)
    if let email = stored.account.email, let address = try? EmailAddress(validating: email) {
      try mailer.send(AuthMails.passwordChanged(address), person: stored.id, in: tx)
    }
  }
}
