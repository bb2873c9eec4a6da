import Contracts
import Crypto
import Foundation
import JWTKit
import ServiceKit

/// The signing keys of access tokens: the first key signs and all are published, so that a new key can be added in
/// front while tokens signed with the old one are still valid.
struct SigningKeys: Sendable {
  let publicKeys: JSONWebKeySet
  private let keys = JWTKeyCollection()
  private let signer: JWKIdentifier

  init(pem: String) async throws(SettingError) {
    let end = "-----END PRIVATE KEY-----"
    let parts = pem.split(separator: end).map(String.init).filter { $0.contains("-----BEGIN") }
    var published: [JSONWebKeySet.Key] = []
    for part in parts {
      guard let key = try? ES256PrivateKey(pem: part + end), let point = key.publicKey.parameters else {
        throw Self.wrong
      }
      let (x, y) = (Self.base64URL(point.x), Self.base64URL(point.y))
      let kid = Self.thumbprint(x: x, y: y)
      published.append(JSONWebKeySet.Key(kid: kid, x: x, y: y))
      await keys.add(ecdsa: key, kid: JWKIdentifier(string: kid))
    }
    guard let first = published.first else { throw Self.wrong }
    signer = JWKIdentifier(string: first.kid)
    publicKeys = JSONWebKeySet(keys: published)
  }

  private static let wrong = SettingError(AuthSettings.signingKeys, "is invalid")

  /// The keys from the setting, otherwise from the file in the data folder, which is created when it is missing.
  static func load(_ settings: Settings, dataFolder: String) async throws -> SigningKeys {
    if let pem = try settings[AuthSettings.signingKeys] { return try await SigningKeys(pem: pem) }
    let path = "\(dataFolder)/auth-signing-key.pem"
    return try await SigningKeys(pem: SecretFile.load(path) { ES256PrivateKey().pemRepresentation + "\n" })
  }

  /// jwt-kit returns coordinates in plain base64; RFC 7518 requires base64url.
  private static func base64URL(_ coordinate: String) -> String {
    coordinate.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// RFC 7638: SHA-256 over the required members in lexicographic order.
  private static func thumbprint(x: String, y: String) -> String {
    let members = #"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#
    return Base64URL.encode(SHA256.hash(data: Data(members.utf8)).prefix(16))
  }

  func sign(_ claims: AccessClaims) async throws -> String {
    try await keys.sign(claims, kid: signer, header: ["typ": .string(Issuer.accessTokenType)])
  }
}
