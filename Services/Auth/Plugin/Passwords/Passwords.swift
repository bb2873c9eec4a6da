import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Password reset and password change.
struct Passwords: Feature {
  let core: AuthCore
  let requests: ResetRequests
  let undo: SignInUndo

  init(_ core: AuthCore) throws { (self.core, requests, undo) = (core, try ResetRequests(core), SignInUndo(core)) }

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
    let limit = core.throttle.resets(from: clientInfo.address)
    try await core.database.write { tx in
      guard try limit.take(in: tx) == nil else { return }
      try requests.add(address, from: clientInfo.address, in: tx)
    }
  }

  /// The token is consumed in the same transaction as its effect. Every session ends, and no new session begins.
  func reset(_ request: AuthAPI.ResetPassword, _ clientInfo: ClientInfo) async throws {
    try core.commonPasswords.check(request.password, names: [])
    // A token cannot be guessed, so the failures of a network do not count; without one, no password is hashed.
    let now = core.time.now()
    let isValid = try await core.database.read { db in
      try core.emailTokens.isValid(request.token, .resetPassword, at: now, in: db)
    }
    guard isValid else { throw Problem(.mailedTokenInvalid) }
    let hash = try await core.hasher.hash(request.password.rawValue)
    try await core.database.write { tx in
      guard let proof = try core.emailTokens.consume(request.token, .resetPassword, in: tx) else {
        throw Problem(.mailedTokenInvalid)
      }
      var stored = try core.accounts.get(proof.userID, in: tx)
      guard stored.account.email == proof.address else { throw Problem(.mailedTokenInvalid) }
      let actor = AuditActor.user(stored.id, address: clientInfo.address)
      // The caller has access to the mailbox, so the address is verified too.
      if !stored.account.isEmailVerified { try AddressProof.reclaim(&stored, by: actor, in: tx) }
      // Failed guesses do not hold up the account's owner.
      try core.throttle.forget(stored.account, in: tx)
      try KnownDeviceStore.delete(of: stored.id, in: tx)
      // Nor do those who guessed the right one keep what they have added.
      try undo.passwordWasReset(of: stored.id, by: proof.address, actor, in: tx)
      try replace(hash, &stored, "password.reset", actor, sparing: nil, in: tx)
    }
  }

  func change(_ user: UserCaller, _ request: AuthAPI.ChangePassword, _ clientInfo: ClientInfo, by actor: AuditActor)
    async throws
  {
    let stored = try await core.database.read { db in try core.accounts.get(user.id, in: db) }
    try core.commonPasswords.check(request.password, names: [stored.account.email, stored.account.username])
    if stored.passwordHash != nil {
      let guess = core.throttle.guess(in: user.sessionID, for: "change", from: clientInfo.address)
      try await core.throttle.recordAttempt(guess)
      guard try await core.passwordCheck.check(request.current ?? "", against: stored.passwordHash) != .wrong else {
        throw Problem(.invalidCredentials)
      }
      try await core.database.write { tx in try guess.succeed(in: tx) }
    }
    let hash = try await core.hasher.hash(request.password.rawValue)
    try await core.database.write { tx in
      var current = try core.accounts.get(user.id, in: tx)
      guard current.passwordHash == stored.passwordHash else { throw Problem(.invalidCredentials) }
      let isProved = try current.passwordHash != nil && !FactorState(of: user.id, in: tx).isProtected
      try core.sessions.requireRecent(user.sessionID, of: user.id, unless: isProved, in: tx)
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
    try core.accounts.update(&stored, in: tx)
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
      try core.mailer.send(AuthMails.passwordChanged(address), person: stored.id, in: tx)
    }
  }

  // MARK: privacy

  func erase(_ user: UserID, in tx: Transaction) throws { try EmailTokenStore.delete(of: user, in: tx) }
}
