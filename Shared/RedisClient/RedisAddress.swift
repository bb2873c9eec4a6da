import Foundation

/// Where Redis is: `redis://[:password@]host[:port]`.
public struct RedisAddress: Sendable, Equatable {
  public var host: String
  public var port: Int32
  public var password: String?

  /// - Returns: `nil` for another text.
  public init?(_ text: String) {
    guard let parts = URLComponents(string: text), parts.scheme == "redis", let host = parts.host, !host.isEmpty else {
      return nil
    }
    self.host = host
    port = Int32(parts.port ?? 6379)
    password = parts.password
  }
}
