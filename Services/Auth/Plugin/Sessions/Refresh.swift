import Contracts
import Logging
import Persistence
import ServiceKit

struct Refresh: Sendable {
  let database: any Database
  let accounts: AccountStore
  let sessions: Sessions
  let tokens: TokenIssue

  /// The transaction's result; a revocation commits although the caller gets an error.
  private enum Outcome: Sendable {
    case session(Session, Account)
    case reused
    case refused
  }

  func callAsFunction(_ text: String, _ terminal: Terminal, _ logger: Logger) async throws -> Authentication {
    guard let presented = RefreshToken.Unproved(text) else { throw Problem(.refreshTokenInvalid) }
    let outcome = try await database.write { tx in try decide(presented, terminal, tx) }
    switch outcome {
    case .session(let session, let account): return try await tokens(account, session)
    case .reused:
      logger.notice("a refresh token was reused", metadata: ["session": "\(presented.token.session)"])
      throw Problem(.refreshTokenReused)
    case .refused: throw Problem(.refreshTokenInvalid)
    }
  }

  private func decide(_ presented: RefreshToken.Unproved, _ terminal: Terminal, _ tx: Transaction) throws -> Outcome {
    guard let session = try sessions.find(presented.token.session, in: tx), presented.isProved(by: session.tokenKey),
      let stored = try accounts.find(session.userID, in: tx), !stored.isDisabled
    else { return .refused }
    let wish = try Preferences.find(session.userID, in: tx).logOutAfterMinutes
    let limits = sessions.limits.narrowed(to: wish)
    switch RefreshDecision.of(presented.token.generation, for: session, at: tx.now, limits) {
    case .rotate: return .session(try sessions.rotate(session, on: terminal, in: tx), stored.account)
    case .repeatSuccessor: return .session(session, stored.account)
    case .revoke:
      let actor = AuditActor("anonymous", session: session.id, address: terminal.address)
      try Sessions.end(.one(session.id), of: session.userID, .refreshTokenReused, by: actor, in: tx)
      return .reused
    case .refuse: return .refused
    }
  }
}
