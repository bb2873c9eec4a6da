import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Password reset and password change.
struct Passwords: Feature {
  let database: any Database
  let accounts: AccountStore
  let hasher: PasswordHasher
  let check: PasswordCheck
  let commonPasswords: CommonPasswords
  let emailTokens: EmailTokenStore
  let mailer: Mailer
  let throttle: Throttle
  let sessions: SessionStore
  let requests: ResetRequests
  let undo: SignInUndo
  let time: TimeSource

  init(_ core: AuthCore) throws {
    (database, accounts, hasher, check) = (core.database, core.accounts, core.hasher, core.passwordCheck)
    (commonPasswords, emailTokens, mailer) = (core.commonPasswords, core.emailTokens, core.mailer)
    (throttle, sessions, time) = (core.throttle, core.sessions, core.time)
    requests = try ResetRequests(core)
    undo = SignInUndo(core)
  }

  var workers: [any Service] { [requests] }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.ForgotPassword.self) { request, call in
      try await forgot(request.email, ClientInfo(call.context))
    }
    routes.on(AuthAPI.ResetPassword.self) { request, call in try await reset(request, ClientInfo(call.context)) }
    routes.on(AuthAPI.ChangePassword.self) { request, call in
      try await change(call.user, request, ClientInfo(call.context), by: call.auditActor)
    }
  }

  /// Responds identically for known and unknown addresses, and when there were too many requests; the account is looked
  /// up later (``ResetRequests``).
  func forgot(_ address: EmailAddress, _ clientInfo: ClientInfo) async throws {
    let limit = throttle.resets(from: clientInfo.address)
    try await database.write { [requests] tx in
      guard try limit.take(in: tx) == nil else { return }
      try requests.add(address, from: clientInfo.address, in: tx)
    }
  }

  /// The token is consumed in the same transaction as its effect. Every session ends, and no new session begins.
  func reset(_ request: AuthAPI.ResetPassword, _ clientInfo: ClientInfo) async throws {
    try commonPasswords.check(request.password, names: [])
    // A token cannot be guessed, so the failures of a network do not count; without one, no password is hashed.
    let now = time.now()
    let isValid = try await database.read { [emailTokens] db in
      try emailTokens.isValid(request.token, .resetPassword, at: now, in: db)
    }
    guard isValid else { throw Problem(.mailedTokenInvalid) }
    let hash = try await hasher.hash(request.password.rawValue)
    try await database.write { [accounts, emailTokens, throttle, undo] tx in
      guard let proof = try emailTokens.consume(request.token, .resetPassword, in: tx) else {
        throw Problem(.mailedTokenInvalid)
      }
      var stored = try accounts.get(proof.userID, in: tx)
      guard stored.account.email == proof.address else { throw Problem(.mailedTokenInvalid) }
      let actor = AuditActor.user(stored.id, address: clientInfo.address)
      // The caller has access to the mailbox, so the address is verified too.
      if !stored.account.isEmailVerified { try AddressProof.reclaim(&stored, by: actor, in: tx) }
      // Failed guesses do not hold up the account's owner.
      try throttle.forget(stored.account, in: tx)
      try KnownDeviceStore.delete(of: stored.id, in: tx)
      // Nor do those who guessed the right one keep what they have added.
      try undo.passwordWasReset(of: stored.id, by: proof.address, actor, in: tx)
      try replace(hash, &stored, "password.reset", actor, sparing: nil, in: tx)
    }
  }

  func change(_ user: UserCaller, _ request: AuthAPI.ChangePassword, _ clientInfo: ClientInfo, by actor: AuditActor)
    async throws
  {
    let stored = try await database.read { [accounts] db in try accounts.get(user.id, in: db) }
    try commonPasswords.check(request.password, names: [stored.account.email, stored.account.username])
    if stored.passwordHash != nil {
      let guess = throttle.guess(in: user.sessionID, for: "change", from: clientInfo.address)
      try await throttle.recordAttempt(guess)
      guard try await check.check(request.current ?? "", against: stored.passwordHash) != .wrong else {
        throw Problem(.invalidCredentials)
      }
      try await database.write { tx in try guess.succeed(in: tx) }
    }
    let hash = try await hasher.hash(request.password.rawValue)
    try await database.write { [accounts, sessions] tx in
      var current = try accounts.get(user.id, in: tx)
      guard current.passwordHash == stored.passwordHash else { throw Problem(.invalidCredentials) }
      let isProved = try current.passwordHash != nil && !FactorState(of: user.id, in: tx).isProtected
      try sessions.requireRecent(user.sessionID, of: user.id, unless: isProved, in: tx)
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
    try EmailTokenStore.delete(of: stored.id, in: tx)
    try TemporaryPasswordStore.delete(of: stored.id, in: tx)
    let changes = [AuditChange.masked("password", hadValue: hadPassword)]
    try tx.audit(action, object: stored.object, by: actor, changes: changes)
    try SessionStore.end(session.map { .allBut($0) } ?? .all, of: stored.id, .passwordChanged, by: actor, in: tx)
    // An address that is not verified may be someone else's.
    if stored.account.isEmailVerified, let email = stored.account.email,
      let address = try? EmailAddress(validating: email)
    {
      try mailer.send(AuthMails.passwordChanged(address), person: stored.id, in: tx)
    }
  }

  // MARK: privacy

  func erase(_ user: UserID, in tx: Transaction) throws { try EmailTokenStore.delete(of: user, in: tx) }
}
