import Contracts
import Foundation
import HTTPTypes
public import HummingbirdCore
import Logging
import Persistence

/// Answers every request of one service: finds the route, gives the request its ids, turns errors into problems, counts
/// and logs. Calls inside the process and from the network go through here alike.
public struct Dispatcher: Sendable {
  private let table: RouteTable<Route>
  private let log: StructuredLog
  private let logger: Logger
  /// The gateway: takes no ids from callers.
  private let isEdge: Bool
  private let trustedProxies: Set<String>
  private let unmatched: RouteMetrics
  private let around: Routes.Around?

  /// Where a request came in: routes for services are not to be found on a public port, and only they on a private one.
  public enum Port: Sendable {
    case `public`, `private`, any
  }

  init(
    routes: [Route],
    name: String,
    isEdge: Bool,
    trustedProxies: Set<String>,
    around: Routes.Around?,
    log: StructuredLog,
    metrics: Metrics
  ) {
    self.around = around
    self.trustedProxies = trustedProxies
    table = RouteTable(routes.map { ($0.method, $0.path, $0.observed(by: metrics, service: name)) })
    self.log = log
    self.isEdge = isEdge
    logger = Logger(label: name) { _ in log }
    unmatched = RouteMetrics(metrics, service: name, method: "_OTHER", route: "(none)")
  }

  /// Answers a request; errors of any kind become answers.
  ///
  /// - Parameter port: Where it came in.
  public func respond(to request: Request, remoteAddress: String?, port: Port = .any) async -> Response {
    let start = DispatchTime.now().uptimeNanoseconds
    let incoming = request.headers[.traceparent].flatMap { TraceContext(traceparent: $0) }
    let trace = incoming?.child() ?? TraceContext()
    let known = isEdge ? nil : request.headers[.requestID].flatMap { $0.utf8.count <= 64 ? $0 : nil }
    var context = RequestContext(
      requestID: known ?? String(trace.traceID.prefix(16)),
      trace: trace,
      remoteAddress: remoteAddress,
      clientAddress: clientAddress(of: request, from: remoteAddress),
      userAgent: request.headers[.userAgent],
      logger: logger
    )
    var match = table.match(method: request.method.rawValue, path: request.uri.path[...])
    let isInternal = if case .route(let route, _) = match { route.isInternal } else { false }
    if port == .public && isInternal || port == .private && !isInternal { match = .notFound }
    var route: Route?
    if case .route(let found, let parameters) = match {
      route = found
      context.parameters = parameters
    }
    var response: Response
    // What stands around the public door is for those who come in by it.
    if let around, !isInternal {
      response = await around(request, context) { [match] context in await answer(request, context, match) }
    } else {
      response = await answer(request, context, match)
    }
    let metrics = route?.metrics ?? unmatched
    let level: Logger.Level = route?.isQuiet == true ? .debug : .info
    if request.method == .head { response = response.createHeadResponse() }
    response.headers[.requestID] = context.requestID
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1_000_000_000
    metrics.record(status: response.status.code, seconds: seconds)
    if log.logLevel <= level { writeAccessLog(level, request, context, response, metrics.route, seconds) }
    return response
  }

  /// Calls what was matched; errors of any kind become problems.
  private func answer(_ request: Request, _ context: RequestContext, _ match: RouteTable<Route>.Match) async -> Response
  {
    do {
      switch match {
      case .route(let route, _):
        return try await TraceContext.$current.withValue(context.trace) { try await route.handle(request, context) }
      case .methodNotAllowed(let methods):
        throw Problem(.methodNotAllowed).with(header: "Allow", methods.joined(separator: ", "))
      case .notFound: throw Problem(.notFound)
      }
    } catch {
      return .problem(Self.problem(of: error, context), trace: context.trace)
    }
  }

  /// Services stand behind the gateway, which writes the field itself; the gateway believes only its trusted proxies, and
  /// of them only the last entry, which they wrote.
  private func clientAddress(of request: Request, from remoteAddress: String?) -> String? {
    let isTrusted = !isEdge || remoteAddress.map { trustedProxies.contains($0) } ?? false
    guard isTrusted, let forwarded = request.headers[values: .forwardedFor].last else { return remoteAddress }
    return forwarded.split(separator: ",").last.map { String($0.drop { $0 == " " }) } ?? remoteAddress
  }

  private func writeAccessLog(
    _ level: Logger.Level,
    _ request: Request,
    _ context: RequestContext,
    _ response: Response,
    _ route: String,
    _ seconds: Double
  ) {
    // The route, not the path: paths hold ids, and queries may hold personal data.
    log.write(
      level: level,
      message: "request",
      [
        ("method", request.method.rawValue), ("route", route), ("status", String(response.status.code)),
        ("microseconds", String(Int(seconds * 1_000_000))), ("requestID", context.requestID),
        ("traceID", context.trace.traceID),
      ]
    )
  }

  /// What a caller may know of an error.
  static func problem(of error: any Error, _ context: RequestContext) -> Problem {
    switch error {
    case let problem as Problem: return problem
    case let error as DatabaseError:
      switch error.kind {
      case .overloaded, .conflict: return Problem(.overloaded, retryAfter: 1)
      case .unavailable, .closed, .outcomeUnknown:
        context.logger.error("database", metadata: ["error": "\(error)"])
        return Problem(.unavailable, retryAfter: 2)
      // What the row belongs to was deleted meanwhile.
      case .foreignKeyViolation: return Problem(.notFound)
      case .storageFull:
        context.logger.error("database", metadata: ["error": "\(error)"])
        return Problem(.storageFull)
      default: break
      }
    case CallError.problem(let problem):
      context.logger.error("call failed", metadata: ["problem": "\(problem.code)"])
      return Problem(.upstreamFailed)
    case CallError.notSent(let reason), CallError.unknown(let reason):
      context.logger.error("call failed", metadata: ["reason": "\(reason)"])
      return Problem(.unavailable, retryAfter: 1)
    default: break
    }
    // The type alone: a description may hold what the caller sent.
    context.logger.error("unexpected error", metadata: ["error": "\(describe(error))"])
    return Problem(.internalError)
  }

  private static func describe(_ error: any Error) -> String {
    (error as? DatabaseError)?.description ?? String(reflecting: type(of: error))
  }
}
