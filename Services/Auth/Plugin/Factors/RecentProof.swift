import Contracts
import Persistence
import ServiceKit

/// Requires a proof that is at most five minutes old for actions that a stolen access token must not allow: the sign-in
/// itself, or one given later (``Proofs``). Its time is stored with the session, not in tokens, so that it cannot be
/// kept.
struct RecentProof: Sendable {
  let core: AuthCore

  init(_ core: AuthCore) { self.core = core }

  /// Guests have nothing to prove themselves with and are exempt.
  /// - Throws: ``Problem`` 403 when there is no recent proof, 401 when the session has ended.
  func require(_ user: UserCaller, in tx: Transaction) throws {
    let stored = try core.accounts.get(user.id, in: tx)
    try core.sessions.requireRecent(user.sessionID, of: user.id, unless: stored.isGuest, in: tx)
  }

  /// The same for what staff do to accounts of others. Registered clients have nothing to prove themselves with and are
  /// refused.
  func requireOfStaff(_ user: UserCaller, in tx: Transaction) throws {
    guard !user.isClient else { throw Problem(.recentSignInRequired, detail: "Registered clients cannot do this.") }
    try core.sessions.requireRecent(user.sessionID, of: user.id, unless: false, in: tx)
  }

  /// The same for what guests cannot have.
  func requireOfMember(_ user: UserCaller, in tx: Transaction) throws -> StoredAccount {
    let stored = try core.accounts.get(user.id, in: tx)
    guard !stored.isGuest else { throw Problem(.forbidden, detail: "Guests cannot set up second factors.") }
    try core.sessions.requireRecent(user.sessionID, of: user.id, unless: false, in: tx)
    return stored
  }
}
