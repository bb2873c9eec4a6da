import Contracts
import Crypto
import Foundation

/// A compact JWS (RFC 7515) with ES256, by which a service proves to another one who is calling.
struct ServiceToken: Sendable {
  struct Claims: Codable, Sendable {
    /// The calling service.
    var sub: String
    /// The called service.
    var aud: String
    var iat: Int64
    var exp: Int64
  }

  /// The `typ` header; tokens of users have another one.
  static let type = "service+jwt"
  private static let algorithm = "ES256"
  private static let maxLength = 2048

  let claims: Claims
  let keyID: String
  private let signed: Data
  private let signature: P256.Signing.ECDSASignature

  private struct Header: Codable {
    var alg: String
    var typ: String
    var kid: String
  }

  static func sign(_ claims: Claims, by pair: ServiceKeyRing.Pair) throws -> String {
    let header = Header(alg: algorithm, typ: type, kid: pair.publicKey.id)
    let text = "\(Base64URL.encode(try WireJSON.encode(header))).\(Base64URL.encode(try WireJSON.encode(claims)))"
    let signature = try pair.key.signature(for: Data(text.utf8))
    return "\(text).\(Base64URL.encode(signature.rawRepresentation))"
  }

  /// - Returns: `nil` for anything else; nothing has been verified yet.
  init?(_ token: Substring) {
    guard token.utf8.count <= Self.maxLength else { return nil }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = JOSEHeader(base64URL: parts[0]), header.algorithm == Self.algorithm,
      header.type == Self.type, !header.hasCriticalExtensions, let keyID = header.keyID,
      let body = Base64URL.decode(parts[1]), let claims = try? WireJSON.decode(Claims.self, from: body),
      let raw = Base64URL.decode(parts[2]), raw.count == 64,
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
    else { return nil }
    (self.claims, self.keyID, self.signature) = (claims, keyID, signature)
    signed = Data("\(parts[0]).\(parts[1])".utf8)
  }

  func isSigned(by key: P256.Signing.PublicKey) -> Bool { key.isValidSignature(signature, for: signed) }
}
