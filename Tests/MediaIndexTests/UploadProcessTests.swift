import Contracts
import CurlClient
import Foundation
import HTTPTypes
import NIOCore
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// Uploads through the gateway to media-index as processes of their own: killed again and again, and measured.
@Suite(.serialized)
struct UploadProcessTests {
  /// One upload as its client sees it.
  private struct Remote: Sendable {
    let services: ServiceProcesses
    let http: CurlClient
    let user: TestUser
    let folder: String

    func send(
      _ method: HTTPRequest.Method, _ target: String, _ headers: HTTPFields = [:], _ body: ClientRequest.Body = .none
    ) async throws -> ClientResponse {
      var headers = headers
      headers[.authorization] = "Bearer \(user.token)"
      headers[.tusResumable] = "1.0.0"
      return try await http.execute(
        ClientRequest(
          method, origin: await services.url, target: target, headers: headers, body: body,
          timeouts: .init(firstByte: Waiting.limit, total: nil, stall: Waiting.limit)))
    }

    /// - Returns: Its path.
    func create(_ length: Int) async throws -> String {
      let answer = try await send(.post, "/v1/uploads", [.uploadLength: String(length)])
      guard let location = answer.headers[.location], let start = location.range(of: "/v1/")?.lowerBound else {
        throw TestKitError("the creation was answered with \(answer.status)")
      }
      return String(location[start...])
    }

    func append(
      _ length: Int, at offset: Int, to path: String, _ body: some AsyncSequence<ByteBuffer, any Error> & Sendable
    )
      async throws -> ClientResponse
    {
      try await send(
        .patch, path, [.contentType: Tus.bodyType, .uploadOffset: String(offset)], .stream(length: length, body))
    }

    /// Asks again until media-index is there.
    func head(_ path: String) async throws -> ClientResponse {
      var answer: ClientResponse?
      try await eventually("HEAD is answered") {
        answer = try? await send(.head, path)
        return answer.map { $0.status < 500 } ?? false
      }
      guard let answer else { throw TestKitError("HEAD was not answered") }
      return answer
    }

    func size(_ path: String) -> Int {
      let file = "\(folder)/uploads/\(path.split(separator: "/").last ?? "")"
      return (try? FileManager.default.attributesOfItem(atPath: file))?[.size] as? Int ?? 0
    }

    func media(_ id: String) async throws -> Media {
      try await user.insist(MediaAPI.GetMedia(id: ID(trusted: id)))
    }
  }

  private func run(_ body: (Remote) async throws -> Void) async throws {
    try await TemporaryFolder.run { folder async throws in
      let settings = [
        "LIMITS_SIGN_IN": "0/1", "LIMITS_READ": "0/1", "LIMITS_WRITE": "0/1",
        "UPLOADS_PATIENCE_SECONDS": "300", "HTTP_BODY_SECONDS": "600", "HTTP_ANSWER_SECONDS": "600",
      ]
      try await ServiceProcesses.run(["auth", "media-index"], folder: folder, settings: settings) { services in
        try await CurlClient.running { http in
          let api = APIClient(transport: CurlTransport(client: http, origin: await services.url))
          let user = TestUser(try await api.signUp("ada"), api)
          try await body(Remote(services: services, http: http, user: user, folder: folder))
        }
      }
    }
  }

  /// Pieces of a file, and then silence.
  private static func pieces(_ bytes: some Sequence<UInt8> & Sendable, thenEnds: Bool = true)
    -> AsyncThrowingStream<ByteBuffer, any Error>
  {
    AsyncThrowingStream { continuation in
      var rest = Array(bytes)[...]
      while !rest.isEmpty {
        continuation.yield(ByteBuffer(bytes: rest.prefix(65_536)))
        rest = rest.dropFirst(65_536)
      }
      if thenEnds { continuation.finish() }
    }
  }

  @Test func aKilledServiceLosesAtMostTheLastStep() async throws {
    let step = 1 << 20
    let file = [UInt8].recording(9 * step + 12_345)
    try await run { remote async throws in
      let path = try await remote.create(file.count)
      var offset = 0
      for _ in 1...6 {
        let (start, services) = (offset, remote.services)
        let end = start + step + 131_072
        let sending = Task {
          try? await remote.append(
            file.count - start, at: start, to: path, Self.pieces(file[start..<end], thenEnds: false))
        }
        try await eventually("a step is written") { remote.size(path) >= start + step }
        await services.kill("media-index")
        let written = remote.size(path)
        _ = await sending.value
        try await services.restart("media-index")
        let head = try await remote.head(path)
        offset = try #require(head.headers[.uploadOffset].flatMap { Int($0) })
        #expect(offset <= written)
        #expect(offset >= written - step)
        #expect(offset >= start)
      }
      let start = offset
      let last = try await remote.append(file.count - start, at: start, to: path, Self.pieces(file[start...]))
      #expect(last.status == 204)
      let media = try await remote.media(try #require(last.headers[.uploadMedia]))
      #expect(media.sha256 == file.sha256)
      try await eventually("the folder is empty") {
        try FileManager.default.contentsOfDirectory(atPath: "\(remote.folder)/uploads") == ["place"]
      }
    }
  }

  /// Killed with the last bytes on their way: the upload is complete or can be continued, and becomes one media item.
  @Test(arguments: [0, 1, 2])
  func aServiceKilledAtTheEndHasTheRightFile(_ missingSteps: Int) async throws {
    let step = 1 << 20
    let file = [UInt8].recording(2 * step)
    try await run { remote async throws in
      let path = try await remote.create(file.count)
      let answers = Counter()
      let sending = Task {
        _ = try? await remote.append(file.count, at: 0, to: path, Self.pieces(file))
        answers.add()
      }
      // A finished upload has no file any more.
      try await eventually("it is written") {
        answers.value > 0 || remote.size(path) >= file.count - missingSteps * step
      }
      await remote.services.kill("media-index")
      _ = await sending.value
      try await remote.services.restart("media-index")
      let head = try await remote.head(path)
      let offset = try #require(head.headers[.uploadOffset].flatMap { Int($0) })
      var media = head.headers[.uploadMedia]
      if offset < file.count {
        media = try await remote.append(file.count - offset, at: offset, to: path, Self.pieces(file[offset...]))
          .headers[.uploadMedia]
      }
      #expect(try await remote.media(try #require(media)).sha256 == file.sha256)
      try await eventually("the folder is empty") {
        try FileManager.default.contentsOfDirectory(atPath: "\(remote.folder)/uploads") == ["place"]
      }
    }
  }

  @Test func largeUploadsTakeLittleMemory() async throws {
    let (block, count) = ([UInt8].recording(1 << 20), 200)
    try await run { remote async throws in
      let length = block.count * count
      let path = try await remote.create(length)
      let body = AsyncThrowingStream<ByteBuffer, any Error>(unfolding: Self.repeating(block, count))
      let answer = try await remote.append(length, at: 0, to: path, body)
      #expect(answer.status == 204)
      #expect(try await remote.media(try #require(answer.headers[.uploadMedia])).bytes == Int64(length))
      for service in ["gateway", "media-index"] {
        #expect(try await remote.services.peakMemory(of: service) < 100_000_000)
      }
    }
  }

  private static func repeating(_ block: [UInt8], _ count: Int) -> @Sendable () async -> ByteBuffer? {
    let (left, buffer) = (Counter(), ByteBuffer(bytes: block))
    return {
      left.add()
      return left.value <= count ? buffer : nil
    }
  }
}
