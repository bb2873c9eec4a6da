import Contracts
import Crypto
import CryptoExtras
import Foundation
import ServiceKit
import Synchronization
import TestKit

/// A fake provider: discovery, a key set, and tokens with arbitrary content.
final class FakeProvider: Sendable {
  let rsa: _RSA.Signing.PrivateKey
  let ec = P256.Signing.PrivateKey()
  let time: ManualTime
  private let server: Mutex<ScriptedServer?> = Mutex(nil)
  private let keys: Mutex<String>
  let keyRequests = Mutex(0)
  let issuer: String

  init(time: ManualTime) throws {
    self.time = time
    rsa = try _RSA.Signing.PrivateKey(pemRepresentation: String(contentsOfFile: Self.keyFile, encoding: .utf8))
    let primitives = try rsa.publicKey.getKeyPrimitives()
    let point = ec.publicKey.rawRepresentation
    let ownKeys = """
      {"keys":[{"kty":"RSA","kid":"rsa","use":"sig","alg":"RS256","n":"\(Base64URL.encode(primitives.modulus))",
        "e":"\(Base64URL.encode(primitives.publicExponent))"},
       {"kty":"EC","kid":"ec","use":"sig","alg":"ES256","crv":"P-256","x":"\(Base64URL.encode(point.prefix(32)))",
        "y":"\(Base64URL.encode(point.suffix(32)))"},
       {"kty":"oct","kid":"hmac","k":"c2VjcmV0"}]}
      """
    keys = Mutex(ownKeys)
    let holder = Mutex<FakeProvider?>(nil)
    let started = try ScriptedServer { connection in
      while true {
        let head = connection.readHead()
        if head.isEmpty { return }
        guard let provider = holder.withLock({ $0 }) else { return }
        if head.contains("openid-configuration") {
          connection.answer(#"{"issuer":"\#(provider.issuer)","jwks_uri":"\#(provider.issuer)/keys"}"#)
        } else {
          provider.keyRequests.withLock { $0 += 1 }
          connection.answer(provider.keys.withLock { $0 }, headers: "Cache-Control: public, max-age=600\r\n")
        }
      }
    }
    issuer = started.origin
    server.withLock { $0 = started }
    holder.withLock { $0 = self }
  }

  func stop() { server.withLock { $0?.stop() } }

  private static let keyFile = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Resources/rsa-test-key.pem").path

  /// The settings that enable this provider.
  func settings(nonce: String = "ifSent") -> [String: String] {
    [
      "auth.oidcProviders":
        #"[{"name":"test","issuer":"\#(issuer)","clients":[{"id":"app-1","app":"keepfit","nonce":"\#(nonce)"},"#
        + #"{"id":"app-2","app":"archived","nonce":"ignored"},"#
        + #"{"id":"app-3","app":"roomi","hashesNonce":true}]}]"#,
      "auth.providerSeconds": "300",
    ]
  }

  func claims(_ changes: [String: Any?] = [:]) -> [String: Any] {
    let now = time.source.now().unixSeconds
    let usual: [String: Any] = [
      "iss": issuer, "sub": "person-1", "aud": "app-1", "iat": now, "exp": now + 3600, "email": "ada@example.com",
      "email_verified": true, "jti": UUID().uuidString, "name": "Ada Lovelace", "given_name": "Ada",
      "family_name": "Lovelace",
    ]
    return changes.reduce(into: usual) { $0[$1.key] = $1.value }
  }

  func token(_ claims: [String: Any], header: [String: Any] = [:], sign: ((Data) throws -> [UInt8])? = nil) throws
    -> String
  {
    let head = ["alg": "ES256", "kid": "ec", "typ": "JWT"].merging(header) { "\($1)" }
    let content =
      Base64URL.encode(try JSONSerialization.data(withJSONObject: head)) + "."
      + Base64URL.encode(try JSONSerialization.data(withJSONObject: claims))
    let data = Data(content.utf8)
    let signature = try sign?(data) ?? Array(ec.signature(for: data).rawRepresentation)
    return content + "." + Base64URL.encode(signature)
  }
}
