import Contracts
import Dispatch
public import CurlClient
import Synchronization

/// Locates each service of the platform: in this process, or at a URL.
public final class Upstreams: Sendable {
  /// The location of a service.
  public enum Upstream: Sendable {
    case local(Dispatcher)
    case remote(Instances)
  }

  private let remotes: [String: Instances]
  private let locals = Mutex<[String: Dispatcher]>([:])
  private let http: CurlClient
  private let identity: ServiceIdentity

  /// - Parameters:
  ///   - remotes: Scheme, host and port of each instance.
  ///   - clock: A monotonic clock, in seconds.
  convenience init(
    remotes: [String: [String]],
    http: CurlClient,
    identity: ServiceIdentity,
    clock: @escaping @Sendable () -> Double = Upstreams.now
  ) {
    self.init(remotes.mapValues { Instances($0, clock: clock) }, http: http, identity: identity)
  }

  /// - Parameter remotes: The instances of the services in other processes.
  init(_ remotes: [String: Instances], http: CurlClient, identity: ServiceIdentity) {
    (self.remotes, self.http, self.identity) = (remotes, http, identity)
  }

  /// The instances of services by their origins.
  static func instances(_ remotes: [String: [String]]) -> [String: Instances] {
    remotes.mapValues { Instances($0, clock: now) }
  }

  func mount(_ name: String, _ dispatcher: Dispatcher) { locals.withLock { $0[name] = dispatcher } }

  /// Forgets the services of this process, which have clients that hold these upstreams.
  func unmountAll() { locals.withLock { $0 = [:] } }

  /// Finds a service; `nil` when it is neither in this process nor configured.
  public func find(_ name: String) -> Upstream? {
    if let local = locals.withLock({ $0[name] }) { return .local(local) }
    return remotes[name].map { .remote($0) }
  }

  /// The HTTP client for remote services.
  public var client: CurlClient { http }

  /// The services that are not in this process.
  var elsewhere: [(name: String, instances: Instances)] {
    remotes.filter { name, _ in locals.withLock { $0[name] == nil } }.map { ($0.key, $0.value) }
  }

  @Sendable private static func now() -> Double { Double(DispatchTime.now().uptimeNanoseconds) / 1_000_000_000 }

  /// Sends a request to one of a service's instances. When it fails, another instance is tried, unless the request may
  /// have been executed and is not repeatable, or its streamed body has been consumed.
  public func execute(_ request: ClientRequest, on instances: Instances) async throws(ClientError) -> ClientResponse {
    var request = request
    if let only = instances.only {
      (request.origin, request.address) = (only.origin, only.address)
      return try await http.execute(request)
    }
    var tried: Set<Instances.Instance> = []
    guard var instance = instances.next() else { throw .noInstance }
    while true {
      tried.insert(instance)
      let others = instances.all.count - tried.count
      (request.origin, request.address) = (instance.origin, instance.address)
      request.attempts = others > 0 ? 1 : nil
      do {
        let response = try await http.execute(request)
        // 503 comes from an instance that is shutting down or overloaded.
        let isRefusal = response.status == 503
        instances.ended(instance, isHealthy: response.status == 502 ? false : isRefusal ? nil : true)
        guard isRefusal, request.isRepeatable, !request.isStreamed, others > 0,
          let other = instances.next(without: tried)
        else { return response }
        instance = other
      } catch {
        instances.ended(instance, isHealthy: error.speaksOfTheServer ? false : nil)
        let mayRepeat = (!error.mayHaveRun || request.isRepeatable) && !request.isStreamed && error.speaksOfTheServer
        guard mayRepeat, others > 0, !Task.isCancelled, let other = instances.next(without: tried) else { throw error }
        instance = other
      }
    }
  }

  /// A typed client whose calls carry the caller's service token.
  func client(of service: String, caller: String) -> APIClient {
    client(of: service, through: UpstreamTransport(name: service, upstreams: self), caller: caller)
  }

  /// A typed client for a service that is known by the URL of its subscription.
  func client(of service: String, at url: String, caller: String) -> APIClient {
    client(of: service, through: transport(to: service, at: url), caller: caller)
  }

  private func client(of service: String, through transport: any Transport, caller: String) -> APIClient {
    APIClient(transport: transport) { [identity] in
      [("x-service-authorization", "Bearer \(try await identity.token(caller: caller, audience: service))")]
    }
  }
}

extension Upstreams {
  /// Returns a transport to a subscriber: by name when it is in this process, otherwise by the URL of its subscription.
  func transport(to subscriber: String, at url: String) -> any Transport {
    if case .local? = find(subscriber) { return UpstreamTransport(name: subscriber, upstreams: self) }
    return UpstreamTransport(
      name: subscriber,
      upstreams: Upstreams(remotes: [subscriber: [url]], http: client, identity: identity)
    )
  }
}
