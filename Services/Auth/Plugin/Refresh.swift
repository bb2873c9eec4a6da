import Contracts
import Logging
import Persistence

struct Refresh: Sendable {
  let database: any Database
  let sessions: Sessions
  let tokens: TokenIssue

  /// The transaction's result; a revocation commits although the caller gets an error.
  private enum Outcome: Sendable {
    case session(Session, Account)
    case reused
    case refused
  }

  func callAsFunction(_ text: String, _ logger: Logger) async throws -> Authentication {
    guard let presented = RefreshToken.Unproved(text) else { throw Problem(.refreshTokenInvalid) }
    let outcome = try await database.write { tx in try decide(presented, tx) }
    switch outcome {
    case .session(let session, let account): return try await tokens(account, session)
    case .reused:
      logger.notice("a refresh token was used again", metadata: ["session": "\(presented.token.session)"])
      throw Problem(.refreshTokenReused)
    case .refused: throw Problem(.refreshTokenInvalid)
    }
  }

  private func decide(_ presented: RefreshToken.Unproved, _ tx: Transaction) throws -> Outcome {
    guard let session = try sessions.find(presented.token.session, in: tx), presented.isProved(by: session.tokenKey),
      let account = try AccountStore.find(session.userID, in: tx)
    else { return .refused }
    switch RefreshDecision.of(presented.token.generation, for: session, at: tx.now, sessions.limits) {
    case .rotate: return .session(try sessions.rotate(session, in: tx), account)
    case .repeatSuccessor: return .session(session, account)
    case .revoke:
      try Sessions.revoke(session.id, of: session.userID, .refreshTokenReused, in: tx)
      return .reused
    case .refuse: return .refused
    }
  }
}
