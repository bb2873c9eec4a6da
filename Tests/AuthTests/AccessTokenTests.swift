import Contracts
import Crypto
import Foundation
import JWTKit
import Synchronization
import TestKit
import Testing

@testable import AuthService
@testable import ServiceKit

/// Verification of access tokens, including forged ones.
struct AccessTokenTests {
  private struct TestIssuer {
    let keys: SigningKeys
    let time = ManualTime()
    var verifier: TokenVerifier { TokenVerifier(time: time.source) { keys.publicKeys } }

    init(pem: String = ES256PrivateKey().pemRepresentation) async throws { keys = try await SigningKeys(pem: pem) }

    func claims(_ change: (inout AccessClaims) -> Void = { _ in }) -> AccessClaims {
      let now = time.source.now().unixSeconds
      var claims = AccessClaims(
        iss: Issuer.name,
        sub: IDGenerator().text(),
        aud: "web",
        sid: IDGenerator().text(),
        scope: "account",
        roles: ["user"],
        iat: now,
        exp: now + 900,
        jti: "1"
      )
      change(&claims)
      return claims
    }
  }

  private func refusal(_ verifier: TokenVerifier, _ token: String) async -> String? {
    do {
      _ = try await verifier.verify(token[...])
      return nil
    } catch {
      return (error as? Problem)?.code ?? "\(error)"
    }
  }

  private func encode(_ header: String, _ claims: AccessClaims, _ sign: (String) throws -> [UInt8]) throws -> String {
    let content = Base64URL.encode(Data(header.utf8)) + "." + Base64URL.encode(try JSONEncoder().encode(claims))
    return content + "." + Base64URL.encode(try sign(content))
  }

  @Test func acceptsItsOwnUntilTheyExpireOrAreRevoked() async throws {
    let issuer = try await TestIssuer()
    let claims = issuer.claims()
    let ended = Mutex<[RevokedSession]>([])
    let feed = RevocationFeed(time: issuer.time.source) { request in
      RevokedSessions(items: ended.withLock { $0 }, next: request.since)
    }
    let verifier = TokenVerifier(time: issuer.time.source, revocations: feed) { [keys = issuer.keys] in keys.publicKeys
    }
    let token = try await issuer.keys.sign(claims)
    let caller = try await verifier.verify(token[...])
    #expect(caller.id.rawValue == claims.sub)
    #expect(caller.roles == [.user])
    #expect(caller.scopes == ["account"])
    let now = issuer.time.source.now()
    ended.withLock { $0 = [RevokedSession(id: SessionID(trusted: claims.sid), revokedAt: now)] }
    try await feed.read()
    #expect(await refusal(verifier, token) == "session-revoked")
    let other = try await issuer.keys.sign(issuer.claims())
    #expect(await refusal(verifier, other) == nil)
    issuer.time.advance(seconds: 900)
    #expect(await refusal(verifier, other) == "token-expired")
    #expect(await refusal(issuer.verifier, other) == "token-expired")
  }

  @Test func refusesForgeries() async throws {
    let issuer = try await TestIssuer()
    let verifier = issuer.verifier
    let kid = issuer.keys.publicKeys.keys[0].kid
    let good = try await issuer.keys.sign(issuer.claims())
    #expect(await refusal(verifier, good) == nil)

    var tokens: [String: String] = [:]
    let parts = good.split(separator: ".").map(String.init)
    tokens["tampered payload"] =
      try parts[0] + "." + Base64URL.encode(JSONEncoder().encode(issuer.claims { $0.roles = ["administrator"] })) + "."
      + parts[2]
    tokens["no signature"] = parts[0] + "." + parts[1] + "."
    tokens["zero signature"] = parts[0] + "." + parts[1] + "." + Base64URL.encode([UInt8](repeating: 0, count: 64))
    tokens["two parts"] = parts[0] + "." + parts[1]
    tokens["padding"] = good + "="
    tokens["nonsense"] = "a.b.c"
    tokens["alg none"] = try encode(#"{"alg":"none","typ":"at+jwt","kid":"\#(kid)"}"#, issuer.claims()) { _ in [] }
    let publicKey = issuer.keys.publicKeys.keys[0]
    tokens["HS256 by the public key"] = try encode(#"{"alg":"HS256","typ":"at+jwt","kid":"\#(kid)"}"#, issuer.claims())
    { content in
      Array(HMAC<SHA256>.authenticationCode(for: Data(content.utf8), using: SymmetricKey(data: Data(publicKey.x.utf8))))
    }
    let foreign = P256.Signing.PrivateKey()
    func signed(_ header: String, by key: P256.Signing.PrivateKey = foreign) throws -> String {
      try encode(header, issuer.claims()) { Array(try key.signature(for: Data($0.utf8)).rawRepresentation) }
    }
    tokens["foreign key"] = try signed(#"{"alg":"ES256","typ":"at+jwt","kid":"\#(kid)"}"#)
    tokens["unknown kid"] = try signed(#"{"alg":"ES256","typ":"at+jwt","kid":"nobody"}"#)
    tokens["kid as path"] = try signed(#"{"alg":"ES256","typ":"at+jwt","kid":"../../etc/passwd"}"#)
    tokens["no kid"] = try signed(#"{"alg":"ES256","typ":"at+jwt"}"#)
    tokens["embedded key"] = try signed(#"{"alg":"ES256","typ":"at+jwt","kid":"\#(kid)","jwk":{"kty":"EC"}}"#)
    tokens["critical extension"] = try signed(#"{"alg":"ES256","typ":"at+jwt","kid":"\#(kid)","crit":["x"]}"#)
    tokens["issuer"] = try await issuer.keys.sign(issuer.claims { $0.iss = "someone" })
    tokens["audience"] = try await issuer.keys.sign(issuer.claims { $0.aud = "another-app" })
    tokens["subject"] = try await issuer.keys.sign(issuer.claims { $0.sub = "ada" })
    tokens["session"] = try await issuer.keys.sign(issuer.claims { $0.sid = "" })
    tokens["issued in the future"] = try await issuer.keys.sign(issuer.claims { $0.iat += 600 })
    for (name, token) in tokens {
      #expect(await refusal(verifier, token) == "token-invalid", "\(name)")
    }
    #expect(await refusal(verifier, try await issuer.keys.sign(issuer.claims { $0.exp -= 1000 })) == "token-expired")
  }

  /// Correct key and claims, but the `typ` of an ID token.
  @Test func refusesOtherTypes() async throws {
    let key = ES256PrivateKey()
    let issuer = try await TestIssuer(pem: key.pemRepresentation)
    let kid = JWKIdentifier(string: issuer.keys.publicKeys.keys[0].kid)
    let signer = JWTKeyCollection()
    await signer.add(ecdsa: key, kid: kid)
    let token = try await signer.sign(issuer.claims(), kid: kid)
    #expect(await refusal(issuer.verifier, token) == "token-invalid")
  }

  @Test func verifiesWithBothKeysDuringRotation() async throws {
    let (old, new) = (ES256PrivateKey(), ES256PrivateKey())
    let before = try await TestIssuer(pem: old.pemRepresentation)
    let during = try await TestIssuer(pem: new.pemRepresentation + "\n" + old.pemRepresentation)
    #expect(during.keys.publicKeys.keys.count == 2)
    for issuer in [before, during] {
      #expect(await refusal(during.verifier, try await issuer.keys.sign(issuer.claims())) == nil)
    }
  }
}
