import Contracts
import Persistence
import ServiceKit

/// A changed username changes how its user signs in, so a stolen access token is not enough for it, and its user is
/// notified.
struct Renaming: Sendable {
  private let accounts: AccountStore
  private let proof: RecentProof
  private let throttle: Throttle
  private let mailer: Mailer

  init(_ core: AuthCore) {
    (accounts, proof, throttle, mailer) = (core.accounts, RecentProof(core), core.throttle, core.mailer)
  }

  /// Nothing is required of users who choose their first username.
  /// - Throws: ``Problem`` 403 when there is no recent proof.
  func require(from old: Account, to new: Account, by caller: UserCaller, in tx: Transaction) throws {
    guard let name = old.username, name != new.username else { return }
    try proof.require(caller, in: tx)
    try accounts.reserved.reserve(name, for: old.id, in: tx)
    guard old.isEmailVerified, let email = old.email,
      try throttle.mails("username", old.id.rawValue).take(in: tx) == nil
    else { return }
    try mailer.send(AuthMails.usernameChanged(EmailAddress(checked: email)), person: old.id, in: tx)
  }
}
