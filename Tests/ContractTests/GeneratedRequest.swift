import CatalogService
import Contracts
import Foundation
import GatewayService
import MatchingService
import MediaIndexService
import OrdersService
import ServiceKit
import StudySyncService
import TestKit

@testable import AuthService

/// A request that a generator has made of the OpenAPI document alone.
struct GeneratedRequest: Decodable {
  /// Its `operationId`.
  var operation: String
  var method: Contracts.Operation.Method
  var path: String
  var keyed: Bool
  var headers: [String: String]
  var type: String?
  var body: String?

  /// The gateway and all services.
  static let plugins: [any ServicePlugin.Type] = [
    GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self, MatchingPlugin.self, OrdersPlugin.self,
    StudySyncPlugin.self, MediaIndexPlugin.self,
  ]
  /// Settings without limits.
  static let settings = [
    "limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1", "limits.session": "0/1",
    "limits.guests": "0/1",
  ]

  /// Requests of the operations of a platform that take a body or return a file, or of all operations.
  static func all(of test: TestPlatform, count: Int, isForAll: Bool = false) async throws -> [GeneratedRequest] {
    let document = try await test.send(.get, "/openapi.json").body
    return try await TemporaryFolder.run { folder in
      let path = "\(folder)/openapi.json"
      try Data(document).write(to: URL(filePath: path))
      let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "generate.py").path
      let arguments = [script, path, "\(count)", "\(SeededGenerator().seed % 1000)"] + (isForAll ? ["all"] : [])
      let lines = try await Command.run([Python.path()] + arguments)
      return try lines.split(separator: "\n").map { try WireJSON.decode(Self.self, from: Array($0.utf8)) }
    }
  }

  /// The request as a user sends it.
  func wire(by user: TestUser) -> WireRequest {
    var headers = headers.map { (name: $0.key.lowercased(), value: $0.value) }
    if keyed { headers.append(("idempotency-key", "\"\(UUID().uuidString)\"")) }
    if let body, let type { headers += [("content-type", type), ("content-length", String(body.utf8.count))] }
    headers.append(("authorization", "Bearer \(user.token)"))
    return WireRequest(
      method: method, target: path, headers: headers, body: body.map { Array($0.utf8) }, isRepeatable: false,
      seconds: Waiting.limit)
  }

  /// A new account, because some requests end the caller's session or change the account.
  static func somebody(_ test: TestPlatform) async throws -> TestUser { try await user(test.ids.make(), of: test) }

  /// A user with every role but a guest's.
  static func user(_ id: UserID, of test: TestPlatform) async throws -> TestUser {
    let keys = try await SigningKeys.load(Settings([:]), dataFolder: test.folder)
    let now = test.time.source.now().unixSeconds
    let claims = AccessClaims(
      iss: Issuer.name, sub: id.rawValue, aud: ClientApp.web.rawValue, sid: test.ids.text(),
      scope: ClientApp.web.scopeClaim(isStaff: true), roles: Role.allCases.filter { $0 != .guest }.map(\.rawValue),
      iat: now - 60, exp: now + 86_400, jti: test.ids.text())
    return TestUser(id: id, token: try await keys.sign(claims), client: test.client)
  }
}
