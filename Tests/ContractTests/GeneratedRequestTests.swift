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
  /// Problems of the request itself; all others depend on what exists and who asks.
  private static let refusals: Set = [
    "malformed-request", "invalid-request", "unsupported-media-type", "body-too-large",
  ]

  @Test func requestsThatFollowTheDocumentAreAccepted() async throws {
    try await TestPlatform.run(GeneratedRequest.plugins, settings: GeneratedRequest.settings) { test in
      let generated = try await GeneratedRequest.all(of: test, count: 8)
      let media = try await file(in: test)
      #expect(Set(generated.map(\.operation)).count >= 60)
      var accepted: Set<String> = []
      var refusals: [String: String] = [:]
      var count = 0
      var (files, ranges) = (0, 0)
      for request in generated {
        let user = try await GeneratedRequest.somebody(test)
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

  /// Sends a request; one for a file is for a media item that exists.
  private func send(_ request: GeneratedRequest, _ media: MediaID, by user: TestUser, in test: TestPlatform)
    async throws -> WireResponse
  {
    var request = request
    if request.type == nil, request.path.hasPrefix("/v1/media/") {
      request.path.replace(/^\/v1\/media\/[^\/]*/, with: "/v1/media/\(media)")
    }
    return try await test.platform.transport(to: GatewayAPI.name).send(request.wire(by: user), headers: [])
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
}
