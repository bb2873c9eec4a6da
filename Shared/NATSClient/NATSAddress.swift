import Foundation

/// The address of NATS: `nats://[user:password@]host[:port][,host[:port]…]`, or `tls://…` by TLS; several hosts are the
/// servers of one cluster. A user without a password is a token.
///
/// `?creds=/path` names a credentials file, as `nsc` writes it. By TLS, `cacert` names a PEM file of trusted authorities
/// in addition to the system's, and `cert` and `key` those of the client's certificate.
public struct NATSAddress: Sendable, Equatable {
  /// How the servers are reached by TLS; paths of PEM files.
  public struct TLS: Sendable, Equatable {
    public var authorities: String?
    public var certificate: String?
    public var key: String?

    public init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
      (self.authorities, self.certificate, self.key) = (authorities, certificate, key)
    }
  }

  /// The credentials by which the servers know this client.
  public enum Credentials: Sendable, Equatable {
    case none
    case user(String, password: String)
    case token(String)
    /// The path of a file with a JWT and its seed.
    case file(String)
  }

  /// `nats://host:port` or `tls://host:port`, without credentials.
  public var servers: [String]
  public var credentials: Credentials
  /// `nil` for cleartext.
  public var tls: TLS?

  private static let port = 4222

  /// - Returns: `nil` for another text.
  public init?(_ text: String) {
    guard let scheme = ["nats", "tls"].first(where: { text.hasPrefix("\($0)://") }) else { return nil }
    let parts = text.dropFirst(scheme.count + 3).split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let authority = parts[0].split(separator: "@", omittingEmptySubsequences: false)
    guard authority.count <= 2, let hosts = authority.last,
      let options = Self.options(parts.count == 2 ? parts[1] : nil, isSecure: scheme == "tls")
    else { return nil }
    servers = []
    for host in hosts.split(separator: ",", omittingEmptySubsequences: false) {
      guard let parts = URLComponents(string: "\(scheme)://\(host)"), let name = parts.host, !name.isEmpty,
        parts.path.isEmpty, parts.query == nil, parts.fragment == nil
      else { return nil }
      servers.append("\(scheme)://\(name):\(parts.port ?? Self.port)")
    }
    guard let credentials = Self.credentials(authority.count == 2 ? authority[0] : nil, file: options["creds"]) else {
      return nil
    }
    self.credentials = credentials
    tls =
      scheme == "tls"
      ? TLS(authorities: options["cacert"], certificate: options["cert"], key: options["key"]) : nil
  }

  private static func options(_ text: Substring?, isSecure: Bool) -> [String: String]? {
    guard let text else { return [:] }
    guard let items = URLComponents(string: "nats://host?\(text)")?.queryItems else { return nil }
    let known = isSecure ? ["creds", "cacert", "cert", "key"] : ["creds"]
    var options: [String: String] = [:]
    for item in items {
      guard known.contains(item.name), options[item.name] == nil, let value = item.value, !value.isEmpty else {
        return nil
      }
      options[item.name] = value
    }
    guard (options["cert"] == nil) == (options["key"] == nil) else { return nil }
    return options
  }

  private static func credentials(_ text: Substring?, file: String?) -> Credentials? {
    guard let text else { return file.map { .file($0) } ?? Credentials.none }
    let words = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      .compactMap { $0.removingPercentEncoding }
    guard file == nil, words.allSatisfy({ !$0.isEmpty }) else { return nil }
    switch words.count {
    case 1: return .token(words[0])
    case 2: return .user(words[0], password: words[1])
    default: return nil
    }
  }
}
