import Contracts
import ServiceKit

/// Issues the tokens of a session.
struct TokenIssue: Sendable {
  let keys: SigningKeys
  let time: TimeSource
  let ids: IDGenerator
  let lifetime: Double

  func callAsFunction(_ account: Account, _ session: Session) async throws -> Authentication {
    let now = time.now()
    let claims = AccessClaims(
      iss: TokenIssuer.name,
      sub: account.id.rawValue,
      aud: session.app.rawValue,
      sid: session.id.rawValue,
      scope: session.app.scopes.joined(separator: " "),
      roles: account.roles.map(\.rawValue),
      iat: now.unixSeconds,
      exp: now.unixSeconds + Int64(lifetime),
      jti: ids.text()
    )
    return Authentication(
      user: account,
      accessToken: try await keys.sign(claims),
      refreshToken: session.refreshToken.text(key: session.tokenKey),
      expiresIn: Int(lifetime),
      session: session.id
    )
  }
}
