import Crypto
import Foundation
import HTTPServing

/// Settings by which the services of the platform know each other.
enum ServiceSettings {
  static let privateKeys = Setting<[P256.Signing.PrivateKey]?>(
    "service.privateKeys",
    default: .some(nil),
    expects: "private keys of P-256 as base64 of their DER; several separated by commas, the first one signs",
    isSecret: true,
    "Keys with which this service signs its calls; if unset, a key file is created, and a single process needs none"
  ) { text in keys(text) { try? P256.Signing.PrivateKey(derRepresentation: $0) } }

  static let keyFolder = Setting<String?>(
    optional: "service.keyFolder",
    expects: "a folder",
    "Folder of the file with which this service signs its calls, service-keys-<name>; if unset, the data folder"
  )

  static let publicKeyFolder = Setting<String?>(
    optional: "service.publicKeyFolder",
    expects: "a folder",
    "Folder of the public keys of other services, <name>.pem; those that have no file there publish theirs at their URL"
  )

  static let keySeconds = Setting<Double>(
    seconds: "service.keySeconds", default: 2, in: 0.1...300,
    "How long another service may take to show its public keys")

  static let authorities = Setting<String?>(
    optional: "service.tls.authorities",
    expects: "a PEM file",
    "The private certificate authority of the services; with the two settings below, they accept only calls by TLS with "
      + "a certificate of it"
  )
  static let certificate = Setting<String?>(
    optional: "service.tls.certificate", expects: "a PEM file", "The certificate of this service, for both directions")
  static let key = Setting<String?>(
    optional: "service.tls.key", expects: "a PEM file", "The private key of the certificate")

  static let all: [any SettingDescription] = [
    privateKeys, keyFolder, publicKeyFolder, keySeconds, authorities, certificate, key,
  ]

  /// The public keys of another service.
  static func publicKeys(of service: String) -> Setting<[P256.Signing.PublicKey]?> {
    Setting(
      "services.\(service).publicKeys",
      default: .some(nil),
      expects: "public keys of P-256 as base64 of their DER; several separated by commas",
      "Keys with which the service \(service) signs its calls; if set, it is not asked for them"
    ) { text in keys(text) { try? P256.Signing.PublicKey(derRepresentation: $0) } }
  }

  private static func keys<Key>(_ text: String, _ read: (Data) -> Key?) -> [Key]?? {
    let parts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    let keys = parts.compactMap { Data(base64Encoded: $0).flatMap(read) }
    return parts.isEmpty || keys.count != parts.count ? nil : .some(keys)
  }

  /// The files for TLS between services; `nil` when they talk in cleartext.
  static func tlsFiles(_ settings: Settings) throws(SettingError) -> TLSFiles? {
    let (authorities, certificate, key) = (
      try settings[Self.authorities], try settings[Self.certificate], try settings[Self.key]
    )
    if authorities == nil, certificate == nil, key == nil { return nil }
    guard let authorities else { throw SettingError(Self.authorities, "is not set, but others of service.tls are") }
    guard let certificate else { throw SettingError(Self.certificate, "is not set, but others of service.tls are") }
    guard let key else { throw SettingError(Self.key, "is not set, but others of service.tls are") }
    return TLSFiles(certificateChain: certificate, privateKey: key, authorities: authorities)
  }
}
