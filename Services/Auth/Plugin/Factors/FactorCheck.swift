import Contracts
import Persistence
import ServiceKit

/// Checks second factors. What was refused is counted and audited in the same transaction, which must therefore commit.
struct FactorCheck: Sendable {
  let totp: TOTPStore
  let passkeys: PasskeyStore
  let webAuthn: WebAuthn
  let throttle: Throttle
  let mails: FactorMails

  enum Verdict: Sendable {
    case proved([AuthenticationMethod])
    case refused(Problem.Kind)
  }

  /// A counted attempt; answers that cannot be guessed are not counted.
  struct Attempt: Sendable {
    fileprivate let guess: Throttle.Guess?

    func succeed(in tx: Transaction) throws { try guess?.succeed(in: tx) }
  }

  /// Counts an attempt at the second step of a sign-in before it is made.
  /// - Parameter device: The hash of a device that has signed in to the account before.
  /// - Throws: ``Problem`` 429 with the seconds to wait.
  func attempt(_ answer: FactorAnswer, on user: UserID, from clientInfo: ClientInfo, device: String?) async throws
    -> Attempt
  {
    switch answer {
    case .totp: try await count(throttle.guess(atFactorOf: user, from: clientInfo.address, on: device))
    case .recoveryCode where device == nil:
      try await count(throttle.guess(atRecoveryCodeOf: user, from: clientInfo.address))
    case .recoveryCode, .passkey: Attempt(guess: nil)
    }
  }

  /// Counts an attempt to prove a session, with a password if there is no other answer.
  /// - Throws: ``Problem`` 429 with the seconds to wait.
  func attempt(_ answer: FactorAnswer?, by user: UserCaller) async throws -> Attempt {
    if case .passkey = answer { return Attempt(guess: nil) }
    return try await count(throttle.guess(atProofOf: user.id, in: user.sessionID))
  }

  private func count(_ guess: Throttle.Guess) async throws -> Attempt {
    Attempt(guess: try await throttle.recordAttempt(guess))
  }

  /// - Parameter purpose: What the challenge was made for, if the answer is a passkey's.
  func check(
    _ answer: FactorAnswer, of user: UserID, for purpose: PasskeyChallengeStore.Purpose, by actor: AuditActor,
    in tx: Transaction
  ) throws -> Verdict {
    switch answer {
    case .totp(let code):
      if try totp.use(code, of: user, in: tx) { return .proved([.oneTimePassword, .multipleFactors]) }
      try noteFailure(.totp, of: user, by: actor, in: tx)
      return .refused(.factorWrong)
    case .recoveryCode(let code):
      if try RecoveryCodeStore.use(code, of: user, in: tx) {
        try tx.audit("recovery-code.used", object: "user:\(user)", by: actor)
        try mails.send(.recoveryCodeUsed, to: user, in: tx)
        return .proved([.oneTimePassword, .multipleFactors])
      }
      try noteFailure(.recoveryCode, of: user, by: actor, in: tx)
      return .refused(.factorWrong)
    case .passkey(let assertion):
      let proved = try passkey(assertion, for: purpose, of: user, by: actor, in: tx)
      return proved == nil ? .refused(.passkeyRefused) : .proved(Self.passkeyMethods)
    }
  }

  /// A passkey counts as two factors, because its authenticator has verified the user.
  static let passkeyMethods: [AuthenticationMethod] = [.possession, .presence, .multipleFactors]

  private func noteFailure(_ kind: FactorKind, of user: UserID, by actor: AuditActor, in tx: Transaction) throws {
    try tx.audit(
      "second-factor.failed", object: "user:\(user)", by: actor,
      changes: [AuditChange("factor", from: nil, to: kind.rawValue)])
  }

  // MARK: passkeys

  /// - Parameter user: Whose passkey it must be; `nil` when the passkey identifies its user.
  /// - Returns: The user whose passkey it is; `nil` when it is refused.
  func passkey(
    _ answer: PasskeyAssertion, for purpose: PasskeyChallengeStore.Purpose, of user: UserID?, by actor: AuditActor,
    in tx: Transaction
  ) throws -> UserID? {
    let stored = try passkeys.find(credential: answer.id.rawValue, in: tx)
    do {
      let data = try verify(answer, stored, for: purpose, of: user, in: tx)
      guard let stored else { return nil }
      try PasskeyStore.noteUse(
        stored.id, signCount: data.signCount, isBackedUp: data.flags.contains(.backedUp), in: tx)
      return stored.userID
    } catch let refusal as PasskeyRefusal {
      try tx.audit(
        "passkey.refused", object: stored?.object ?? user.map { "user:\($0)" } ?? "unknown", by: actor,
        changes: [AuditChange("reason", from: nil, to: refusal.rawValue)])
      if refusal == .counter, let stored {
        try PasskeyStore.distrust(stored.id, in: tx)
        try tx.audit("passkey.distrusted", object: stored.object, by: actor)
        try mails.send(.passkeyDistrusted, to: stored.userID, in: tx)
      }
      return nil
    }
  }

  private func verify(
    _ answer: PasskeyAssertion, _ stored: StoredPasskey?, for purpose: PasskeyChallengeStore.Purpose, of user: UserID?,
    in tx: Transaction
  ) throws -> AuthenticatorData {
    let assertion = try webAuthn.assert(answer)
    guard let issuedAt = try PasskeyChallengeStore.take(assertion.challenge, purpose, in: tx) else {
      throw PasskeyRefusal.challenge
    }
    guard let stored else { throw PasskeyRefusal.unknown }
    let handle = answer.response.userHandle.map { Base64URL.decode($0.rawValue) }
    guard user == nil ? handle != nil : user == stored.userID else { throw PasskeyRefusal.user }
    if let handle, handle != Passkeys.handle(of: stored.userID) { throw PasskeyRefusal.user }
    guard stored.key.isValid(assertion.signature, of: assertion.signed) else { throw PasskeyRefusal.signature }
    guard !stored.passkey.isDistrusted else { throw PasskeyRefusal.distrusted }
    let data = assertion.data
    guard data.flags.contains(.backupEligible) == stored.isBackupEligible else { throw PasskeyRefusal.backup }
    // Authenticators without a counter always say 0; any other number that does not grow indicates a copy.
    guard (data.signCount == 0 && stored.signCount == 0) || Int64(data.signCount) > stored.signCount else {
      // The later answer of two concurrent sign-ins may arrive first; that says nothing about a copy.
      throw stored.passkey.lastUsedAt.map { issuedAt < $0 } ?? false ? PasskeyRefusal.overtaken : PasskeyRefusal.counter
    }
    return data
  }
}
