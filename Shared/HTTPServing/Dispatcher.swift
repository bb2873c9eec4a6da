package import Contracts
import Foundation
import HTTPTypes
public import HummingbirdCore
import Logging
package import Observability
import Persistence
import Threads
import Timing

/// Handles every request of one service: finds the route, assigns request and trace IDs, converts errors to problems,
/// records metrics, and logs. In-process calls and network requests both pass through it.
public struct Dispatcher: Sendable {
  private let table: RouteTable<Route>
  /// The routes that callers of a public and a private port can reach.
  private let (publicTable, privateTable): (RouteTable<Route>, RouteTable<Route>)
  private let forwarded: ForwardedRoutes?
  package let records: RequestRecords
  private let logger: Logger
  /// Whether this is the gateway, which ignores request IDs from callers.
  private let isEdge: Bool
  private let trustedProxies: TrustedProxies
  private let unmatched: RouteMetrics
  /// The metrics of the files that the interceptor answers itself.
  private let files: RouteMetrics
  private let interceptor: Interceptor?
  private let middleware: Middleware?
  private let answerSeconds: Double

  /// An interceptor: receives a request, and whether it was sent by HTTPS. `nil` leaves the request as it is.
  public typealias Interceptor = @Sendable (Request, _ isSecure: Bool) async -> Interception?

  /// Middleware: receives a request and the next handler, to which it passes the request's context, modified if needed.
  public typealias Middleware =
    @Sendable (Request, RequestContext, _ next: @Sendable (RequestContext) async -> Response)
    async -> Response

  /// The port that received a request: internal routes are hidden on a public port; a private port has only those.
  public enum Port: Sendable {
    case `public`, `private`, any
  }

  package init(
    routes: [Route],
    forwarded: ForwardedRoutes?,
    name: String,
    isEdge: Bool,
    trustedProxies: [NetworkBlock],
    interceptor: Interceptor? = nil,
    middleware: Middleware?,
    answerSeconds: Double,
    log: StructuredLog,
    metrics: Metrics,
    tracer: Tracer? = nil
  ) {
    self.interceptor = interceptor
    self.middleware = middleware
    self.answerSeconds = answerSeconds
    self.forwarded = forwarded
    self.trustedProxies = TrustedProxies(trustedProxies)
    let observed = routes.map { $0.observed(by: metrics, service: name) }
    func table(_ routes: [Route]) -> RouteTable<Route> { RouteTable(routes.map { ($0.method, $0.path, $0) }) }
    self.table = table(observed)
    publicTable = table(observed.filter { !$0.isInternal })
    privateTable = table(observed.filter(\.isInternal))
    records = RequestRecords(
      log: log, refusals: Refusals(metrics, service: name),
      spans: tracer.map { SpanScope(tracer: $0, service: name) })
    self.isEdge = isEdge
    logger = Logger(label: name) { _ in log }
    unmatched = RouteMetrics(metrics, service: name, method: "_OTHER", route: "(none)")
    files = RouteMetrics(metrics, service: name, method: "GET", route: "(files)")
  }

  /// Responds to a request; errors of any kind become problem responses.
  ///
  /// - Parameter port: The port that received the request.
  public func respond(to request: Request, remoteAddress: String?, port: Port = .any) async -> Response {
    await respond(to: request, remoteAddress: remoteAddress, on: nil, port: port)
  }

  /// Responds to a request of a connection, which an open response can take over.
  package func respond(to request: Request, on connection: ClientConnection, port: Port) async -> Response {
    await respond(to: request, remoteAddress: connection.remoteAddress, on: connection, port: port)
  }

  private func respond(
    to request: Request,
    remoteAddress: String?,
    on connection: ClientConnection?,
    port: Port
  ) async -> Response {
    guard let interceptor, port != .private else {
      return await dispatch(request, remoteAddress: remoteAddress, on: connection, port: port)
    }
    let start = MonotonicClock.now()
    let isSecure = trustedProxies.isSecure(request.headers, scheme: request.head.scheme, from: remoteAddress)
    switch await interceptor(request, isSecure) {
    case .file(let response):
      files.record(
        status: response.status.code, seconds: MonotonicClock.now() - start)
      return request.method == .head ? response.createHeadResponse() : response
    case .replaced(let other, let complete):
      let response = await complete(dispatch(other, remoteAddress: remoteAddress, on: connection, port: port))
      return request.method == .head ? response.createHeadResponse() : response
    case .answered(let answer):
      return await dispatch(request, remoteAddress: remoteAddress, on: connection, port: port, answer: answer)
    case nil: return await dispatch(request, remoteAddress: remoteAddress, on: connection, port: port)
    }
  }

  /// - Parameter given: The answer, whatever the route.
  private func dispatch(
    _ request: Request,
    remoteAddress: String?,
    on connection: ClientConnection?,
    port: Port,
    answer given: Result<Response, Problem>? = nil
  ) async -> Response {
    let start = MonotonicClock.now()
    let incoming = request.headers[.traceparent].flatMap { TraceContext(traceparent: $0) }
    let match = match(request, on: port)
    let isInternal = if case .route(let route, _) = match { route.isInternal } else { false }
    // Callers outside choose neither whether they are recorded nor the trace that their requests belong to.
    let isOutside = isEdge && !isInternal
    let parent = isOutside ? nil : incoming
    let isRoutine = if case .route(let route, _) = match { route.logsAtDebug } else { false }
    let trace = parent?.child() ?? TraceContext(isSampled: !isRoutine)
    let known = isEdge ? nil : request.headers[.requestID].flatMap { $0.utf8.count <= 64 ? $0 : nil }
    // Whoever chooses the trace must not choose the request's id, too.
    let unknown = parent == nil ? trace : TraceContext()
    let isSecure = trustedProxies.isSecure(request.headers, scheme: request.head.scheme, from: remoteAddress)
    var context = RequestContext(
      requestID: known ?? String(unknown.traceID.prefix(16)),
      trace: trace,
      remoteAddress: remoteAddress,
      clientAddress: clientAddress(of: request, from: remoteAddress),
      userAgent: request.headers[.userAgent],
      device: DeviceFacts(request.headers),
      connection: connection,
      isSecure: isSecure,
      answerSeconds: answerSeconds,
      logger: logger
    )
    var route: Route?
    if case .route(let found, let parameters) = match {
      route = found
      context.parameters = parameters
      context.cost = found.cost
    }
    var response: Response
    // The edge's middleware does not apply to internal routes.
    if let middleware, !isInternal {
      response = await middleware(request, context) { [match] context in
        await answer(request, context, match, given)
      }
    } else {
      response = await answer(request, context, match, given)
    }
    let metrics = route?.metrics ?? unmatched
    if request.method == .head { response = response.createHeadResponse() }
    response.headers[.requestID] = context.requestID
    let seconds = MonotonicClock.now() - start
    metrics.record(status: response.status.code, seconds: seconds)
    records.write(
      isRoutine ? .debug : .info, method: request.method.rawValue, route: metrics.route, status: response.status.code,
      seconds: seconds,
      requestID: context.requestID, trace: context.trace, parent: parent, link: isOutside ? incoming : nil)
    return response
  }

  /// Finds the route. Those of the services behind this one come first, because most requests are theirs; no request
  /// matches routes of both.
  private func match(_ request: Request, on port: Port) -> RouteTable<Route>.Match {
    let (method, path) = (request.method.rawValue, request.uri.path[...])
    let behind = port == .private ? nil : forwarded?.table.match(method: method, path: path)
    if let behind, case .route = behind { return behind }
    let table =
      switch port {
      case .any: table
      case .public: publicTable
      case .private: privateTable
      }
    let own = table.match(method: method, path: path)
    if case .notFound = own { return behind ?? own }
    return own
  }

  /// Calls the matched route; errors of any kind become problems.
  private func answer(
    _ request: Request, _ context: RequestContext, _ match: RouteTable<Route>.Match,
    _ given: Result<Response, Problem>?
  ) async -> Response {
    do {
      if let given { return try given.get() }
      switch match {
      case .route(let route, _):
        return try await TraceContext.$current.withValue(context.trace) {
          try await Workload.$current.withValue(Workload.current.asked) {
            guard let spans = records.spans else { return try await route.handle(request, context) }
            return try await SpanScope.$current.withValue(spans) { try await route.handle(request, context) }
          }
        }
      case .methodNotAllowed(let methods):
        throw Problem(.methodNotAllowed).with(header: "Allow", methods.joined(separator: ", "))
      case .notFound:
        if forwarded?.mayBecomeKnown(request.uri.path) == true { throw Problem(.unavailable, retryAfter: 1) }
        throw Problem(.notFound)
      }
    } catch {
      let problem = Self.problem(of: error, context)
      let isAdministrative = if case .route(let route, _) = match { route.isAdministrative } else { false }
      records.refused(problem, isAdministrative: isAdministrative)
      return .problem(problem, trace: context.trace)
    }
  }

  /// Services are behind the gateway, which sets `X-Forwarded-For` itself. The gateway trusts only its configured
  /// proxies, and of the header only the entries that they added.
  private func clientAddress(of request: Request, from remoteAddress: String?) -> String? {
    if isEdge { return trustedProxies.client(of: request.headers, from: remoteAddress) }
    guard let forwarded = request.headers[values: .forwardedFor].last else { return remoteAddress }
    return forwarded.split(separator: ",").last.map { String($0.drop { $0 == " " }) } ?? remoteAddress
  }

  /// Converts an error to a problem that can be shown to the caller.
  package static func problem(of error: any Error, _ context: RequestContext) -> Problem {
    switch error {
    case let problem as Problem: return problem
    case is WorkRefusal: return Problem(.overloaded, retryAfter: 5)
    case let error as DatabaseError:
      switch error.kind {
      case .overloaded, .conflict: return Problem(.overloaded, retryAfter: 1)
      case .unavailable, .closed, .outcomeUnknown:
        context.logger.error("database error", metadata: ["error": "\(error)"])
        return Problem(.unavailable, retryAfter: 2)
      // The referenced row has been deleted in the meantime.
      case .foreignKeyViolation: return Problem(.notFound)
      case .storageFull:
        context.logger.error("database error", metadata: ["error": "\(error)"])
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
    // Only the type: a description may contain the caller's input.
    context.logger.error("unexpected error", metadata: ["error": "\(describe(error))"])
    return Problem(.internalError)
  }

  private static func describe(_ error: any Error) -> String {
    (error as? DatabaseError)?.description ?? String(reflecting: type(of: error))
  }
}
