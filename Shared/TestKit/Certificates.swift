import Foundation

/// Certificates that live as long as a test, made by `openssl`.
public enum Certificates {
  public struct Pair: Sendable {
    /// PEM; signed by itself, so it is its own authority.
    public let certificate: String
    public let key: String
  }

  /// A certificate for 127.0.0.1 and localhost in a folder.
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
}
