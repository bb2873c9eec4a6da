import NIOCore
import NIOSSL

/// The names in a calling service's certificate.
enum CallerCertificate {
  /// Whether a certificate with these DNS names is that of a service: one of them is its name, as in `orders`, or
  /// begins with it, as in `orders.internal.example.com`. A wildcard names no service.
  static func names(_ names: [String], _ service: String) -> Bool {
    names.contains { name in
      let name = name.lowercased()
      return name == service || name.hasPrefix(service + ".")
    }
  }

  static func names(of certificate: NIOSSLCertificate) -> [String] {
    certificate._subjectAlternativeNames().compactMap { name in
      guard case .dnsName = name.nameType else { return nil }
      return String(decoding: name.contents, as: UTF8.self)
    }
  }
}

extension ClientConnection {
  /// Whether the caller's certificate names a service; `true` where callers need no certificate.
  package func isCertified(as service: String) async throws -> Bool {
    guard isMutualTLS else { return true }
    let names = try await channel.eventLoop.submit { certificateNames() }.get()
    return CallerCertificate.names(names, service)
  }

  /// The names in the connection's certificate; none once the connection is closed.
  private func certificateNames() -> [String] {
    // A stream of HTTP/2 belongs to the connection; the parent of an HTTP/1.1 connection is the listening socket.
    let stream = try? channel.pipeline.syncOperations.handler(type: StrictHTTP2Handler.self)
    let socket = stream.map { _ in channel.parent } ?? channel
    let tls = try? socket?.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self)
    return tls?.peerCertificate.map { CallerCertificate.names(of: $0) } ?? []
  }
}
