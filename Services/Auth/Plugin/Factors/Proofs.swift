import Contracts
import Persistence
import ServiceKit

/// Proofs that the caller is still the user, for what needs a recent one (``RecentProof``).
struct Proofs: Feature {
  let core: AuthCore
  let options: PasskeyOptions

  private enum Outcome: Sendable {
    case proved(Account, Session)
    case refused(Problem.Kind)
  }

  init(_ core: AuthCore) { (self.core, options) = (core, PasskeyOptions(core)) }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.Prove.self) { request, call in
      try await prove(request, call.user, by: call.auditActor)
    }
    routes.on(AuthAPI.ProofPasskeyOptions.self) { _, call in
      let user = try call.user
      return try await core.database.write { tx in
        let found = try options.request(.proof(user.sessionID), of: user.id, in: tx)
        guard !found.allowCredentials.isEmpty else { throw Problem(.passkeyNotFound) }
        return found
      }
    }
  }

  private func prove(_ request: AuthAPI.Prove, _ user: UserCaller, by actor: AuditActor) async throws -> ProvedSession {
    let given = try FactorAnswer.only(
      totp: request.totp, recoveryCode: request.recoveryCode, passkey: request.passkey, password: request.password)
    let attempt = try await core.factorCheck.attempt(given, by: user)
    let known = try await core.database.read { db in try core.accounts.get(user.id, in: db) }
    var isPasswordRight = false
    if let password = request.password {
      isPasswordRight = try await core.passwordCheck.check(password, against: known.passwordHash) != .wrong
    }
    let outcome = try await core.database.write { [isPasswordRight] tx -> Outcome in
      let stored = try core.accounts.get(user.id, in: tx)
      guard !stored.isDisabled, try SessionStore.isLive(user.sessionID, of: user.id, in: tx) else {
        return .refused(.sessionRevoked)
      }
      let methods: [AuthenticationMethod]
      if let given {
        switch try core.factorCheck.check(given, of: user.id, for: .proof(user.sessionID), by: actor, in: tx) {
        case .proved(let proved): methods = proved
        case .refused(let kind): return .refused(kind)
        }
      } else {
        // The password may have been changed since the check.
        guard isPasswordRight, stored.passwordHash == known.passwordHash else {
          try tx.audit("proof.failed", object: stored.object, by: actor)
          return .refused(.invalidCredentials)
        }
        guard try !FactorState(of: user.id, in: tx).isProtected else { return .refused(.secondFactorRequired) }
        methods = [.password]
      }
      try attempt.succeed(in: tx)
      try tx.audit("session.proved", object: "session:\(user.sessionID)", by: actor)
      return .proved(stored.account, try core.sessions.prove(user.sessionID, by: methods, in: tx))
    }
    switch outcome {
    case .proved(let account, let session): return try await core.tokens.proved(account, session)
    case .refused(let kind): throw Problem(kind)
    }
  }
}

extension TokenIssuer {
  /// The answer to a proof: a new access token, but no refresh token, which a thief of an access token must not get.
  func proved(_ account: Account, _ session: Session) async throws -> ProvedSession {
    let made = try await self(account, session)
    return ProvedSession(accessToken: made.accessToken, expiresIn: made.expiresIn, provedAt: session.provedAt)
  }
}
