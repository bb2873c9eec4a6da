import CatalogService
import Contracts
import GatewayService
import MatchingService
import MediaIndexService
import OrdersService
import Persistence
import ServiceKit
import StudySyncService
import TestKit

@testable import AuthService

/// All services in one process, as the authorization matrix calls them: every public request goes through the gateway.
struct MatrixPlatform {
  let test: TestPlatform
  private let keys: SigningKeys

  static let apis: [any ServiceAPI.Type] = [
    AuthAPI.self, CatalogAPI.self, GatewayAPI.self, MatchingAPI.self, MediaAPI.self, OrdersAPI.self, StudyAPI.self,
  ]

  static func run(_ body: (MatrixPlatform) async throws -> Void) async throws {
    let settings = [
      "limits.read": "0/1", "limits.search": "0/1", "limits.write": "0/1", "limits.signIn": "0/1",
      "limits.session": "0/1", "limits.guests": "0/1",
      "payments.test": "true",
      "orders.plans":
        #"[{"name":"school","title":"School","price":{"amount":2000,"currency":"USD"},"months":1,"seats":2}]"#,
    ]
    let plugins: [any ServicePlugin.Type] = [
      GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self, MatchingPlugin.self, OrdersPlugin.self,
      StudySyncPlugin.self, MediaIndexPlugin.self,
    ]
    try await TestPlatform.run(plugins, settings: settings) { test in
      let keys = try await SigningKeys.load(Settings([:]), dataFolder: test.folder)
      try await body(MatrixPlatform(test: test, keys: keys))
    }
  }

  /// - Parameters:
  ///   - user: A new one by default, without an account.
  ///   - session: A new one by default, which auth does not know.
  func token(of caller: MatrixCaller, for user: UserID? = nil, in session: SessionID? = nil) async throws -> String? {
    switch caller {
    case .anonymous: return nil
    case .forger: return "eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0In0.e30."
    default: break
    }
    let now = test.time.source.now().unixSeconds
    let id = user ?? test.ids.make(UserID.self)
    let claims = AccessClaims(
      iss: Issuer.name, sub: id.rawValue, aud: caller.app.rawValue, sid: session?.rawValue ?? test.ids.text(),
      clientID: caller.isClient ? id.rawValue : nil,
      scope: caller.scopes.map(\.rawValue).sorted().joined(separator: " "),
      roles: caller.roles.map(\.rawValue), iat: now - 60, exp: now + 86_400, jti: test.ids.text())
    return try await keys.sign(claims)
  }

  /// Sends a request to the gateway, or directly to a service.
  func send(
    _ operation: Contracts.Operation, to path: String, body: String? = nil, token: String?,
    headers more: [String: String] = [:], directlyTo service: String? = nil
  ) async throws -> WireResponse {
    var headers = more.map { (name: $0.key, value: $0.value) }
    if let token { headers.append(("authorization", "Bearer \(token)")) }
    if operation.idempotency.takesKey { headers.append(("idempotency-key", test.ids.text())) }
    let hasBody = ![.get, .delete, .head, .options].contains(operation.method)
    if hasBody, more["content-type"] == nil { headers.append(("content-type", "application/json")) }
    let request = WireRequest(
      method: operation.method, target: path, headers: headers, body: hasBody ? Array((body ?? "{}").utf8) : nil,
      isRepeatable: false, seconds: Waiting.limit)
    return try await test.platform.transport(to: service ?? GatewayAPI.name).send(request, headers: [])
  }

  /// A path of the operation, for an object that does not exist.
  func path(of operation: Contracts.Operation) -> String {
    let path = operation.path.expand { _ in "01890a5d-ac96-774b-bcce-b302099a9999" } ?? operation.path.description
    // A stream that opens would never end: whoever is admitted gets the error that the topic is wrong.
    return path == GatewayAPI.events.operation.path.description ? path + "?topics=-" : path
  }
}
