/// The services of the platform that respond.
public struct PlatformStatus: Codable, Sendable, Equatable {
  /// Whether all services respond.
  public var isAvailable: Bool
  public var services: [Service]

  public init(services: [Service]) { (isAvailable, self.services) = (services.allSatisfy(\.isAvailable), services) }

  public struct Service: Codable, Sendable, Equatable {
    public var name: String
    /// Whether it has responded to the gateway's last check, at most a few seconds ago.
    public var isAvailable: Bool
    public init(name: String, isAvailable: Bool) { (self.name, self.isAvailable) = (name, isAvailable) }
  }
}
