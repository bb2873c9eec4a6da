import Contracts
import Logging
import Persistence
import ServiceKit

struct Refresh: Feature {
  let core: AuthCore

  /// The transaction's result; a revocation commits although the caller gets an error.
  private enum Outcome: Sendable {
    case session(Session, Account)
    case reused
    case refused
  }

  init(_ core: AuthCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.Refresh.self) { request, call in
      try await refresh(request.refreshToken, on: ClientInfo(call.context), call.logger)
    }
    // The gateway asks, so nothing is known of the browser.
    routes.on(AuthAPI.RenewSession.self) { request, call in
      try await refresh(request.refreshToken, on: nil, call.logger)
    }
  }

  /// - Parameter clientInfo: Of the app, whose refresh token is replaced; `nil` to keep it.
  private func refresh(_ text: String, on clientInfo: ClientInfo?, _ logger: Logger) async throws -> Authentication {
    guard let presented = RefreshToken.Unverified(text) else { throw Problem(.refreshTokenInvalid) }
    let outcome = try await core.database.write { tx in try decide(presented, clientInfo, tx) }
    switch outcome {
    case .session(let session, let account): return try await core.tokens(account, session)
    case .reused:
      logger.notice("a refresh token was reused", metadata: ["session": "\(presented.token.session)"])
      throw Problem(.refreshTokenReused)
    case .refused: throw Problem(.refreshTokenInvalid)
    }
  }

  private func decide(_ presented: RefreshToken.Unverified, _ clientInfo: ClientInfo?, _ tx: Transaction) throws
    -> Outcome
  {
    guard let session = try core.sessions.find(presented.token.session, in: tx),
      presented.isVerified(by: session.tokenKey),
      let stored = try core.accounts.find(session.userID, in: tx), !stored.isDisabled
    else { return .refused }
    let wish = try PreferenceStore.find(session.userID, in: tx).logOutAfterMinutes
    let limits = core.sessions.limits.narrowed(to: wish)
    switch RefreshDecision.of(presented.token.generation, for: session, at: tx.now, limits) {
    case .rotate:
      guard let clientInfo else { return .session(try core.sessions.keep(session, limits, in: tx), stored.account) }
      return .session(try core.sessions.rotate(session, limits, on: clientInfo, in: tx), stored.account)
    case .repeatSuccessor: return .session(session, stored.account)
    case .revoke:
      let actor = AuditActor("anonymous", session: session.id, address: clientInfo?.address)
      try SessionStore.end(.one(session.id), of: session.userID, .refreshTokenReused, by: actor, in: tx)
      return .reused
    case .refuse: return .refused
    }
  }
}
