public import Contracts
import Events
public import HTTPServing
public import HummingbirdCore
public import Persistence

/// Collects the handlers of a service's endpoints and events.
public struct Routes {
  let manifest: Manifest
  let accessGuard: AccessGuard
  private let files: BodyFiles
  private let database: (any Database)?
  private(set) var routes: [Route] = []
  private var implemented: [String: Int] = [:]
  private(set) var consumers: [String: EventConsumer] = [:]
  private(set) var interceptor: Dispatcher.Interceptor?
  private(set) var middleware: Dispatcher.Middleware?
  private(set) var forwarded: ForwardedRoutes?
  private(set) var topicGuards: [String: TopicGuard] = [:]
  var readerGuards: [String: ReaderGuard] = [:]
  private(set) var previewFinders: [String: PreviewFinder] = [:]
  private var check: (@Sendable (Call) throws(Problem) -> Void)?

  init(manifest: Manifest, accessGuard: AccessGuard, files: TemporaryFiles, database: (any Database)?) {
    self.manifest = manifest
    self.accessGuard = accessGuard
    self.files = BodyFiles(files)
    self.database = database
  }

  /// Implements an endpoint.
  ///
  /// - Parameter handler: Receives the decoded request and the call. Access has been checked. A thrown ``Problem`` is
  ///   the response; a problem that the operation does not declare becomes a 500.
  public mutating func on<E: Endpoint>(
    _ endpoint: E.Type,
    _ handler: @escaping @Sendable (E, Call) async throws -> E.Response
  ) {
    serve(E.self, handler) { try await EndpointRoute<E, E.Response>.encode($0, to: $1) }
  }

  /// Implements an endpoint that sends stored bytes, whole or in ranges.
  public mutating func on<E: Endpoint>(
    _ endpoint: E.Type, _ handler: @escaping @Sendable (E, Call) async throws -> StoredContent
  ) where E.Response == StoredBytes {
    serve(E.self, handler) { try await .stored($0, to: $1) }
  }

  private mutating func serve<E: Endpoint, Answer: Sendable>(
    _ endpoint: E.Type, _ handler: @escaping @Sendable (E, Call) async throws -> Answer,
    encode: @escaping @Sendable (Answer, Request) async throws -> Response
  ) {
    implemented[SchemaName.of(E.self), default: 0] += 1
    let route = EndpointRoute<E, Answer>(
      accessGuard: accessGuard, files: files, check: check, handler: handler, encode: encode)
    routes.append(
      Route(
        method: E.operation.method.rawValue,
        path: E.operation.path,
        logsAtDebug: E.operation.isInternal,
        isInternal: E.operation.isInternal,
        cost: E.operation.cost,
        isAdministrative: E.operation.access.isAdministrative
      ) { request, context in
        try await route.respond(to: request, context)
      }
    )
  }

  /// Implements an endpoint that returns nothing (204 No Content).
  public mutating func on<E: Endpoint>(
    _ endpoint: E.Type, _ handler: @escaping @Sendable (E, Call) async throws -> Void
  ) where E.Response == Empty {
    on(endpoint) { request, call -> Empty in
      try await handler(request, call)
      return Empty()
    }
  }

  /// Sets a check that runs before the handlers of the endpoints registered after this call; it throws one of the
  /// general problems to reject a request.
  public mutating func guardEach(_ check: @escaping @Sendable (Call) throws(Problem) -> Void) { self.check = check }

  /// Implements a route that is not an endpoint; it checks the caller itself and may respond with any bytes.
  ///
  /// - Parameter logsAtDebug: Logs the requests at debug level.
  public mutating func on(
    _ route: RawRoute,
    logsAtDebug: Bool = false,
    _ handler: @escaping @Sendable (Request, RequestContext) async throws -> Response
  ) {
    let operation = route.operation
    routes.append(
      Route(
        method: operation.method.rawValue, path: operation.path, logsAtDebug: logsAtDebug, cost: operation.cost,
        isAdministrative: operation.access.isAdministrative, handle: handler)
    )
  }

  /// Routes requests that match no other route to the services behind this one; for the edge.
  public mutating func forward(_ routes: ForwardedRoutes) { forwarded = routes }

  /// Sets the interceptor, which sees every request of the public port before its route is found; for the edge.
  public mutating func interceptor(_ intercept: @escaping Dispatcher.Interceptor) { interceptor = intercept }

  /// Sets the middleware that handles every request: it may respond itself, and it can modify every response, including
  /// those for unknown paths and errors.
  public mutating func middleware(_ pass: @escaping Dispatcher.Middleware) { middleware = pass }

  /// Registers a handler that applies an event in one transaction with its inbox entry: it takes effect exactly once,
  /// however often the event is delivered.
  ///
  /// - Parameter afterwards: Called after the transaction has committed, to wake waiters in this process. It must not
  ///   do essential work, because the process may end before the call.
  public mutating func on<E: Event>(
    _ event: E.Type,
    _ apply: @escaping @Sendable (E, Transaction) throws -> Void,
    afterwards: @escaping @Sendable (E) -> Void = { _ in }
  ) {
    on(event, admitting: { _, _ in }, apply, afterwards: afterwards)
  }

  /// Registers a handler of events that not every service may send.
  ///
  /// - Parameters:
  ///   - purpose: That of the transaction.
  ///   - admit: Receives an event and the service that sends it; a thrown problem is the answer, after which the sender
  ///     tries again for a while.
  public mutating func on<E: Event>(
    _ event: E.Type,
    for purpose: WritePurpose = .serializable,
    admitting admit: @escaping @Sendable (E, _ sender: String) throws -> Void,
    _ apply: @escaping @Sendable (E, Transaction) throws -> Void,
    afterwards: @escaping @Sendable (E) -> Void
  ) {
    consumers[E.type] = EventConsumer { delivered, sender in
      let event = try WireJSON.decode(E.self, from: WireJSON.encode(delivered.data))
      try admit(event, sender)
      return EventConsumer.Effect(
        purpose: purpose, apply: { tx in try apply(event, tx) }, afterwards: { afterwards(event) })
    }
  }

  /// Registers a handler of events that several services send, by the rights of each.
  ///
  /// - Parameter apply: Receives an event, the name of the service that sends it, and when that has recorded it.
  public mutating func on<E: Event>(
    _ event: E.Type,
    bySender apply: @escaping @Sendable (E, _ sender: String, _ time: Timestamp, Transaction) throws -> Void
  ) {
    consumers[E.type] = EventConsumer { delivered, sender in
      let event = try WireJSON.decode(E.self, from: WireJSON.encode(delivered.data))
      return EventConsumer.Effect(apply: { tx in try apply(event, sender, delivered.time, tx) }, afterwards: {})
    }
  }

  /// Answers for links to objects of a kind, which the manifest declares.
  ///
  /// - Parameter find: Returns what everyone may see of the object, and `nil` when it does not exist or is not for
  ///   everyone.
  public mutating func previews<Subject>(
    _ kind: String, _ find: @escaping @Sendable (ID<Subject>) async throws -> LinkPreview?
  ) {
    previewFinders[kind] = { id in try await find(ID(trusted: id.rawValue)) }
  }

  typealias PreviewFinder = @Sendable (LinkID) async throws -> LinkPreview?

  /// Decides which topics of a kind users may follow; the kind is declared in the manifest.
  ///
  /// - Parameter allow: Receives topics of the kind and returns those that the user may follow.
  public mutating func topics(_ kind: String, _ allow: @escaping TopicGuard) { topicGuards[kind] = allow }

  public typealias TopicGuard = @Sendable (TopicReader, [Topic]) async throws -> [Topic]

  /// - Throws: ``SettingError`` that lists missing, duplicate, and unexpected handlers.
  func checkComplete() throws(SettingError) {
    var violations: [String] = []
    for endpoint in manifest.api?.endpoints ?? [] {
      switch implemented[SchemaName.of(endpoint)] ?? 0 {
      case 0: violations.append("\(endpoint) has no handler")
      case 1: break
      default: violations.append("\(endpoint) has several handlers")
      }
    }
    for event in manifest.consumes.flatMap(\.events) + manifest.consumesFromAll where consumers[event.type] == nil {
      violations.append("event \(event.type) has no handler")
    }
    let wanted = Set((manifest.consumes.flatMap(\.events) + manifest.consumesFromAll).map { $0.type })
    for type in consumers.keys where !wanted.contains(type) {
      violations.append("event \(type) is handled but not declared in the manifest")
    }
    violations += topicViolations + previewViolations
    for operation in manifest.api?.operations ?? [] where operation.access.readsToken && operation.scope == nil {
      violations.append("\(operation.method.rawValue) \(operation.path) needs a token, but names no scope")
    }
    let handlers = Dictionary(grouping: routes) { "\($0.method) \($0.path)" }
    for operation in manifest.api?.rawRoutes.map(\.operation) ?? [] {
      let name = "\(operation.method.rawValue) \(operation.path)"
      if handlers[name] == nil { violations.append("\(name) has no handler") }
    }
    for (name, routes) in handlers where routes.count > 1 { violations.append("\(name) is registered twice") }
    guard violations.isEmpty else {
      throw SettingError(message: "\(manifest.name) is not complete: \(violations.sorted().joined(separator: "; "))")
    }
  }
}

/// A user who asks to follow topics.
public struct TopicReader: Sendable {
  public let id: UserID
  public let roles: Set<Role>
}

private enum SchemaName {
  static func of(_ type: any Any.Type) -> String { String(reflecting: type) }
}
