package import Contracts
package import HummingbirdCore
import Observability
import Synchronization

/// A method and path with their handler.
public struct Route: Sendable {
  package let method: String
  package let path: PathTemplate
  let handle: @Sendable (Request, RequestContext) async throws -> Response
  /// Whether requests are logged at debug level, because machines send them frequently.
  let logsAtDebug: Bool
  /// For services only: not available on a public port.
  let isInternal: Bool
  /// The cost of a request, for the edge's limits.
  let cost: Contracts.Operation.Cost
  /// For administrators and support only.
  let isAdministrative: Bool
  fileprivate(set) var metrics: RouteMetrics?

  package init(
    method: String,
    path: PathTemplate,
    logsAtDebug: Bool = false,
    isInternal: Bool = false,
    cost: Contracts.Operation.Cost = .usual,
    isAdministrative: Bool = false,
    metrics: RouteMetrics? = nil,
    handle: @escaping @Sendable (Request, RequestContext) async throws -> Response
  ) {
    self.method = method
    self.path = path
    self.logsAtDebug = logsAtDebug
    self.isInternal = isInternal
    self.cost = cost
    self.isAdministrative = isAdministrative
    self.metrics = metrics
    self.handle = handle
  }

  func observed(by metrics: Metrics, service: String) -> Route {
    var copy = self
    copy.metrics = RouteMetrics(metrics, service: service, method: method, route: path.description)
    return copy
  }
}

/// Response times of a route, by status.
package final class RouteMetrics: Sendable {
  package let route: String
  private let metrics: Metrics
  private let labels: Metrics.Labels
  private let histograms = Mutex<[Int: Metrics.Histogram]>([:])

  init(_ metrics: Metrics, service: String, method: String, route: String) {
    self.metrics = metrics
    self.route = route
    labels = [("service", service), ("http_request_method", method), ("http_route", route)]
  }

  package func record(status: Int, seconds: Double) {
    let histogram = histograms.withLock { histograms in
      if let known = histograms[status] { return known }
      let new = metrics.histogram(
        "http_server_request_duration_seconds",
        help: "Time from a request's head to the head of its response.",
        labels: labels + [("http_response_status_code", String(status))]
      )
      histograms[status] = new
      return new
    }
    histogram.record(seconds: seconds)
  }
}
