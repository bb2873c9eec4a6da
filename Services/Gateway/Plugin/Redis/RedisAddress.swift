import Foundation

/// `redis://[:password@]host[:port]`.
struct RedisAddress: Sendable, Equatable {
  var host: String
  var port: Int32
  var password: String?

  init?(_ text: String) {
    guard let parts = URLComponents(string: text), parts.scheme == "redis", let host = parts.host, !host.isEmpty else {
      return nil
    }
    self.host = host
    port = Int32(parts.port ?? 6379)
    password = parts.password
  }
}
