import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle
import Synchronization

/// Learns from the services behind the gateway what they serve, and routes to it.
final class ServiceDiscovery: Feature {
  private struct Known {
    var directory: ServiceDirectory
    /// The version of each description that has been received from its service since the start.
    var versions: [String: String] = [:]
    /// The last complaint about each service, which is logged once.
    var complaints: [String: String] = [:]
  }

  private let services: [String]
  private let environment: ServiceEnvironment
  private let database: any Database
  private let forwarder: Forwarder
  private let documentation: Documentation
  private let routes: ForwardedRoutes
  private let known: Mutex<Known>

  init(_ environment: ServiceEnvironment, own: ServiceDescription, documentation: Documentation) throws {
    services = environment.fronted
    (self.environment, self.documentation) = (environment, documentation)
    database = try environment.database
    forwarder = Forwarder(upstreams: environment.upstreams, tokens: environment.tokens)
    routes = ForwardedRoutes(environment)
    known = Mutex(Known(directory: ServiceDirectory(own: own)))
  }

  func register(in routes: inout Routes) { routes.forward(self.routes) }

  /// The services of this process have to be routed; another one is asked once, and later again.
  func prepare() async throws {
    for service in services where isLocal(service) { try await learn(service) }
    for description in try await database.read({ try ServiceDescriptionStore.all(in: $0) })
    where services.contains(description.name) && !isLocal(description.name) {
      do {
        try known.withLock { try $0.directory.accept(description, of: description.name) }
      } catch { complain(of: description.name, error) }
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

  private func isLocal(_ service: String) -> Bool {
    if case .local? = environment.upstreams.find(service) { true } else { false }
  }

  private func learnFromOthers() async {
    await withTaskGroup(of: Void.self) { group in
      for service in services where !isLocal(service) {
        group.addTask { [self] in
          do { try await learn(service) } catch { complain(of: service, error) }
        }
      }
    }
  }

  private func learn(_ service: String) async throws {
    let version = known.withLock { $0.versions[service] }
    let answer = try await environment.client(of: service).send(DescriptionAPI.Describe(known: version))
    guard let description = answer.description else { return }
    try known.withLock { known in
      try known.directory.accept(description, of: service)
      known.versions[service] = answer.version
      known.complaints[service] = nil
    }
    publish()
    if !isLocal(service) {
      try await database.write { try ServiceDescriptionStore.put(description, in: $0) }
      environment.logger.info(
        "routing to a service",
        metadata: ["service": "\(service)", "operations": "\(description.operations.count)"]
      )
    }
  }

  private func complain(of service: String, _ error: any Error) {
    let isNew = known.withLock { known in
      let complaint = "\(error)"
      defer { known.complaints[service] = complaint }
      return known.complaints[service] != complaint
    }
    if isNew {
      environment.logger.warning(
        "cannot learn what a service serves", metadata: ["service": "\(service)", "error": "\(error)"])
    }
  }

  private func publish() {
    let directory = known.withLock { $0.directory }
    let described = services.compactMap { directory.descriptions[$0] }
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
      isComplete: described.count == services.count
    )
    documentation.describe(described)
  }
}
