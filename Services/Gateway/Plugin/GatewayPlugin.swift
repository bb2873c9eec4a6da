import Contracts
import HTTPTypes
import HummingbirdCore
public import ServiceKit

/// The public door: routes to every service of the platform, lets nothing in that need not come in.
public struct GatewayPlugin: ServicePlugin {
  public static let manifest = Manifest(name: "gateway", calls: PlatformAPIs.all, isEdge: true)

  private let forwarder: Forwarder
  private let documentation: Documentation

  public init(environment: ServiceEnvironment) async throws {
    forwarder = Forwarder(upstreams: environment.upstreams, tokens: environment.tokens)
    documentation = try Documentation(of: PlatformAPIs.all)
  }

  public func register(in routes: inout Routes) {
    for api in PlatformAPIs.all {
      for endpoint in api.endpoints where endpoint.operation.access != .service {
        let operation = endpoint.operation
        guard let method = HTTPRequest.Method(operation.method.rawValue) else { continue }
        routes.raw(method, operation.path) { request, context in
          try await forwarder.forward(request, context, operation, to: api.name)
        }
      }
    }
    routes.raw(.get, "/openapi.json") { _, _ in .json(.ok, documentation.json) }
    routes.raw(.get, "/docs") { _, _ in documentation.page }
    routes.raw(.get, "/") { _, _ in Response(status: .found, headers: [.location: "/docs"]) }
  }
}
