import BlobStorage
import CatalogService
import Contracts
import Foundation
import GatewayService
import MatchingService
import OrdersService
import Persistence
import ServiceKit
import StudySyncService
import TestKit
import Testing

@testable import AuthService
@testable import MediaIndexService

/// A generator that knows only the OpenAPI document makes requests that are accepted: the document is complete.
@Suite(.serialized)
struct GeneratedRequestTests {
  private struct Generated: Decodable {
    var operation: String
    var method: Contracts.Operation.Method
    var path: String
    var keyed: Bool
    var headers: [String: String]
    var type: String?
    var body: String?
  }

  /// Problems of the request itself; all others depend on what exists and who asks.
  private static let refusals: Set = [
    "malformed-request", "invalid-request", "unsupported-media-type", "body-too-large",
  ]

  @Test func requestsThatFollowTheDocumentAreAccepted() async throws {
    let settings = [
      "limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1", "limits.session": "0/1",
      "limits.guests": "0/1",
    ]
    let plugins: [any ServicePlugin.Type] = [
      GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self, MatchingPlugin.self,
      OrdersPlugin.self, StudySyncPlugin.self, MediaIndexPlugin.self,
    ]
    try await TestPlatform.run(plugins, settings: settings) { test in
      let generated = try await generate(from: try await test.send(.get, "/openapi.json").body)
      let media = try await file(in: test)
      #expect(Set(generated.map(\.operation)).count >= 60)
      var accepted: Set<String> = []
      var refusals: [String: String] = [:]
      var count = 0
      var (files, ranges) = (0, 0)
      for request in generated {
        let user = try await somebody(test)
        let response = try await send(request, media, by: user, in: test)
        #expect(response.status < 500, "\(request)")
        if request.type == nil, response.status == 200 { files += 1 }
        if response.status == 206 { ranges += 1 }
        if let problem = try response.problem, Self.refusals.contains(problem.code) {
          refusals[request.operation] = "\(request.body ?? ""): \(problem.errors ?? [])"
        } else {
          count += 1
          accepted.insert(request.operation)
        }
      }
      let never = refusals.filter { !accepted.contains($0.key) }
      #expect(count * 2 >= generated.count, "\(count) of \(generated.count) accepted; never: \(never)")
      #expect(accepted.isSuperset(of: ["media-index POST /v1/uploads", "media-index PATCH /v1/uploads/{id}"]))
      #expect(files > 0)
      #expect(ranges > 0)
    }
  }

  /// Sends a request; one for a file is for a medium that exists.
  private func send(_ request: Generated, _ media: MediaID, by user: TestUser, in test: TestPlatform) async throws
    -> WireResponse
  {
    var headers = request.headers.map { (name: $0.key.lowercased(), value: $0.value) }
    if request.keyed { headers.append(("idempotency-key", "\"\(UUID().uuidString)\"")) }
    if let body = request.body, let type = request.type {
      headers += [("content-type", type), ("content-length", String(body.utf8.count))]
    }
    headers.append(("authorization", "Bearer \(user.token)"))
    let isFile = request.type == nil && request.path.hasPrefix("/v1/media/")
    let path = request.path.replacing(/^\/v1\/media\/[^\/]*/, with: "/v1/media/\(media)")
    let wire = WireRequest(
      method: request.method, target: isFile ? path : request.path, headers: headers,
      body: request.body.map { Array($0.utf8) }, isRepeatable: false, seconds: Waiting.limit)
    return try await test.platform.transport(to: GatewayAPI.name).send(wire, headers: [])
  }

  /// A recording that everyone may load, with its preview.
  private func file(in test: TestPlatform) async throws -> MediaID {
    let core = try test.plugin(MediaIndexPlugin.self).core
    let bytes = Array("fLaC\u{0}\u{0}\u{0}\u{22}".utf8) + Array(repeating: 7, count: 2000)
    let path = "\(test.folder)/recording"
    try Data(bytes).write(to: URL(filePath: path))
    let hash = BlobHash(of: bytes)
    let file = FinishedUpload(
      id: test.ids.make(), path: path, bytes: Int64(bytes.count), hash: hash, owner: test.ids.make(), app: .archived,
      visibility: .everyone)
    let id = try await MediaIntake(core: core).accept(file)
    try await core.database.write { tx in
      let preview = MediaFile(
        name: MediaFileName.preview, blob: hash, bytes: Int64(bytes.count), contentType: "audio/mpeg")
      try MediaFileStore.put([preview], of: id, in: tx)
      _ = try core.media.advance(id, to: .ready, in: tx)
    }
    return id
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
      scope: ClientApp.web.scopeClaim(isStaff: true), roles: Role.allCases.map(\.rawValue), iat: now - 60,
      exp: now + 86_400,
      jti: test.ids.text()
    )
    return TestUser(id: id, token: try await keys.sign(claims), client: test.client)
  }
}
