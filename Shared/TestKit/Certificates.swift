import Foundation

/// Short-lived certificates for tests, created with `openssl`.
public enum Certificates {
  public struct Pair: Sendable {
    /// PEM file; self-signed, so it also serves as the certificate authority.
    public let certificate: String
    public let key: String
  }

  /// Creates a certificate for 127.0.0.1 and localhost in a folder.
  public static func make(in folder: String, name: String = "tls") async throws -> Pair {
    let pair = Pair(certificate: "\(folder)/\(name).pem", key: "\(folder)/\(name).key")
    try await Command.run([
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
      "-keyout",
      pair.key, "-out", pair.certificate, "-subj", "/CN=\(name)", "-addext",
      "subjectAltName=IP:127.0.0.1,DNS:localhost",
    ])
    return pair
  }

  /// Creates a certificate that an authority has signed.
  ///
  /// - Parameter names: Those in it, as `openssl` writes them; by default 127.0.0.1, localhost and the name.
  public static func issue(in folder: String, name: String, by authority: Pair, names: [String]? = nil) async throws
    -> Pair
  {
    let names = names ?? ["IP:127.0.0.1", "DNS:localhost", "DNS:\(name)"]
    let pair = Pair(certificate: "\(folder)/\(name).pem", key: "\(folder)/\(name).key")
    try await Command.run([
      "openssl", "req", "-x509", "-CA", authority.certificate, "-CAkey", authority.key, "-newkey", "ec", "-pkeyopt",
      "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-keyout", pair.key, "-out", pair.certificate, "-subj",
      "/CN=\(name)", "-addext", "subjectAltName=\(names.joined(separator: ","))", "-addext",
      "basicConstraints=critical,CA:FALSE",
    ])
    return pair
  }
}
