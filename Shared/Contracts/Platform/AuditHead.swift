/// The end of a service's audit chain, as another service notes it: whoever cuts or rewrites the chain later cannot change
/// what was noted.
public struct AuditHead: Codable, Sendable, Equatable {
  /// The service that the chain belongs to.
  public var service: String
  /// The number of the last link.
  public var sequence: Int64
  /// The hash of the last link.
  public var hash: String
  /// The name of the key that signs the head.
  public var key: String
  /// HMAC-SHA256 over the service, the number and the hash, as hexadecimal digits.
  public var code: String

  public init(service: String, sequence: Int64, hash: String, key: String, code: String) {
    (self.service, self.sequence, self.hash, self.key, self.code) = (service, sequence, hash, key, code)
  }
}
