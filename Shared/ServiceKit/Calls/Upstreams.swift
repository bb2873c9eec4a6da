import Contracts
public import CurlClient
import Synchronization

/// Where each service of the platform is: in this process, or at a URL.
public final class Upstreams: Sendable {
  /// One service.
  public enum Upstream: Sendable {
    case local(Dispatcher)
    /// Scheme, host and port.
    case remote(String)
  }

  private let remotes: [String: String]
  private let locals = Mutex<[String: Dispatcher]>([:])
  private let http: CurlClient
  private let identity: ServiceIdentity

  init(remotes: [String: String], http: CurlClient, identity: ServiceIdentity) {
    self.remotes = remotes
    self.http = http
    self.identity = identity
  }

  func mount(_ name: String, _ dispatcher: Dispatcher) { locals.withLock { $0[name] = dispatcher } }

  /// Finds a service; `nil` when it is neither here nor known.
  public func find(_ name: String) -> Upstream? {
    if let local = locals.withLock({ $0[name] }) { return .local(local) }
    return remotes[name].map { .remote($0) }
  }

  /// The HTTP client that reaches the remote ones.
  public var client: CurlClient { http }

  /// A typed client whose calls carry the caller's service token.
  func client(of api: any ServiceAPI.Type, caller: String) -> APIClient {
    client(of: api.name, through: UpstreamTransport(name: api.name, upstreams: self), caller: caller)
  }

  /// The same for a service that is known by the URL it gave.
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
  /// Carries an event to a subscriber: one in this process by its name, another by the URL it gave.
  func transport(to subscriber: String, at url: String) -> any Transport {
    if case .local? = find(subscriber) { return UpstreamTransport(name: subscriber, upstreams: self) }
    return UpstreamTransport(
      name: subscriber,
      upstreams: Upstreams(remotes: [subscriber: url], http: client, identity: identity)
    )
  }
}
