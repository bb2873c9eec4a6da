import Contracts
import Persistence
import ServiceKit

/// The effect of the proof of an e-mail address, by a mailed token or by a provider, on an account that has named the
/// address without verifying it: someone else may have signed up with it, and must not keep access.
enum AddressProof {
  /// Gives the account to the owner of its address: removes every credential and ends every session. The address counts
  /// as verified afterward; the caller stores the account.
  static func reclaim(_ stored: inout StoredAccount, by actor: AuditActor, in tx: Transaction) throws {
    let hadPassword = stored.passwordHash != nil
    stored.passwordHash = nil
    stored.account.isEmailVerified = true
    try removeCredentials(of: stored.id, by: actor, in: tx)
    try tx.audit(
      "account.reclaimed", object: stored.object, by: actor,
      changes: [.masked("password", hadValue: hadPassword, hasValue: false)])
    try tx.record(UserAddressVerified(userID: stored.id))
  }

  /// Removes an unverified address from the account that has it, because a user has proved it for another account.
  static func free(
    _ address: String, besides user: UserID, _ accounts: AccountStore, by actor: AuditActor, in tx: Transaction
  ) throws {
    guard var stored = try accounts.find(email: address, in: tx), stored.id != user, !stored.account.isEmailVerified
    else { return }
    try accounts.freeAddress(of: &stored, by: actor, in: tx)
  }

  private static func removeCredentials(of user: UserID, by actor: AuditActor, in tx: Transaction) throws {
    try IdentityStore.delete(of: user, in: tx)
    try SecondFactorSetup.removeAll(of: user, in: tx)
    try EmailTokenStore.delete(of: user, in: tx)
    try KnownDeviceStore.delete(of: user, in: tx)
    try KnownPlaceStore.delete(of: user, in: tx)
    try SignInReportStore.delete(of: user, in: tx)
    try SessionStore.end(.all, of: user, .passwordChanged, by: actor, in: tx)
  }
}
