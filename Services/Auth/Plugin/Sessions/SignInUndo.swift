import Contracts
import Persistence
import ServiceKit

/// Takes back what may have been added to an account by someone else who had signed in.
struct SignInUndo: Sendable {
  let core: AuthCore
  let reports: SignInReportStore
  let formerAddresses: FormerAddressStore

  /// Seconds by which the clocks of instances may differ: what was added by another one than that of the sign-in may seem to
  /// be older.
  private static let tolerance = 60.0

  /// From when on something may have been added by whoever signed in at a moment.
  static func start(of signIn: Timestamp) -> Timestamp { signIn.advanced(bySeconds: -tolerance) }

  init(_ core: AuthCore) {
    self.core = core
    reports = SignInReportStore(keys: core.dataKeys)
    formerAddresses = FormerAddressStore(keys: core.dataKeys)
  }

  /// Removes the second factors, recovery codes, identities at providers and known places that are not older than a
  /// sign-in, and ends the temporary passwords that were given to schools' members since. The sessions have to be ended
  /// by the caller.
  /// - Returns: Whether there was something to sign in with.
  @discardableResult
  func removeCredentials(of user: UserID, since signIn: Timestamp, by actor: AuditActor, in tx: Transaction) throws
    -> Bool
  {
    let start = Self.start(of: signIn)
    let removed = [
      ("authenticator-app", try TOTPStore.delete(of: user, since: start, in: tx)),
      ("passkeys", try PasskeyStore.delete(of: user, since: start, in: tx)),
      ("recovery-codes", try RecoveryCodeStore.delete(of: user, since: start, in: tx)),
      ("identities", try IdentityStore.delete(of: user, since: start, in: tx)),
    ].filter { $0.1 > 0 }
    try SecondFactorSetup.forgetUnprotected(user, in: tx)
    try KnownPlaceStore.delete(of: user, since: start, in: tx)
    try MembershipEnd.revokePasswords(issuedBy: user, since: start, by: actor, in: tx)
    guard !removed.isEmpty else { return false }
    try tx.audit(
      "credentials.removed", object: "user:\(user)", by: actor,
      changes: removed.map { AuditChange($0.0, from: String($0.1), to: nil) })
    return true
  }

  /// After the password was reset: what was added since an unusual sign-in that was reported to the proved mailbox goes
  /// too, and the user learns of it, unless that sign-in has proved a factor from before, which a thief of the password has
  /// not. These reports are done with; those to other mailboxes stay and do not count, so that neither whoever gives the
  /// account an address of their own nor whoever has a former one gains by them.
  func passwordWasReset(of user: UserID, by address: String, _ actor: AuditActor, in tx: Transaction) throws {
    let signIn = try reports.earliest(of: user, mailedTo: address, in: tx)
    try reports.delete(of: user, mailedTo: address, in: tx)
    guard let signIn, try !hasProvedFactor(of: user, at: signIn, in: tx),
      try removeCredentials(of: user, since: signIn, by: actor, in: tx)
    else { return }
    try core.factorCheck.mails.send(.credentialsRemoved, to: user, in: tx)
  }

  /// Whether a sign-in of a user has proved a second factor that the user still has: none is possible without.
  private func hasProvedFactor(of user: UserID, at signIn: Timestamp, in tx: Transaction) throws -> Bool {
    try FactorState.oldest(of: user, in: tx).map { $0 < Self.start(of: signIn) } ?? false
  }

  /// Gives an account the address back that it had at a sign-in. The caller stores the account.
  /// - Returns: The verified address that the account then has, to which a code for a new password goes; `nil` when it has
  ///   none, or when another account has the former one.
  func restoreAddress(
    of stored: inout StoredAccount, _ report: SignInReportStore.Report, by actor: AuditActor, in tx: Transaction
  )
    throws -> String?
  {
    let present = stored.account.isEmailVerified ? stored.account.email : nil
    let signIn = report.earliest
    let former = try formerAddresses.find(at: signIn, of: stored.id, in: tx)
    try FormerAddressStore.delete(of: stored.id, since: Self.start(of: signIn), in: tx)
    guard let former, former != stored.account.email else { return present }
    try AddressProof.free(former, besides: stored.id, core.accounts, by: actor, in: tx)
    guard try core.accounts.find(email: former, in: tx) == nil else { return nil }
    // Later sign-ins were reported to the address that someone else has given the account.
    try SignInReportStore.delete(of: stored.id, since: signIn, in: tx)
    stored.account.email = former
    stored.account.isEmailVerified = true
    try tx.audit("email.restored", object: stored.object, by: actor, changes: [.masked("email")])
    return former
  }
}
