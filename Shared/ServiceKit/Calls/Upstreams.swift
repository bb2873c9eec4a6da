import Contracts
public import HTTPServing
import NIOCore
public import CurlClient
import Synchronization
import Timing

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
    clock: @escaping @Sendable () -> Double = { MonotonicClock.now() }
  ) {
    self.init(remotes.mapValues { Instances($0, clock: clock) }, http: http, identity: identity)
  }

  /// - Parameter remotes: The instances of the services in other processes.
  init(_ remotes: [String: Instances], http: CurlClient, identity: ServiceIdentity) {
    (self.remotes, self.http, self.identity) = (remotes, http, identity)
  }

  /// The instances of services by their origins.
  static func instances(_ remotes: [String: [String]]) -> [String: Instances] {
    remotes.mapValues { Instances($0) { MonotonicClock.now() } }
  }

  func mount(_ name: String, _ dispatcher: Dispatcher) { locals.withLock { $0[name] = dispatcher } }

  /// Makes a service of this process unreachable, for tests.
  /// - Returns: What makes it reachable again.
  package func interrupt(_ name: String) -> () -> Void {
    let dispatcher = locals.withLock { $0.removeValue(forKey: name) }
    return { [self] in locals.withLock { $0[name] = dispatcher } }
  }

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

  /// How long a second try at the same instance waits, in seconds; in less time than the longest, none is worth it.
  private static let pause = 0.025...0.05

  /// Does the work of ``execute(_:on:)``.
  func send(_ request: ClientRequest, on instances: Instances) async throws(ClientError) -> ClientResponse {
    var request = request
    request.attempts = 1
    let start = MonotonicClock.now()
    guard let first = instances.next() else { throw .noInstance }
    let result = await send(request, to: first, of: instances)
    let again = Self.again(request, after: result)
    let left =
      (request.timeouts.total ?? request.timeouts.firstByte).map { $0 - (MonotonicClock.now() - start) } ?? .infinity
    guard again != .no, left > Self.pause.upperBound, !Task.isCancelled,
      let second = instances.retry(after: first, maySendToSame: again == .anywhere)
    else { return try result.get() }
    // An only instance that is being restarted may accept connections in a moment.
    if second == first { try? await Task.sleep(for: .seconds(Double.random(in: Self.pause))) }
    request.timeouts.total = request.timeouts.total.map { _ in left }
    request.timeouts.firstByte = request.timeouts.firstByte.map { min($0, left) }
    return try await send(request, to: second, of: instances).get()
  }

  private func send(_ request: ClientRequest, to instance: Instances.Instance, of instances: Instances) async
    -> Result<ClientResponse, ClientError>
  {
    var request = request
    (request.origin, request.address) = (instance.origin, instance.address)
    do {
      let response = try await http.execute(request)
      instances.ended(instance, Self.outcome(of: response))
      return .success(response)
    } catch {
      instances.ended(instance, error.speaksOfTheServer ? .failed : .neutral)
      return .failure(error)
    }
  }

  private static func outcome(of response: ClientResponse) -> Instances.Outcome {
    guard response.status == 502 || response.status == 503 else { return .served }
    // The bodies of problems are small, so they have come with their heads.
    guard response.status == 503, case .bytes(let body) = response.body,
      let problem = try? WireJSON.decode(Problem.self, from: body.readableBytesView)
    else { return .failed }
    return problem.is(.overloaded) ? .overloaded : .failed
  }

  /// The instance to which a request may be sent after its first try.
  private enum Again {
    case no, elsewhere, anywhere
  }

  private static func again(_ request: ClientRequest, after result: Result<ClientResponse, ClientError>) -> Again {
    guard !request.isStreamed else { return .no }
    switch result {
    case .success(let response): return response.status == 503 && request.isRepeatable ? .elsewhere : .no
    case .failure(let error):
      guard error.speaksOfTheServer, !error.mayHaveRun || request.isRepeatable else { return .no }
      switch error.reason {
      case .couldNotConnect, .connectionLost, .badResponse: return .anywhere
      default: return .elsewhere
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
