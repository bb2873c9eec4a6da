import Crypto
import Foundation
package import Logging
import NIOCore
import NIOSSL
import Synchronization

/// Paths of the certificate chain and the private key, both in PEM format.
package struct TLSFiles: Sendable {
  package var certificateChain: String
  package var privateKey: String
  /// The certificate authorities of callers, who then need a certificate of theirs.
  package var authorities: String?

  package init(certificateChain: String, privateKey: String, authorities: String? = nil) {
    (self.certificateChain, self.privateKey, self.authorities) = (certificateChain, privateKey, authorities)
  }
}

/// The TLS context of new connections; reloaded when a file changes. Open connections keep their context.
package final class TLSIdentity: Sendable {
  private struct Loaded {
    var context: NIOSSLContext
    /// The digest of both files' content: modification times would miss quick changes and swapped links.
    var digest: SHA256Digest
  }

  private let files: TLSFiles
  private let logger: Logger
  private let loaded: Mutex<Loaded>

  /// - Throws: When the files cannot be used: a server must not start with them.
  package init(files: TLSFiles, logger: Logger) throws {
    self.files = files
    self.logger = logger
    loaded = Mutex(try Self.load(files))
  }

  /// Whether callers need a certificate.
  var verifiesCallers: Bool { files.authorities != nil }

  /// The context for the next connection.
  var context: NIOSSLContext { loaded.withLock { $0.context } }

  /// Loads files that have changed.
  /// - Throws: When the new files do not match, which happens while only one of them has been renewed; the old context
  ///   stays.
  package func reload() throws {
    let next = try Self.load(files)
    let isNew = loaded.withLock { loaded in
      guard loaded.digest != next.digest else { return false }
      loaded = next
      return true
    }
    if isNew { logger.info("TLS certificate reloaded") }
  }

  private static func load(_ files: TLSFiles) throws -> Loaded {
    let chain = try Data(contentsOf: URL(filePath: files.certificateChain))
    let key = try Data(contentsOf: URL(filePath: files.privateKey))
    let authorities = try files.authorities.map { try Data(contentsOf: URL(filePath: $0)) }
    let found = SHA256.hash(data: chain + [0] + key + [0] + (authorities ?? Data()))
    let certificates = try NIOSSLCertificate.fromPEMBytes([UInt8](chain))
    let privateKey = try NIOSSLPrivateKey(bytes: [UInt8](key), format: .pem)
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: certificates.map { .certificate($0) },
      privateKey: .privateKey(privateKey)
    )
    configuration.minimumTLSVersion = .tlsv12
    if let authorities {
      configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes([UInt8](authorities)))
      // Required, and of these authorities; a caller has no host name; its token says who it is.
      configuration.certificateVerification = .noHostnameVerification
    }
    // RFC 9113 §9.2.2 prohibits all other TLS 1.2 cipher suites; this list does not affect those of TLS 1.3.
    configuration.cipherSuites = "ECDHE+AESGCM:ECDHE+CHACHA20"
    configuration.applicationProtocols = ["h2", "http/1.1"]
    configuration.shutdownTimeout = .seconds(2)
    return Loaded(context: try NIOSSLContext(configuration: configuration), digest: found)
  }
}
