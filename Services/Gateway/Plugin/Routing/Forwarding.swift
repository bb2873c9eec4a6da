import Contracts
import HTTPTypes
import ServiceKit

/// Passes the public operations of the services on to them.
struct Forwarding: Feature {
  private let apis: [any ServiceAPI.Type]
  private let forwarder: Forwarder

  init(_ environment: ServiceEnvironment, apis: [any ServiceAPI.Type]) {
    self.apis = apis
    forwarder = Forwarder(upstreams: environment.upstreams, tokens: environment.tokens)
  }

  func register(in routes: inout Routes) {
    for api in apis {
      for endpoint in api.endpoints where endpoint.operation.access != .service {
        let operation = endpoint.operation
        guard let method = HTTPRequest.Method(operation.method.rawValue) else { continue }
        routes.raw(method, operation.path) { [forwarder] request, context in
          try await forwarder.forward(request, context, operation, to: api.name)
        }
      }
    }
  }
}
