public import Contracts
import HTTPTypes
public import HummingbirdCore
public import Observability
import Synchronization

/// Routes that can be replaced while the process runs: those of the services behind the edge.
public final class ForwardedRoutes: Sendable {
  /// Answers a request of an operation.
  public typealias Handler = @Sendable (Request, RequestContext) async throws -> Response

  private struct State {
    var table = RouteTable<Route>([])
    var isComplete = true
    /// The metrics by method and path, because a metric is registered once.
    var metrics: [String: RouteMetrics] = [:]
  }

  private static let maxMetrics = 10_000

  private let service: String
  private let metrics: Metrics
  private let state = Mutex(State())

  /// - Parameter service: The name of the service whose routes these are, for metrics.
  public init(service: String, metrics: Metrics) { (self.service, self.metrics) = (service, metrics) }

  /// Replaces all routes.
  ///
  /// - Parameters:
  ///   - operations: Operations of different services, which do not overlap.
  ///   - isComplete: Whether a path that is not among them is certainly unknown; otherwise it is answered with 503.
  public func replace(with operations: [(operation: PublicOperation, handle: Handler)], isComplete: Bool) {
    state.withLock { state in
      state.table = RouteTable(
        operations.map { operation, handle in
          let (method, path) = (operation.method.rawValue, PathTemplate(operation.path))
          // Bounded, should a service have other routes every time it is asked.
          let isBounded = state.metrics.count < Self.maxMetrics || state.metrics["\(method) \(path)"] != nil
          let route = isBounded ? "\(path)" : "(other)"
          let metrics =
            state.metrics["\(method) \(route)"]
            ?? RouteMetrics(metrics, service: service, method: method, route: route)
          state.metrics["\(method) \(route)"] = metrics
          return (
            method, path,
            Route(method: method, path: path, cost: operation.cost, metrics: metrics, handle: handle)
          )
        }
      )
      state.isComplete = isComplete
    }
  }

  /// The measurements of an operation among the routes.
  package func metrics(of operation: PublicOperation) -> RouteMetrics? {
    state.withLock { $0.metrics["\(operation.method.rawValue) \(PathTemplate(operation.path))"] }
  }

  var table: RouteTable<Route> { state.withLock { $0.table } }

  /// Whether a path that matches no route may belong to a service that is not known yet.
  func mayBecomeKnown(_ path: String) -> Bool {
    !path.hasPrefix("/internal/") && state.withLock { !$0.isComplete }
  }
}
