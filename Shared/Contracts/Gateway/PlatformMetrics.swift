/// The metrics of the platform's services of the last hour, the gateway first.
public struct PlatformMetrics: Codable, Sendable, Equatable {
  public var services: [ServiceMetrics]
  /// Services that did not answer.
  public var unavailable: [String]
  public init(services: [ServiceMetrics], unavailable: [String]) {
    (self.services, self.unavailable) = (services, unavailable)
  }
}
