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
  let sessions: SessionStore

  private static let lifetime = 86_400.0

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.VerifyEmail.self) { request, call in
      try await verify(request.token, by: ClientInfo(call.context))
    }
    routes.on(AuthAPI.ResendVerification.self) { _, call in try await resend(to: call.user.id) }
    routes.on(AuthAPI.ChangeEmail.self) { request, call in
      try await change(call.user, request, ClientInfo(call.context), by: call.auditActor)
    }
  }

  /// Mails a token that verifies the address of a new account.
  func send(to address: EmailAddress, of user: UserID, in tx: Transaction) throws {
    let token = try emailTokens.issue(.verifyEmail, for: user, to: address.rawValue, seconds: Self.lifetime, in: tx)
    try mailer.send(AuthMails.verification(of: address, token: token), person: user, in: tx)
  }

  func resend(to user: UserID) async throws {
    let stored = try await database.read { [accounts] db in try accounts.get(user, in: db) }
    guard let email = stored.account.email, !stored.account.isEmailVerified else { return }
    let address = try EmailAddress(validating: email)
    try await throttle.recordAttempt([throttle.mails("verify", email)])
    try await database.write { tx in try send(to: address, of: user, in: tx) }
  }

  /// Mails a token to the requested address, and a warning to the current one.
  func change(_ user: UserCaller, _ request: AuthAPI.ChangeEmail, _ clientInfo: ClientInfo, by actor: AuditActor)
    async throws
  {
    let stored = try await database.read { [accounts] db in try accounts.get(user.id, in: db) }
    if let hash = stored.passwordHash {
      let account = throttle.account(user.id.rawValue, for: "change")
      let address = throttle.address(clientInfo.address)
      try await throttle.recordAttempt([account, address])
      guard try await passwords.check(request.password ?? "", against: hash) != .wrong else {
        throw Problem(.invalidCredentials)
      }
      try await database.write { tx in try Throttle.reset(account, address, in: tx) }
    }
    try await throttle.recordAttempt([throttle.mails("change", user.id.rawValue)])
    try await database.write { [accounts, sessions, emailTokens, mailer] tx in
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
      if let present = stored.account.email, let address = try? EmailAddress(validating: present) {
        try mailer.send(AuthMails.changeRequested(address), person: user.id, in: tx)
      }
    }
  }

  func verify(_ token: String, by clientInfo: ClientInfo) async throws {
    try await database.write { [accounts, emailTokens] tx in
      if let proof = try emailTokens.consume(token, .verifyEmail, in: tx) {
        var stored = try accounts.get(proof.userID, in: tx)
        // The address may have been changed since.
        guard stored.account.email == proof.address else { throw Problem(.mailedTokenInvalid) }
        stored.account.isEmailVerified = true
        try accounts.update(&stored, in: tx)
        try tx.audit("email.verified", object: stored.object, by: .user(stored.id, address: clientInfo.address))
        try tx.record(UserChanged(userID: stored.id, version: stored.account.version))
        try tx.record(UserAddressVerified(userID: stored.id))
      } else if let proof = try emailTokens.consume(token, .changeEmail, in: tx) {
        var stored = try accounts.get(proof.userID, in: tx)
        let hadEmail = stored.account.email != nil
        stored.account.email = proof.address
        stored.account.isEmailVerified = true
        try accounts.update(&stored, in: tx)
        // Tokens sent to the old address are no longer valid.
        try EmailTokenStore.delete(of: stored.id, in: tx)
        try tx.audit(
          "email.changed",
          object: stored.object,
          by: .user(stored.id, address: clientInfo.address),
          changes: [.masked("email", hadValue: hadEmail)]
        )
        try tx.record(UserChanged(userID: stored.id, version: stored.account.version))
        try tx.record(UserAddressVerified(userID: stored.id))
      } else {
        throw Problem(.mailedTokenInvalid)
      }
    }
  }
}
