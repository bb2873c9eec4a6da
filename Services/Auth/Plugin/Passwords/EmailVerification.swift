import Contracts
import Persistence
import ServiceKit

/// Verifies e-mail addresses, at sign-up and when they are changed.
struct EmailVerification: Feature {
  let database: any Database
  let accounts: AccountStore
  let emailTokens: EmailTokenStore
  let mailer: Mailer
  let passwords: PasswordCheck
  let throttle: Throttle
  let mailLimits: MailLimits
  let sessions: SessionStore

  private static let lifetime = 86_400.0

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.VerifyEmail.self) { request, call in
      try await verify(request, by: call.identifiedUser, ClientInfo(call.context))
    }
    routes.on(AuthAPI.ResendVerification.self) { _, call in
      try await resend(to: call.user.id, ClientInfo(call.context))
    }
    routes.on(AuthAPI.ChangeEmail.self) { request, call in
      try await change(call.user, request, ClientInfo(call.context), by: call.auditActor)
    }
  }

  /// Mails a token that verifies the address of a new account, unless the address has got too many mails: the account
  /// is created all the same, and its user requests the mail later.
  func send(to address: EmailAddress, of user: UserID, for clientInfo: ClientInfo, in tx: Transaction) throws {
    guard try mailLimits.take(to: address, from: clientInfo.address, in: tx) == nil else { return }
    try issue(to: address, of: user, in: tx)
  }

  private func issue(to address: EmailAddress, of user: UserID, in tx: Transaction) throws {
    let token = try emailTokens.issue(.verifyEmail, for: user, to: address.rawValue, seconds: Self.lifetime, in: tx)
    try mailer.send(AuthMails.verification(of: address, token: token), person: user, in: tx)
  }

  func resend(to user: UserID, _ clientInfo: ClientInfo) async throws {
    let stored = try await database.read { [accounts] db in try accounts.get(user, in: db) }
    guard let email = stored.account.email, !stored.account.isEmailVerified else { return }
    let address = try EmailAddress(validating: email)
    try await database.write { tx in
      try throttle.mails("verify", user.rawValue).require(.tooManyAttempts, in: tx)
      try require(address, clientInfo, in: tx)
      try issue(to: address, of: user, in: tx)
    }
  }

  private func require(_ address: EmailAddress, _ clientInfo: ClientInfo, in tx: Transaction) throws {
    if let wait = try mailLimits.take(to: address, from: clientInfo.address, in: tx) {
      throw Problem(.tooManyAttempts, detail: "The address has got too many e-mails.", retryAfter: wait)
    }
  }

  /// Mails a token to the requested address, and a warning to the current one.
  func change(_ user: UserCaller, _ request: AuthAPI.ChangeEmail, _ clientInfo: ClientInfo, by actor: AuditActor)
    async throws
  {
    let stored = try await database.read { [accounts] db in try accounts.get(user.id, in: db) }
    guard !stored.isGuest else { throw Problem(.fullAccountRequired) }
    if let hash = stored.passwordHash {
      let guess = throttle.guess(in: user.sessionID, for: "change", from: clientInfo.address)
      try await throttle.recordAttempt(guess)
      guard try await passwords.check(request.password ?? "", against: hash) != .wrong else {
        throw Problem(.invalidCredentials)
      }
      try await database.write { tx in try guess.succeed(in: tx) }
    }
    try await database.write { [accounts, sessions, emailTokens, mailer, throttle] tx in
      try throttle.mails("change", user.id.rawValue).require(.tooManyAttempts, in: tx)
      try require(request.email, clientInfo, in: tx)
      // The account may have changed since the check.
      let current = try accounts.get(user.id, in: tx)
      guard current.passwordHash == stored.passwordHash, !current.isDisabled else { throw Problem(.invalidCredentials) }
      let isProved = try current.passwordHash != nil && !FactorState(of: user.id, in: tx).isProtected
      try sessions.requireRecent(user.sessionID, of: user.id, unless: isProved, in: tx)
      let token = try emailTokens.issue(
        .changeEmail,
        for: user.id,
        to: request.email.rawValue,
        seconds: Self.lifetime,
        in: tx
      )
      try mailer.send(AuthMails.verification(of: request.email, token: token), person: user.id, in: tx)
      try tx.audit("email-change.requested", object: stored.object, by: actor)
      // An address that is not verified may be someone else's.
      if current.account.isEmailVerified, let present = current.account.email,
        let address = try? EmailAddress(validating: present)
      {
        try mailer.send(AuthMails.changeRequested(address), person: user.id, in: tx)
      }
    }
  }

  /// - Parameter user: The signed-in caller, if there is one.
  func verify(_ request: AuthAPI.VerifyEmail, by user: UserCaller?, _ clientInfo: ClientInfo) async throws {
    let found = try await database.read { [accounts, emailTokens] db in
      try emailTokens.findUser(request.token, in: db).flatMap { try accounts.find($0, in: db) }
    }
    guard let found else { throw Problem(.mailedTokenInvalid) }
    try await checkOwnership(of: found, request.password, user, clientInfo)
    try await database.write { [accounts, emailTokens, sessions] tx in
      let proof =
        try emailTokens.consume(request.token, .verifyEmail, in: tx)
        ?? emailTokens.consume(request.token, .changeEmail, in: tx)
      guard let proof, var stored = try accounts.find(proof.userID, in: tx), stored.id == found.id, !stored.isDisabled
      else { throw Problem(.mailedTokenInvalid) }
      if let user {
        guard try SessionStore.isLive(user.sessionID, of: user.id, in: tx) else { throw Problem(.sessionRevoked) }
      } else {
        guard stored.passwordHash == found.passwordHash else { throw Problem(.invalidCredentials) }
      }
      let actor = AuditActor.user(stored.id, session: user?.sessionID, address: clientInfo.address)
      switch proof.purpose {
      case .verifyEmail: try verify(proof.address, of: &stored, by: actor, in: tx)
      case .changeEmail:
        let session = try user.flatMap { try sessions.find($0.sessionID, in: tx) }
        try change(to: proof.address, &stored, in: session, by: actor, in: tx)
      case .resetPassword: throw Problem(.mailedTokenInvalid)
      }
      try tx.record(UserChanged(userID: stored.id, version: stored.account.version))
      try tx.record(UserAddressVerified(userID: stored.id))
    }
  }

  /// Requires that the caller is who signed up: a token alone proves the address, and its owner may be someone else.
  private func checkOwnership(
    of stored: StoredAccount, _ password: String?, _ user: UserCaller?, _ clientInfo: ClientInfo
  ) async throws {
    if let user {
      guard user.id == stored.id else { throw Problem(.signInToVerify) }
      return
    }
    guard let password else { throw Problem(.signInToVerify) }
    let guess = throttle.guess(of: stored.id.rawValue, from: clientInfo.address, on: nil)
    try await throttle.recordAttempt(guess)
    guard try await passwords.check(password, against: stored.passwordHash) != .wrong else {
      throw Problem(.invalidCredentials)
    }
    try await database.write { tx in try guess.succeed(in: tx) }
  }

  private func verify(_ address: String, of stored: inout StoredAccount, by actor: AuditActor, in tx: Transaction)
    throws
  {
    // The address may have been changed since.
    guard stored.account.email == address else { throw Problem(.mailedTokenInvalid) }
    stored.account.isEmailVerified = true
    try accounts.update(&stored, in: tx)
    try tx.audit("email.verified", object: stored.object, by: actor)
  }

  private func change(
    to address: String, _ stored: inout StoredAccount, in session: Session?, by actor: AuditActor,
    in tx: Transaction
  ) throws {
    try AddressProof.free(address, besides: stored.id, accounts, by: actor, in: tx)
    let hadEmail = stored.account.email != nil
    if stored.account.isEmailVerified, let former = stored.account.email, former != address {
      try FormerAddressStore(keys: emailTokens.keys).add(former, of: stored.id, in: session, in: tx)
    }
    stored.account.email = address
    stored.account.isEmailVerified = true
    try accounts.update(&stored, in: tx)
    // Tokens sent to the old address are no longer valid.
    try EmailTokenStore.delete(of: stored.id, in: tx)
    try tx.audit(
      "email.changed", object: stored.object, by: actor, changes: [.masked("email", hadValue: hadEmail)])
  }
}
