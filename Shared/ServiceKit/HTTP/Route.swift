import Contracts
import HummingbirdCore
import Synchronization

/// A method and path with what answers it.
public struct Route: Sendable {
  let method: String
  let path: PathTemplate
  let handle: @Sendable (Request, RequestContext) async throws -> Response
  /// Answers machines that ask all the time; logged at debug level.
  let isQuiet: Bool
  /// For services only: not there for who comes in by a public port.
  let isInternal: Bool
  fileprivate(set) var metrics: RouteMetrics?

  init(
    method: String,
    path: PathTemplate,
    isQuiet: Bool = false,
    isInternal: Bool = false,
    handle: @escaping @Sendable (Request, RequestContext) async throws -> Response
  ) {
    self.method = method
    self.path = path
    self.isQuiet = isQuiet
    self.isInternal = isInternal
    self.handle = handle
  }

  func observed(by metrics: Metrics, service: String) -> Route {
    var copy = self
    copy.metrics = RouteMetrics(metrics, service: service, method: method, route: path.description)
    return copy
  }
}

/// Durations of a route's answers, by status.
final class RouteMetrics: Sendable {
  let route: String
  private let metrics: Metrics
  private let labels: Metrics.Labels
  private let histograms = Mutex<[Int: Metrics.Histogram]>([:])

  init(_ metrics: Metrics, service: String, method: String, route: String) {
    self.metrics = metrics
    self.route = route
    labels = [("service", service), ("http_request_method", method), ("http_route", route)]
  }

  func record(status: Int, seconds: Double) {
    let histogram = histograms.withLock { histograms in
      if let known = histograms[status] { return known }
      let new = metrics.histogram(
        "http_server_request_duration_seconds",
        help: "Time from a request's head to the head of its answer.",
        labels: labels + [("http_response_status_code", String(status))]
      )
      histograms[status] = new
      return new
    }
    histogram.record(seconds: seconds)
  }
}
