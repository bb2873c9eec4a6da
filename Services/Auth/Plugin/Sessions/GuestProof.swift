import Contracts
import Persistence
import ServiceKit

extension SessionStore {
  /// Requires a refresh token of the user that is valid, without using it: guests have nothing else that a thief of an
  /// access token does not have.
  /// - Throws: ``Problem`` 401 otherwise.
  func requireRefreshToken(_ text: String?, of user: UserID, in tx: Transaction) throws {
    try requireRefreshToken(text, of: user, at: tx.now, in: tx)
  }

  func requireRefreshToken(_ text: String?, of user: UserID, at now: Timestamp, in db: any Connection) throws {
    guard let text, let presented = RefreshToken.Unverified(text),
      let session = try find(presented.token.session, in: db), session.userID == user,
      presented.isVerified(by: session.tokenKey)
    else { throw Problem(.refreshTokenInvalid) }
    switch RefreshDecision.of(presented.token.generation, for: session, at: now, limits) {
    case .rotate, .repeatSuccessor: return
    case .revoke, .refuse: throw Problem(.refreshTokenInvalid)
    }
  }
}
