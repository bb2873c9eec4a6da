import Contracts
import Persistence
import ServiceKit

/// A user's authenticator app and recovery codes.
struct SecondFactorSetup: Feature {
  let core: AuthCore
  let proof: RecentProof

  /// Seconds in which an authenticator app must be confirmed.
  private static let enrolmentSeconds = 600.0

  init(_ core: AuthCore) { (self.core, proof) = (core, RecentProof(core)) }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.GetFactors.self) { _, call in try await list(of: call.user) }
    routes.on(AuthAPI.EnrolTOTP.self) { _, call in try await enrol(call.user, by: call.auditActor) }
    routes.on(AuthAPI.ConfirmTOTP.self) { request, call in
      try await confirm(request.code, call.user, by: call.auditActor)
    }
    routes.on(AuthAPI.DeleteTOTP.self) { _, call -> Void in try await remove(call.user, by: call.auditActor) }
    routes.on(AuthAPI.RenewRecoveryCodes.self) { _, call in try await renew(call.user, by: call.auditActor) }
  }

  private func list(of user: UserCaller) async throws -> SecondFactors {
    try await core.database.read { db in
      guard let session = try core.sessions.find(user.sessionID, in: db) else { throw Problem(.sessionRevoked) }
      return SecondFactors(
        totpSince: try TOTPStore.since(user.id, in: db),
        passkeys: try core.factorCheck.passkeys.list(of: user.id, in: db).map(\.passkey),
        recoveryCodesLeft: try RecoveryCodeStore.left(of: user.id, in: db), provedAt: session.provedAt
      )
    }
  }

  private func enrol(_ user: UserCaller, by actor: AuditActor) async throws -> TOTPEnrolment {
    let totp = TOTP(secret: SecureBytes.random(TOTP.secretBytes))
    let stored = try await core.database.write { tx in
      let stored = try proof.requireOfMember(user, in: tx)
      try core.factorCheck.totp.enrol(totp.secret, of: user, seconds: Self.enrolmentSeconds, in: tx)
      try tx.audit("totp.enrolment-begun", object: stored.object, by: actor)
      return stored.account
    }
    let name = stored.email ?? stored.username ?? stored.displayName
    return TOTPEnrolment(
      secret: Base32.encode(totp.secret),
      uri: totp.uri(account: name, issuer: core.factorCheck.webAuthn.relyingParty.name),
      expiresIn: Int(Self.enrolmentSeconds)
    )
  }

  private enum Outcome: Sendable {
    case confirmed(Account, Session, recoveryCodes: [String]?)
    case wrong
  }

  private func confirm(_ code: OneTimeCode, _ user: UserCaller, by actor: AuditActor) async throws -> EnrolledFactor {
    let attempt = try await core.factorCheck.attempt(.totp(code), by: user)
    let outcome = try await core.database.write { tx -> Outcome in
      let stored = try proof.requireOfMember(user, in: tx)
      guard let totp = try core.factorCheck.totp.enrolment(of: user, in: tx) else { throw Problem(.enrolmentMissing) }
      guard let step = totp.step(of: code, at: tx.now) else {
        try tx.audit("totp.enrolment-failed", object: stored.object, by: actor)
        return .wrong
      }
      try attempt.succeed(in: tx)
      let isFirst = try !FactorState(of: user.id, in: tx).isProtected
      try core.factorCheck.totp.confirm(totp, of: user.id, step: step, in: tx)
      let codes = isFirst ? try RecoveryCodeStore.replace(of: user.id, in: tx) : nil
      try tx.audit("totp.added", object: stored.object, by: actor)
      try core.factorCheck.mails.send(.totpAdded, to: user.id, in: tx)
      let session = try core.sessions.prove(user.sessionID, by: [.oneTimePassword, .multipleFactors], in: tx)
      return .confirmed(stored.account, session, recoveryCodes: codes)
    }
    guard case .confirmed(let account, let session, let codes) = outcome else { throw Problem(.factorWrong) }
    return EnrolledFactor(session: try await core.tokens.proved(account, session), recoveryCodes: codes)
  }

  private func remove(_ user: UserCaller, by actor: AuditActor) async throws {
    try await core.database.write { tx in
      let stored = try proof.requireOfMember(user, in: tx)
      guard try TOTPStore.delete(of: user.id, in: tx) else { return }
      try Self.noteRemoval(of: user.id, in: user.sessionID, by: actor, in: tx)
      try tx.audit("totp.removed", object: stored.object, by: actor)
      try core.factorCheck.mails.send(.totpRemoved, to: user.id, in: tx)
    }
  }

  private func renew(_ user: UserCaller, by actor: AuditActor) async throws -> RecoveryCodes {
    try await core.database.write { tx in
      let stored = try proof.requireOfMember(user, in: tx)
      guard try FactorState(of: user.id, in: tx).isProtected else { throw Problem(.enrolmentMissing) }
      let codes = try RecoveryCodeStore.replace(of: user.id, in: tx)
      try tx.audit("recovery-codes.renewed", object: stored.object, by: actor)
      try core.factorCheck.mails.send(.recoveryCodesRenewed, to: user.id, in: tx)
      return RecoveryCodes(codes: codes)
    }
  }

  /// Removes the authenticator app, the passkeys and the recovery codes of a user, whose sessions the caller ends.
  static func removeAll(of user: UserID, in tx: Transaction) throws {
    _ = try TOTPStore.delete(of: user, in: tx)
    try PasskeyStore.delete(of: user, in: tx)
    try forgetUnprotected(user, in: tx)
  }

  /// With the last factor go the other sessions that have proved it, whose tokens would still allow administration.
  ///
  /// - Parameter session: Of the user who removes the factor; it goes on without what it may do because of it.
  static func noteRemoval(of user: UserID, in session: SessionID, by actor: AuditActor, in tx: Transaction) throws {
    guard try !FactorState(of: user, in: tx).isProtected else { return }
    for other in try SessionStore.proved(of: user, in: tx) where other != session {
      try SessionStore.end(.one(other), of: user, .ended, by: actor, in: tx)
    }
    try forgetUnprotected(user, in: tx)
  }

  /// With the last factor go the recovery codes, and what sessions may do because of it.
  static func forgetUnprotected(_ user: UserID, in tx: Transaction) throws {
    guard try !FactorState(of: user, in: tx).isProtected else { return }
    try RecoveryCodeStore.delete(of: user, in: tx)
    try SessionStore.forgetFactors(of: user, in: tx)
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    guard let since = try TOTPStore.since(user, in: db) else { return [] }
    return [("authenticatorApp", ["since": try JSONValue(since)])]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    _ = try TOTPStore.delete(of: user, in: tx)
    try RecoveryCodeStore.delete(of: user, in: tx)
  }
}
