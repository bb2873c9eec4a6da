import CatalogService
import Contracts
import Foundation
import GatewayService
import MatchingService
import OrdersService
import ServiceKit
import StudySyncService
import TestKit
import Testing

@testable import AuthService

/// A generator that knows only the OpenAPI document makes requests that are accepted: the document is complete.
@Suite(.serialized)
struct GeneratedRequestTests {
  private struct Generated: Decodable {
    var operation: String
    var method: Contracts.Operation.Method
    var path: String
    var keyed: Bool
    var body: String
  }

  /// Problems of the request itself; all others depend on what exists and who asks.
  private static let refusals: Set = [
    "malformed-request", "invalid-request", "unsupported-media-type", "body-too-large",
  ]

  @Test func requestsThatFollowTheDocumentAreAccepted() async throws {
    let settings = ["limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1"]
    let plugins: [any ServicePlugin.Type] = [
      GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self, MatchingPlugin.self,
      OrdersPlugin.self, StudySyncPlugin.self,
    ]
    try await TestPlatform.run(plugins, settings: settings) { test in
      let generated = try await generate(from: try await test.send(.get, "/openapi.json").body)
      #expect(Set(generated.map(\.operation)).count >= 60)
      var accepted: Set<String> = []
      var refusals: [String: String] = [:]
      var count = 0
      for request in generated {
        let user = try await somebody(test)
        let key = request.keyed ? [(name: "idempotency-key", value: "\"\(UUID().uuidString)\"")] : []
        let response = try await test.send(request.method, request.path, request.body, headers: key, by: user)
        #expect(response.status < 500, "\(request)")
        if let problem = try response.problem, Self.refusals.contains(problem.code) {
          refusals[request.operation] = "\(request.body): \(problem.errors ?? [])"
        } else {
          count += 1
          accepted.insert(request.operation)
        }
      }
      let never = refusals.filter { !accepted.contains($0.key) }
      #expect(count * 2 >= generated.count, "\(count) of \(generated.count) accepted; never: \(never)")
    }
  }

  private func generate(from document: [UInt8]) async throws -> [Generated] {
    try await TemporaryFolder.run { folder in
      let path = "\(folder)/openapi.json"
      try Data(document).write(to: URL(filePath: path))
      let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "generate.py").path
      let lines = try await Command.run([Python.path(), script, path, "8", "\(SeededGenerator().seed % 1000)"])
      return try lines.split(separator: "\n").map { try WireJSON.decode(Generated.self, from: Array($0.utf8)) }
    }
  }

  /// A new account with every role, because some requests end the caller's session or change the account.
  private func somebody(_ test: TestPlatform) async throws -> TestUser {
    let keys = try await SigningKeys.load(Settings([:]), dataFolder: test.folder)
    let id = test.ids.make(UserID.self)
    let now = test.time.source.now().unixSeconds
    let claims = AccessClaims(
      iss: Issuer.name, sub: id.rawValue, aud: ClientApp.web.rawValue, sid: test.ids.text(),
      scope: "account administration", roles: Role.allCases.map(\.rawValue), iat: now - 60, exp: now + 86_400,
      jti: test.ids.text()
    )
    return TestUser(id: id, token: try await keys.sign(claims), client: test.client)
  }
}
