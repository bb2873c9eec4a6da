import Contracts
import HTTPServing
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle
import Synchronization

/// Learns from the services behind the gateway what they serve, and routes to it.
final class ServiceDiscovery: Feature, TopicOwners, PreviewOwners {
  private struct Known {
    var directory: ServiceDirectory
    /// The version of each description that has been received from its service since the start.
    var versions: [String: String] = [:]
    /// When a version was replaced, in rounds. While the instances of a service are updated, they describe different
    /// versions; the older one is not taken again.
    var replaced: [String: Int] = [:]
    /// The services that have responded to the last check.
    var reachable: Set<String> = []
    /// The last failure of each service, which is logged once.
    var failures: [String: String] = [:]
    /// Services whose routes are not known, although the gateway has not been waiting for them for long.
    var awaited: Set<String>
    var rounds = 0
  }

  /// About a minute.
  private static let maxRounds = 30

  private let services: [String]
  private let environment: ServiceEnvironment
  private let database: any Database
  private let forwarder: Forwarder
  private let documentation: Documentation
  private let routes: ForwardedRoutes
  /// Serves what it can before the routes do.
  private let bytes: ByteEdge?
  private let known: Mutex<Known>

  init(_ environment: ServiceEnvironment, own: ServiceDescription, documentation: Documentation, bytes: ByteEdge? = nil)
    throws
  {
    // Auth first: when operations overlap, its own win.
    services = environment.fronted.sorted { ($0 != AuthAPI.name ? 1 : 0, $0) < ($1 != AuthAPI.name ? 1 : 0, $1) }
    (self.environment, self.documentation) = (environment, documentation)
    database = try environment.database
    self.bytes = bytes
    forwarder = Forwarder(upstreams: environment.upstreams, downloads: bytes?.downloads ?? Downloads())
    routes = ForwardedRoutes(service: environment.name, metrics: environment.metrics)
    known = Mutex(Known(directory: ServiceDirectory(own: own), awaited: Set(services)))
  }

  func register(in routes: inout Routes) {
    routes.forward(self.routes)
    routes.on(GatewayAPI.GetStatus.self) { [self] _, _ in
      let reachable = known.withLock { $0.reachable }
      return PlatformStatus(services: services.map { .init(name: $0, isAvailable: reachable.contains($0)) })
    }
  }

  /// The services of this process have to be routed; the others are asked once, and later again.
  func prepare() async throws {
    for service in services where isLocal(service) { try await learn(service, from: ask(service)) }
    for description in try await database.read({ try ServiceDescriptionStore.list(in: $0) })
    where services.contains(description.name) && !isLocal(description.name) {
      do { try accept(description, of: description.name) } catch { warn(about: description.name, error) }
    }
    await learnFromOthers()
    publish()
  }

  var workers: [any Service] {
    [
      PeriodicTask("gateway.learn-services", every: .seconds(2), logger: environment.logger) { [self] in
        await learnFromOthers()
      }
    ]
  }

  /// The service that decides who may follow the topics of a kind.
  func service(ofTopic kind: Substring) -> String? {
    known.withLock { $0.directory.service(ofTopic: kind) }
  }

  /// The service that answers for links to objects of a kind.
  func service(ofPreview kind: String) -> String? {
    known.withLock { $0.directory.service(ofPreview: kind) }
  }

  /// Whether a service's kinds of topics and links are not known yet.
  var isIncomplete: Bool { known.withLock { !$0.awaited.isEmpty } }

  private func isLocal(_ service: String) -> Bool {
    if case .local? = environment.upstreams.find(service) { true } else { false }
  }

  /// Asks the services of other processes at once, and takes their answers in order.
  private func learnFromOthers() async {
    let others = services.filter { !isLocal($0) }
    let replies = await withTaskGroup(of: Reply.self) { group in
      for service in others { group.addTask { [self] in await reply(of: service) } }
      return await group.reduce(into: [:]) { $0[$1.service] = $1 }
    }
    for reply in others.compactMap({ replies[$0] }) {
      do {
        if let answer = reply.answer { try await learn(reply.service, from: answer) }
        if let failure = reply.failure { warn(about: reply.service, failure) }
      } catch {
        warn(about: reply.service, error)
      }
    }
    let isLate = known.withLock { known in
      known.rounds += 1
      guard known.rounds == Self.maxRounds, !known.awaited.isEmpty else { return false }
      known.awaited = []
      return true
    }
    if isLate { publish() }
  }

  private struct Reply: Sendable {
    var service: String
    var answer: DescriptionAPI.Answer?
    var failure: CallError?
  }

  private func reply(of service: String) async -> Reply {
    do {
      return Reply(service: service, answer: try await ask(service))
    } catch {
      return Reply(service: service, failure: error)
    }
  }

  private func ask(_ service: String) async throws(CallError) -> DescriptionAPI.Answer {
    let version = known.withLock { $0.versions[service] }
    return try await environment.client(of: service).send(DescriptionAPI.Describe(known: version))
  }

  private func learn(_ service: String, from answer: DescriptionAPI.Answer) async throws {
    if let description = answer.description {
      let wasReplaced = known.withLock { known in
        known.replaced[answer.version].map { known.rounds - $0 < Self.maxRounds } ?? false
      }
      if wasReplaced { return }
      try accept(description, of: service)
      publish()
      if !isLocal(service) {
        try await database.write { try ServiceDescriptionStore.save(description, in: $0) }
        environment.logger.info(
          "routing to a service",
          metadata: ["service": "\(service)", "operations": "\(description.operations.count)"]
        )
      }
    }
    known.withLock { known in
      if let before = known.versions[service], before != answer.version {
        known.replaced = known.replaced.filter { known.rounds - $0.value < Self.maxRounds }
        known.replaced[before] = known.rounds
      }
      known.versions[service] = answer.version
      known.reachable.insert(service)
      known.failures[service] = nil
    }
  }

  private func accept(_ description: ServiceDescription, of service: String) throws {
    try known.withLock { known in
      // Whatever comes of it, the service is no longer waited for.
      known.awaited.remove(service)
      try known.directory.accept(description, of: service)
    }
  }

  private func warn(about service: String, _ error: any Error) {
    let isNew = known.withLock { known in
      known.reachable.remove(service)
      let failure = "\(error)"
      defer { known.failures[service] = failure }
      return known.failures[service] != failure
    }
    if isNew {
      environment.logger.warning(
        "cannot learn what a service serves", metadata: ["service": "\(service)", "error": "\(error)"])
    }
  }

  /// Within the lock, so that an older state never replaces a newer one.
  private func publish() {
    known.withLock { known in
      let described = services.compactMap { known.directory.descriptions[$0] }
      routes.replace(
        with: described.flatMap { service in
          service.operations.map { operation in
            (
              operation,
              { @Sendable [forwarder] request, context in
                try await forwarder.forward(request, context, operation, to: service.name)
              }
            )
          }
        },
        isComplete: known.awaited.isEmpty
      )
      bytes?.replace(described.flatMap { byteRoutes(of: $0) })
      documentation.describe(described)
    }
  }

  /// The routes of a service that the byte path serves: it speaks plain HTTP to services in other processes.
  private func byteRoutes(of service: ServiceDescription) -> [ByteRoutes.Route] {
    guard case .remote(let instances)? = environment.upstreams.find(service.name),
      instances.origins.allSatisfy({ $0.hasPrefix("http://") })
    else { return [] }
    return service.operations.compactMap { operation in
      routes.metrics(of: operation).map {
        ByteRoutes.Route(operation, service: service.name, instances: instances, metrics: $0)
      }
    }
  }
}
