import Contracts
import Crypto
import Foundation
import JWTKit
import Synchronization

/// Authenticates calls between services by short-lived tokens (HS256), signed with keys that all services share.
///
/// The first key signs and all keys verify. To rotate, insert the new key first and remove the old one later. Services
/// in a single process use a random key.
public final class ServiceIdentity: Sendable {
  private struct Claims: JWTPayload {
    var sub: String
    var aud: String
    var iat: Int64
    var exp: Int64
    func verify(using algorithm: some JWTAlgorithm) {}
  }

  private struct State {
    var issued: [String: (token: String, until: Timestamp)] = [:]
    var verified: [SHA256Digest: Claims] = [:]
  }

  /// How long a token is valid, in seconds.
  private let lifetime: Double
  private let keys = JWTKeyCollection()
  private let signer: JWKIdentifier
  /// Signs URLs with keys derived from the same secrets.
  let urls: URLSigner
  private let time: TimeSource
  private let state = Mutex(State())

  /// - Parameters:
  ///   - secrets: At least 32 bytes each.
  ///   - lifetime: How long its tokens are valid, in seconds.
  init(secrets: [[UInt8]], time: TimeSource, lifetime: Double = 60) async {
    (self.time, self.lifetime) = (time, lifetime)
    signer = Self.identifier(of: secrets[0])
    urls = URLSigner(secrets: secrets)
    for secret in secrets {
      await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256, kid: Self.identifier(of: secret))
    }
  }

  /// Creates an identity with a single random key, for services in one process.
  static func random(time: TimeSource) async -> ServiceIdentity {
    await ServiceIdentity(secrets: [SecureBytes.random(32)], time: time)
  }

  private static func identifier(of secret: [UInt8]) -> JWKIdentifier {
    JWKIdentifier(string: Base64URL.encode(SHA256.hash(data: secret).prefix(6)))
  }

  /// Returns a token for calls from `caller` to `audience`; cached for half of its lifetime.
  func token(caller: String, audience: String) async throws -> String {
    let now = time.now()
    let key = "\(caller) \(audience)"
    if let known = state.withLock({ $0.issued[key] }), known.until > now { return known.token }
    let claims = Claims(
      sub: caller,
      aud: audience,
      iat: now.unixSeconds,
      exp: now.unixSeconds + Int64(lifetime)
    )
    let token = try await keys.sign(claims, kid: signer)
    state.withLock { $0.issued[key] = (token, now.advanced(bySeconds: lifetime / 2)) }
    return token
  }

  /// Verifies a token and returns the calling service's name.
  /// - Throws: ``Problem`` 401.
  func verify(_ token: Substring, audience: String) async throws -> String {
    let now = time.now()
    let digest = SHA256.hash(data: Data(token.utf8))
    let claims: Claims
    if let known = state.withLock({ $0.verified[digest] }) {
      claims = known
    } else {
      guard let verified = try? await keys.verify(String(token), as: Claims.self) else { throw Problem(.tokenInvalid) }
      claims = verified
      state.withLock { state in
        if state.verified.count > 1000 { state.verified = [:] }
        state.verified[digest] = verified
      }
    }
    guard claims.aud == audience, claims.iat <= now.unixSeconds + Int64(TokenVerifier.leeway) else {
      throw Problem(.tokenInvalid)
    }
    guard claims.exp > now.unixSeconds else { throw Problem(.tokenExpired) }
    return claims.sub
  }
}
