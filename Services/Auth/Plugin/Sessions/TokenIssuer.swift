import Contracts
import Persistence
import ServiceKit

/// Issues the tokens of sessions and clients.
struct TokenIssuer: Sendable {
  let database: any Database
  let keys: SigningKeys
  let time: TimeSource
  let ids: IDGenerator
  let lifetime: Double
  let minors: Minors

  func callAsFunction(_ account: Account, _ session: Session) async throws -> Authentication {
    let now = time.now()
    let (features, hints, awaitsGuardian) = try await database.read { [minors] db in
      (
        try EntitlementStore.features(of: account.id, at: now, in: db),
        try FactorHints(account, session, at: now, in: db),
        try minors.limited(among: [account], in: db).isEmpty ? nil : true
      )
    }
    let claims = AccessClaims(
      iss: Issuer.name,
      sub: account.id.rawValue,
      aud: session.app.rawValue,
      sid: session.id.rawValue,
      scope: session.app.scopes.filter(session.allows).map(\.rawValue).joined(separator: " "),
      roles: account.roles.map(\.rawValue),
      iat: now.unixSeconds,
      exp: now.unixSeconds + Int64(lifetime),
      jti: ids.text(),
      ent: features.isEmpty ? nil : features.map(\.rawValue),
      authTime: session.provedAt.unixSeconds,
      amr: session.methods.isEmpty ? nil : session.methods.map(\.rawValue),
      awaitsGuardian: awaitsGuardian
    )
    return Authentication(
      user: account,
      accessToken: try await keys.sign(claims),
      refreshToken: session.refreshToken.text(key: session.tokenKey),
      expiresIn: Int(lifetime),
      session: session.id,
      missingFields: session.app.missingFields(of: account),
      missingFactor: hints.missingFactor,
      offersPasskey: hints.offersPasskey
    )
  }

  /// The token of a registered client; it has no session and cannot be refreshed.
  func callAsFunction(_ client: StoredClient, scopes: [Scope]) async throws -> ClientToken {
    let now = time.now()
    let scope = scopes.map(\.rawValue).joined(separator: " ")
    let claims = AccessClaims(
      iss: Issuer.name,
      sub: client.id.rawValue,
      aud: ClientApp.web.rawValue,
      sid: client.session.rawValue,
      clientID: client.id.rawValue,
      scope: scope,
      roles: client.roles.map(\.rawValue),
      iat: now.unixSeconds,
      exp: now.unixSeconds + Int64(lifetime),
      jti: ids.text()
    )
    return ClientToken(accessToken: try await keys.sign(claims), expiresIn: Int(lifetime), scope: scope)
  }
}
