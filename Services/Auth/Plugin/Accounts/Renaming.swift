import Contracts
import Persistence
import ServiceKit

/// A changed username changes how its user signs in, so a stolen access token is not enough for it, and its user is
/// notified.
struct Renaming: Sendable {
  private let core: AuthCore
  private let proof: RecentProof

  init(_ core: AuthCore) { (self.core, proof) = (core, RecentProof(core)) }

  /// Nothing is required of users who choose their first username.
  /// - Throws: ``Problem`` 403 when there is no recent proof.
  func require(from old: Account, to new: Account, by caller: UserCaller, in tx: Transaction) throws {
    guard let name = old.username, name != new.username else { return }
    try proof.require(caller, in: tx)
    try core.accounts.reserved.reserve(name, for: old.id, in: tx)
    guard old.isEmailVerified, let email = old.email,
      try core.throttle.mails("username", old.id.rawValue).take(in: tx) == nil
    else { return }
    try core.mailer.send(AuthMails.usernameChanged(EmailAddress(checked: email)), person: old.id, in: tx)
  }
}
