import Foundation

/// The address of Redis: `redis://[:password@]host[:port]`, or `rediss://…` by TLS.
///
/// By TLS, `?cacert=/path` names a PEM file of trusted authorities instead of the system's, and `cert` and `key` those of
/// the client's certificate, as the options of `redis-cli` do.
public struct RedisAddress: Sendable, Equatable {
  /// How Redis is reached by TLS; paths of PEM files.
  public struct TLS: Sendable, Equatable {
    public var authorities: String?
    public var certificate: String?
    public var key: String?
  }

  public var host: String
  public var port: Int32
  public var password: String?
  /// `nil` for cleartext.
  public var tls: TLS?

  /// - Returns: `nil` for another text.
  public init?(_ text: String) {
    guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty else { return nil }
    let items = parts.queryItems ?? []
    func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
    switch parts.scheme {
    case "redis" where items.isEmpty: tls = nil
    case "rediss":
      guard items.allSatisfy({ ["cacert", "cert", "key"].contains($0.name) && $0.value?.isEmpty == false }),
        (value("cert") == nil) == (value("key") == nil)
      else { return nil }
      tls = TLS(authorities: value("cacert"), certificate: value("cert"), key: value("key"))
    default: return nil
    }
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    port = Int32(parts.port ?? 6379)
    password = parts.password
  }
}
