import Contracts
import Persistence
import ServiceKit

/// What a guest has done moves to the account that the guest signs in to.
struct GuestSignIn: Sendable {
  let accounts: AccountStore
  let verifier: TokenVerifier

  init(_ core: AuthCore) { (accounts, verifier) = (core.accounts, core.environment.tokens) }

  /// - Parameter token: The guest's access token, which proves that the caller is the guest.
  func verify(_ token: String?) async throws -> UserID? {
    guard let token else { return nil }
    return try await verifier.verify(token[...]).id
  }

  /// Notifies services of the account of a guest; the guest account stays as it is.
  ///
  /// - Throws: ``Problem`` `not-a-guest` when the account of the token has become a full account, or is deleted.
  func move(_ guest: UserID, to user: UserID, in tx: Transaction) throws {
    guard guest != user else { return }
    guard try accounts.find(guest, in: tx)?.isGuest ?? false else { throw Problem(.notAGuest) }
    try tx.record(GuestSignedIn(guestID: guest, userID: user))
    try tx.audit("guest.signed-in", object: "user:\(user)", by: .user(guest, address: nil))
  }
}
