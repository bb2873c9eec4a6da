import Contracts
import Crypto
import Foundation
import JWTKit
import Persistence
import ServiceKit

/// The person whom a verified ID token identifies.
struct ProvedPerson: Sendable, Equatable {
  var issuer: String
  var subject: String
  /// Only addresses that the provider has verified.
  var email: String?
  var givenName: String?
  var familyName: String?
  var app: ClientApp
  /// The hash to record as used; `nil` when no nonce was checked.
  var nonceHash: String?
  /// The hash of the token's signed part, to record as used.
  var tokenHash: String
  var expiresAt: Timestamp

  var identity: ProviderIdentity { ProviderIdentity(issuer: issuer, subject: subject) }
}

/// Verifies ID tokens according to OpenID Connect Core 1.0 §3.1.3.7; each failure has its own problem code.
struct IDTokenVerifier: Sendable {
  let provider: ProviderSettings
  let keys: ProviderKeys
  let time: TimeSource

  /// Allowed clock skew, in seconds.
  private static let leeway: Int64 = 60
  /// Maximum age of an ID token, in seconds: it must prove a recent sign-in.
  private static let oldest: Int64 = 3600

  private struct Claims: JWTPayload {
    var iss: String?
    var sub: String?
    var aud: Audience?
    var azp: String?
    var exp: Double?
    var iat: Double?
    var nbf: Double?
    var nonce: String?
    var email: String?
    var emailVerified: Flag?
    var givenName: String?
    var familyName: String?

    enum CodingKeys: String, CodingKey {
      case iss, sub, aud, azp, exp, iat, nbf, nonce, email
      case emailVerified = "email_verified"
      case givenName = "given_name"
      case familyName = "family_name"
    }

    func verify(using algorithm: some JWTAlgorithm) {}
  }

  /// A string or an array of strings.
  private struct Audience: Codable {
    var values: [String]
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let one = try? container.decode(String.self) {
        values = [one]
      } else {
        values = try container.decode([String].self)
      }
    }
    func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
  }

  /// Apple encodes booleans as strings.
  private struct Flag: Codable {
    var value: Bool
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let flag = try? container.decode(Bool.self) {
        value = flag
      } else {
        value = try container.decode(String.self) == "true"
      }
    }
    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
  }

  /// - Parameter nonce: The nonce that the app sent to the provider for this sign-in.
  func verify(_ token: String, nonce: String?) async throws -> ProvedPerson {
    let claims = try await provedClaims(of: token)
    guard let issuer = claims.iss, provider.isIssuer(issuer) else { throw Problem(.idTokenIssuer) }
    let client = try client(of: claims)
    try checkTimes(claims)
    guard let subject = claims.sub, (1...255).contains(subject.utf8.count) else { throw Problem(.idTokenSubject) }
    let nonceHash = try check(nonce, against: claims.nonce, client)
    if claims.email != nil, claims.emailVerified?.value != true { throw Problem(.idTokenEmailUnverified) }
    return ProvedPerson(
      // The configured issuer, because the provider's own `iss` may have several forms.
      issuer: provider.issuer,
      subject: subject,
      email: claims.email.flatMap { try? EmailAddress(validating: $0).rawValue },
      givenName: claims.givenName,
      familyName: claims.familyName,
      app: client.app,
      nonceHash: nonceHash,
      tokenHash: Self.hash(token),
      expiresAt: Int64(exactly: (claims.exp ?? 0).rounded()).flatMap { Timestamp(seconds: $0) }
        ?? Timestamp(microseconds: 0)
    )
  }

  private func provedClaims(of token: String) async throws -> Claims {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = JOSEHeader(base64URL: parts[0]), Base64URL.decode(parts[1]) != nil,
      Base64URL.decode(parts[2]) != nil, !header.hasCriticalExtensions
    else { throw Problem(.idTokenMalformed) }
    // Keys in the token itself (`jku`, `jwk`, `x5u`) are ignored.
    guard ["RS256", "ES256"].contains(header.algorithm) else { throw Problem(.idTokenAlgorithm) }
    let key = try await keys.key(header.keyID)
    // The key determines the algorithm, not the token.
    guard key.algorithm == header.algorithm else { throw Problem(.idTokenAlgorithm) }
    do { return try await key.verifier.verify(token, as: Claims.self) } catch let error as JWTError
      where error.errorType == .signatureVerificationFailed
    {
      throw Problem(.idTokenSignature)
    } catch let error as JWTError where error.errorType == .malformedToken {
      throw Problem(.idTokenMalformed)
    } catch {
      throw Problem(.idTokenSignature)
    }
  }

  private func client(of claims: Claims) throws -> ProviderSettings.Client {
    let audience = claims.aud?.values ?? []
    guard let client = provider.clients.first(where: { audience.contains($0.id) }) else {
      throw Problem(.idTokenAudience)
    }
    let others = audience.filter { id in !provider.clients.contains { $0.id == id } }
    guard others.isEmpty else { throw Problem(.idTokenAudience) }
    // Google's native sign-in: `aud` is the server's client, `azp` the phone's. Both must be configured.
    if let party = claims.azp, !provider.clients.contains(where: { $0.id == party }) {
      throw Problem(.idTokenAuthorizedParty)
    }
    return client
  }

  private func checkTimes(_ claims: Claims) throws {
    let now = Double(time.now().unixSeconds)
    let leeway = Double(Self.leeway)
    guard let expiry = claims.exp, expiry.isFinite, expiry < 1e12, let issued = claims.iat, issued.isFinite else {
      throw Problem(.idTokenMalformed)
    }
    guard expiry + leeway > now else { throw Problem(.idTokenExpired) }
    guard issued <= now + leeway, claims.nbf ?? 0 <= now + leeway else { throw Problem(.idTokenFromTheFuture) }
    guard issued + Double(Self.oldest) + leeway > now else { throw Problem(.idTokenTooOld) }
  }

  /// A hash of the header and the claims, without the signature: an ES256 signature can be changed into another valid
  /// one.
  private static func hash(_ token: String) -> String {
    let signed = token.prefix(upTo: token.lastIndex(of: ".") ?? token.endIndex)
    return Base64URL.encode(SHA256.hash(data: Data(signed.utf8)))
  }

  /// Checks the nonce and returns the hash to record, so that the nonce cannot be reused.
  private func check(_ sent: String?, against claimed: String?, _ client: ProviderSettings.Client) throws
    -> String?
  {
    switch client.nonce {
    case .ignored: return nil
    case .required where sent == nil || claimed == nil: throw Problem(.idTokenNonceMissing)
    case .ifSent where sent == nil && claimed != nil: throw Problem(.idTokenNonceUnexpected)
    case .ifSent where sent != nil && claimed == nil: throw Problem(.idTokenNonceMissing)
    case .required, .ifSent: break
    }
    guard let sent, let claimed else { return nil }
    // Whoever has a captured token knows the claim. When the app has sent only the nonce's hash to the provider, as with
    // Apple, only the app knows the nonce.
    let expected = client.hashesNonce ? SHA256.hash(data: Data(sent.utf8)).hexadecimal : sent
    guard SecureBytes.areEqual(Array(claimed.utf8), Array(expected.utf8)) else { throw Problem(.idTokenNonceWrong) }
    return Base64URL.encode(SHA256.hash(data: Data("\(provider.issuer)\n\(claimed)".utf8)))
  }
}
