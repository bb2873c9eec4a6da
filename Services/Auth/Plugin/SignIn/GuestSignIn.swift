import Contracts
import Persistence
import ServiceKit

/// Moves a guest's data to the account that the guest signs in to.
struct GuestSignIn: Sendable {
  let core: AuthCore

  /// The guest that a sign-in claims to be made by.
  struct Claim: Sendable {
    let guest: UserID
    let refreshToken: String?
  }

  init(_ core: AuthCore) { self.core = core }

  /// - Parameters:
  ///   - token: The guest's access token.
  ///   - refreshToken: That of the same guest, which ``prove(_:at:in:)`` checks.
  func verify(_ token: String?, _ refreshToken: String?) async throws -> Claim? {
    guard let token else { return nil }
    return Claim(guest: try await core.environment.tokens.verify(token[...]).id, refreshToken: refreshToken)
  }

  /// An access token alone, which could be stolen, does not take what the guest has.
  ///
  /// - Throws: ``Problem`` `refresh-token-invalid` without a valid refresh token of the guest.
  func prove(_ claim: Claim?, at now: Timestamp, in db: any Connection) throws -> UserID? {
    guard let claim else { return nil }
    try core.sessions.requireRefreshToken(claim.refreshToken, of: claim.guest, at: now, in: db)
    return claim.guest
  }

  func prove(_ claim: Claim?, in tx: Transaction) throws -> UserID? { try prove(claim, at: tx.now, in: tx) }

  /// Notifies services of the account of a guest; the guest account stays as it is.
  ///
  /// - Throws: ``Problem`` `not-a-guest` when the account of the token has become a full account, or is deleted.
  func move(_ guest: UserID, to user: UserID, in tx: Transaction) throws {
    guard guest != user else { return }
    guard try core.accounts.find(guest, in: tx)?.isGuest ?? false else { throw Problem(.notAGuest) }
    try tx.record(GuestSignedIn(guestID: guest, userID: user))
    try tx.audit("guest.signed-in", object: "user:\(user)", by: .user(guest, address: nil))
  }
}
