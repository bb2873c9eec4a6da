/// The internal API through which the gateway shows staff what services have measured. The host implements it, from
/// memory.
public enum MetricsAPI {
  public struct Get: Endpoint {
    public typealias Response = ServiceMetrics
    public static let operation = Operation.get(
      "/internal/v1/metrics", "Get the service's metrics of the last hour",
      access: .services(GatewayAPI.self), limits: .init(seconds: 2)
    )
    public init() {}
  }
}

/// The metrics of one process of a service of the last hour.
public struct ServiceMetrics: Codable, Sendable, Equatable {
  public var service: String
  /// Oldest first, about every 15 seconds.
  public var samples: [MetricsSample]
  public init(service: String, samples: [MetricsSample]) { (self.service, self.samples) = (service, samples) }
}

/// The measurements since the sample before.
public struct MetricsSample: Codable, Sendable, Equatable {
  public var at: Timestamp
  /// How long it took since the sample before.
  public var seconds: Double
  public var requests: Int
  /// How many requests were answered with 5xx.
  public var errors: Int
  /// In seconds, what 99 of 100 requests did not exceed, as far as the buckets of the histogram show; absent without
  /// requests.
  public var latency: Double?
  /// In seconds, how long a transaction waited on average until it began; absent without transactions.
  public var queue: Double?
  /// In seconds, how long a commit took on average; absent without commits.
  public var commit: Double?
  public init(
    at: Timestamp, seconds: Double, requests: Int, errors: Int, latency: Double?, queue: Double?, commit: Double?
  ) {
    (self.at, self.seconds, self.requests, self.errors) = (at, seconds, requests, errors)
    (self.latency, self.queue, self.commit) = (latency, queue, commit)
  }
}
