import CurlClient
import HTTPServing

/// TLS between the services of the platform, with certificates of a private authority on both sides.
enum InternalTLS {
  /// A client that presents the service's certificate and trusts the private authority only; `nil` when services talk
  /// in cleartext. The files are read at each connection.
  static func client(_ settings: Settings) throws(SettingError) -> CurlClient? {
    guard let files = try ServiceSettings.tlsFiles(settings) else { return nil }
    var configuration = CurlClient.Configuration()
    configuration.authoritiesFile = files.authorities
    configuration.identity = (files.certificateChain, files.privateKey)
    return CurlClient(configuration: configuration)
  }
}
