public import Contracts
public import HTTPTypes
public import HummingbirdCore
public import Persistence

/// Collects what answers a service's endpoints and events.
public struct Routes {
  private let manifest: Manifest
  private let guardian: AccessGuard
  private let database: (any Database)?
  private(set) var routes: [Route] = []
  private var implemented: [String: Int] = [:]
  private(set) var consumers: [String: EventConsumer] = [:]
  private(set) var around: Around?
  private var check: (@Sendable (Call) throws(Problem) -> Void)?

  init(manifest: Manifest, guardian: AccessGuard, database: (any Database)?) {
    self.manifest = manifest
    self.guardian = guardian
    self.database = database
  }

  /// Implements an endpoint.
  ///
  /// - Parameter handler: Gets the decoded request and who calls. The access rule has been checked. What it throws as
  ///   ``Problem`` is the answer; a problem that the operation does not declare is a 500.
  public mutating func on<E: Endpoint>(
    _ endpoint: E.Type,
    _ handler: @escaping @Sendable (E, Call) async throws -> E.Response
  ) {
    implemented[SchemaName.of(E.self), default: 0] += 1
    let route = EndpointRoute<E>(guardian: guardian, check: check, handler: handler)
    routes.append(
      Route(
        method: E.operation.method.rawValue,
        path: E.operation.path,
        isQuiet: E.operation.access == .service,
        isInternal: E.operation.access == .service
      ) { request, context in
        try await route.respond(to: request, context)
      }
    )
  }

  /// Looks at every request of the endpoints that are registered from now on, before their handlers do; throws one of the
  /// general problems to refuse it.
  public mutating func checking(_ check: @escaping @Sendable (Call) throws(Problem) -> Void) { self.check = check }

  /// Answers a method and path with bytes of any kind; for what is not a typed endpoint.
  ///
  /// - Parameter isQuiet: Keeps the requests out of the log below debug level.
  public mutating func raw(
    _ method: HTTPRequest.Method,
    _ path: PathTemplate,
    isQuiet: Bool = false,
    _ handler: @escaping @Sendable (Request, RequestContext) async throws -> Response
  ) {
    routes.append(Route(method: method.rawValue, path: path, isQuiet: isQuiet, handle: handler))
  }

  /// Passes every request through a function that may answer by itself, and that completes every answer, those of unknown
  /// paths and errors included.
  public mutating func around(_ pass: @escaping Around) { around = pass }

  /// A request on its way, and what answers it; what was learnt of the request goes on in its context.
  public typealias Around =
    @Sendable (Request, RequestContext, _ next: @Sendable (RequestContext) async -> Response)
    async -> Response

  /// Applies an event, in one transaction with the note that it has been: once in effect, however often it comes.
  ///
  /// - Parameter afterwards: Called once the transaction has committed, to wake who waits in this process; nothing that
  ///   must not be missed, for a process may end before it.
  public mutating func on<E: Event>(
    _ event: E.Type,
    _ apply: @escaping @Sendable (E, Transaction) throws -> Void,
    afterwards: @escaping @Sendable (E) -> Void = { _ in }
  ) {
    consumers[E.type] = EventConsumer { data in
      let event = try WireJSON.decode(E.self, from: WireJSON.encode(data))
      return EventConsumer.Effect(apply: { tx in try apply(event, tx) }, afterwards: { afterwards(event) })
    }
  }

  /// - Throws: ``SettingError`` that lists what is missing, double or unexpected.
  func checkComplete() throws(SettingError) {
    var complaints: [String] = []
    for endpoint in manifest.api?.endpoints ?? [] {
      switch implemented[SchemaName.of(endpoint)] ?? 0 {
      case 0: complaints.append("\(endpoint) has no handler")
      case 1: break
      default: complaints.append("\(endpoint) has several handlers")
      }
    }
    for event in manifest.consumes.flatMap(\.events) where consumers[event.type] == nil {
      complaints.append("event \(event.type) has no handler")
    }
    let wanted = Set(manifest.consumes.flatMap { $0.events.map { $0.type } })
    for type in consumers.keys where !wanted.contains(type) {
      complaints.append("event \(type) is handled but not declared in the manifest")
    }
    let places = Dictionary(grouping: routes) { "\($0.method) \($0.path)" }
    for (place, routes) in places where routes.count > 1 { complaints.append("\(place) is registered twice") }
    guard complaints.isEmpty else {
      throw SettingError(message: "\(manifest.name) is not complete: \(complaints.sorted().joined(separator: "; "))")
    }
  }
}

/// Applies events of one type.
struct EventConsumer: Sendable {
  /// What one event does.
  struct Effect: Sendable {
    let apply: @Sendable (Transaction) throws -> Void
    let afterwards: @Sendable () -> Void
  }

  let effect: @Sendable (JSONValue) throws -> Effect
}

private enum SchemaName {
  static func of(_ type: any Any.Type) -> String { String(reflecting: type) }
}
