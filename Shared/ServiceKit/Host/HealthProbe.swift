import CurlClient
import HTTPServing
import NIOCore
import NIOSSL

/// Asks the process of this machine whether it is ready, as its callers would: at its public port, by TLS if that speaks
/// TLS. The certificate must be the one of the settings; its name need not lead to this machine.
struct HealthProbe {
  private var request: ClientRequest
  private var configuration = CurlClient.Configuration()

  /// - Parameter isEdge: Whether the process is the gateway, which shows another certificate than the services.
  /// - Throws: ``SettingError`` when the files of the certificate are not set together, and an error of NIO when the
  ///   certificate cannot be read.
  init(_ settings: Settings, isEdge: Bool) throws {
    let inside = isEdge ? nil : try ServiceSettings.tlsFiles(settings)
    let files = try inside ?? PlatformSettings.tlsFiles(settings)
    let host = try settings[PlatformSettings.host]
    let target = ["0.0.0.0", "::", "[::]"].contains(host) ? "127.0.0.1" : host
    let literal = target.contains(":") && !target.hasPrefix("[") ? "[\(target)]" : target
    let address = "\(literal):\(try settings[PlatformSettings.port])"
    request = ClientRequest(
      origin: "http://\(address)", target: "/readyz", timeouts: .init(firstByte: 2, total: 2))
    guard let files else { return }
    let name = try Self.name(in: NIOSSLCertificate.fromPEMFile(files.certificateChain).first) ?? "localhost"
    (request.origin, request.address) = ("https://\(name):443", address)
    configuration.authoritiesFile = files.authorities ?? files.certificateChain
    if files.authorities != nil { configuration.identity = (files.certificateChain, files.privateKey) }
  }

  func isReady() async -> Bool {
    let client = CurlClient(configuration: configuration)
    let response = try? await client.execute(request)
    await client.shutdown()
    return response?.status == 200
  }

  /// A host name for which a certificate is valid.
  private static func name(in certificate: NIOSSLCertificate?) throws -> String? {
    guard let certificate else { return nil }
    for name in certificate._subjectAlternativeNames() {
      let bytes = Array(name.contents)
      switch name.nameType {
      case .dnsName: return String(decoding: bytes, as: UTF8.self).replacing("*", with: "health", maxReplacements: 1)
      case .ipAddress:
        let address = try SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0)
        if let text = address.ipAddress { return text.contains(":") ? "[\(text)]" : text }
      default: break
      }
    }
    return nil
  }
}
