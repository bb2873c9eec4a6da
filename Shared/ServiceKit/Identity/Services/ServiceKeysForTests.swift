import Crypto
import Foundation

/// Keys of services in tests, which know each other by a folder: each name always has the same key.
package enum ServiceKeysForTests {
  private static func key(of service: String) throws -> P256.Signing.PrivateKey {
    try P256.Signing.PrivateKey(rawRepresentation: SHA256.hash(data: Data("quintet test \(service)".utf8)))
  }

  /// The value of the setting `service.privateKeys`.
  package static func privateKey(of service: String) throws -> String {
    try key(of: service).derRepresentation.base64EncodedString()
  }

  /// The value of the setting `services.<name>.publicKeys`.
  package static func publicKey(of service: String) throws -> String {
    try key(of: service).publicKey.derRepresentation.base64EncodedString()
  }

  /// Writes the public keys of services to a folder for the setting `service.publicKeyFolder`.
  package static func publish(_ services: [String], in folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for service in services {
      let path = "\(folder)/\(service).pem"
      if FileManager.default.fileExists(atPath: path) { continue }
      try key(of: service).publicKey.pemRepresentation.write(toFile: path, atomically: true, encoding: .utf8)
    }
  }

  /// A token as a service in another process sends it.
  package static func token(caller: String, audience: String, signedAs signer: String? = nil) throws -> String {
    let now = Int64(Date().timeIntervalSince1970)
    let claims = ServiceToken.Claims(sub: caller, aud: audience, iat: now, exp: now + Int64(ServiceIdentity.lifetime))
    return try ServiceToken.sign(
      claims, by: ServiceKeyRing.Pair(signsFrom: 0, key: try key(of: signer ?? caller)))
  }
}
