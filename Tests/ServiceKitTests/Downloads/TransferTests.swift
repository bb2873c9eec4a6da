import Contracts
import CurlClient
import Foundation
import HTTPServing
import HTTPTypes
import HummingbirdCore
import NIOCore
import TestKit
import Testing

@testable import ServiceKit

/// How long content is sent: memory, slow and vanished readers, files that change.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct TransferTests {
  /// More than the buffers of two sockets can hold.
  private static let much = 256 << 20

  /// A file of zeros that takes no space on the disk.
  private static func zeros(_ count: Int, in folder: String) throws -> String {
    let path = "\(folder)/zeros"
    guard FileManager.default.createFile(atPath: path, contents: nil), truncate(path, off_t(count)) == 0 else {
      throw TestKitError("cannot make \(path)")
    }
    return path
  }

  // MARK: whole files

  @Test func aFileFollowsItsHeadOnAConnectionThatIsKept() async throws {
    var generator = SeededGenerator()
    try await TemporaryFolder.run { folder async throws in
      let (path, bytes) = try randomFile(5_000_000, in: folder, &generator)
      try await DownloadServer.run(["random": .file(path, length: bytes.count)]) { server async throws in
        try await CurlClient.running { client in
          for _ in 0..<3 {
            let (status, body) = try await server.get("random", by: client)
            #expect(status == 200)
            #expect(body == ByteBuffer(bytes: bytes))
          }
          #expect(client.statistics.newConnections == 1)
        }
      }
    }
  }

  @Test(arguments: [true, false])
  func aFileIsSentOverTLS(usesHTTP2: Bool) async throws {
    var generator = SeededGenerator()
    try await TemporaryFolder.run { folder async throws in
      let (path, bytes) = try randomFile(3_000_000, in: folder, &generator)
      let tls = try await Certificates.make(in: folder)
      try await DownloadServer.run(["random": .file(path, length: bytes.count)], tls: tls) { server async throws in
        var configuration = CurlClient.Configuration()
        (configuration.authoritiesFile, configuration.usesHTTP2) = (tls.certificate, usesHTTP2)
        try await CurlClient.running(configuration) { client in
          #expect(try await server.get("random", by: client).body == ByteBuffer(bytes: bytes))
          let (status, part) = try await server.get("random", range: "bytes=100000-2000000", by: client)
          #expect(status == 206)
          #expect(part == ByteBuffer(bytes: bytes[100_000...2_000_000]))
        }
      }
    }
  }

  @Test func aFileIsReadWithoutAConnection() async throws {
    var generator = SeededGenerator()
    try await TemporaryFolder.run { folder async throws in
      let (path, bytes) = try randomFile(1_000_000, in: folder, &generator)
      try await DownloadServer.run(["random": .file(path, length: bytes.count)]) { server async throws in
        let head = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/random")
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let response = await server.dispatcher.respond(to: request, remoteAddress: nil)
        let body = try await response.body.collected()
        #expect(body == ByteBuffer(bytes: bytes))
      }
    }
  }

  @Test func curlResumes() async throws {
    var generator = SeededGenerator()
    try await TemporaryFolder.run { folder async throws in
      let (path, bytes) = try randomFile(2_000_000, in: folder, &generator)
      try await DownloadServer.run(["random": .file(path, length: bytes.count)]) { server async throws in
        let partial = URL(fileURLWithPath: "\(folder)/partial")
        for count in [0, 1, 70_000, bytes.count - 1] {
          try Data(bytes[..<count]).write(to: partial)
          try await Command.run(["curl", "-sS", "-f", "-C", "-", "-o", partial.path, "\(server.url)/random"])
          #expect(try Data(contentsOf: partial).elementsEqual(bytes))
        }
      }
    }
  }

  // MARK: readers

  @Test func aReaderThatWaitsHoldsTheSourceBack() async throws {
    let record = Zeros.Record()
    try await DownloadServer.run(["zeros": Zeros.content(Self.much, record)]) { server async throws in
      var connection: RawConnection? = try RawConnection(to: server.url)
      connection?.send(DownloadServer.head("zeros"))
      #expect(try await standstill(of: "the source") { record.bytes.value } < 32 << 20)
      connection = nil
      try await eventually("the source is released") { record.releases.value == 1 }
    }
  }

  @Test func aReaderThatLeavesReleasesTheFile() async throws {
    let releases = Counter()
    try await TemporaryFolder.run { folder async throws in
      let path = try Self.zeros(Self.much, in: folder)
      // The server's copy of the content is one holder more.
      let content = StoredContent(
        mediaType: "a/b", length: Self.much, tag: EntityTag(digest: "zeros"), source: .file(path: path))
      try await Self.servingCanaries(content, releases) { server async throws in
        var connection: RawConnection? = try RawConnection(to: server.url)
        connection?.send(DownloadServer.head("zeros"))
        _ = await connection?.receive(until: "\r\n\r\n")
        connection = nil
        try await eventually("the file is released") { releases.value == 1 }
      }
    }
  }

  /// Serves a file; each response holds a canary of its own.
  private static func servingCanaries(
    _ content: StoredContent, _ releases: Counter, limits: ConnectionLimits = OpenServer.patient,
    _ body: (ListeningServer) async throws -> Void
  ) async throws {
    let route = Route(method: "GET", path: PathTemplate("/zeros")) { request, _ in
      guard case .file(let path, _) = content.source else { throw Problem(.notFound) }
      var copy = content
      copy.source = .file(path: path, holding: Canary(releases))
      return try await .stored(copy, to: request)
    }
    try await ListeningServer.run(ListeningServer.dispatcher([route]), limits: limits, body)
  }

  @Test func aReaderThatStallsIsDisconnected() async throws {
    let releases = Counter()
    var limits = OpenServer.patient
    limits.writeSeconds = 1
    try await TemporaryFolder.run { folder async throws in
      let path = try Self.zeros(Self.much, in: folder)
      try await Self.servingCanaries(.file(path, length: Self.much), releases, limits: limits) { server async throws in
        let connection = try RawConnection(to: server.url)
        connection.send(DownloadServer.head("zeros"))
        try await eventually("the file is released") { releases.value == 1 }
        let response = try RawResponse(await connection.receiveAll())
        #expect(response.isClosed)
        #expect(response.headers["content-length"] == "\(Self.much)")
        #expect(response.body.utf8.count < Self.much)
      }
    }
  }

  // MARK: what changes meanwhile

  @Test func aTruncatedFileBreaksTheConnection() async throws {
    try await TemporaryFolder.run { folder async throws in
      let path = try Self.zeros(Self.much, in: folder)
      try await DownloadServer.run(["zeros": .file(path, length: Self.much)]) { server async throws in
        let connection = try RawConnection(to: server.url)
        connection.send(DownloadServer.head("zeros"))
        let start = await connection.receive(until: "\r\n\r\n")
        #expect(start.contains("200 OK"))
        #expect(truncate(path, 1000) == 0)
        let rest = await connection.receiveAll()
        #expect(rest.isClosed)
        #expect(rest.text.utf8.count < Self.much)
      }
    }
  }

  @Test(arguments: [true, false])
  func aSourceThatFailsBreaksTheResponse(usesHTTP2: Bool) async throws {
    try await TemporaryFolder.run { folder async throws in
      let tls = try await Certificates.make(in: folder)
      let contents = ["zeros": Zeros.content(8 << 20, Zeros.Record(), failsAt: 4 << 20)]
      try await DownloadServer.run(contents, tls: tls) { server async throws in
        var configuration = CurlClient.Configuration()
        (configuration.authoritiesFile, configuration.usesHTTP2) = (tls.certificate, usesHTTP2)
        try await CurlClient.running(configuration) { client in
          _ = await #expect(throws: ClientError.self) { _ = try await server.get("zeros", by: client) }
        }
      }
    }
  }

  @Test func aSourceThatFailsAtOnceIsAProblem() async throws {
    let contents = ["zeros": Zeros.content(1000, Zeros.Record(), failsAt: 0)]
    try await DownloadServer.run(contents) { server async throws in
      let response = try await server.send("zeros")
      #expect(response.status == 500)
      #expect(response.headers["content-type"] == "application/problem+json")
    }
  }

  @Test func aFileOfAnotherLengthIsAProblem() async throws {
    try await TemporaryFolder.run { folder async throws in
      let path = try Self.zeros(1000, in: folder)
      let contents = ["short": StoredContent.file(path, length: 1001), "none": .file("\(folder)/none", length: 1)]
      try await DownloadServer.run(contents) { server async throws in
        for name in ["short", "none"] { #expect(try await server.send(name).status == 500) }
      }
    }
  }

  @Test func aRemovedFileIsSentToItsEnd() async throws {
    try await TemporaryFolder.run { folder async throws in
      let path = try Self.zeros(64 << 20, in: folder)
      try await DownloadServer.run(["zeros": .file(path, length: 64 << 20)]) { server async throws in
        let connection = try RawConnection(to: server.url)
        connection.send(DownloadServer.head("zeros", ["Connection: close"]))
        let start = await connection.receive(until: "\r\n\r\n")
        try FileManager.default.removeItem(atPath: path)
        let rest = await connection.receiveAll()
        let head = try #require(start.range(of: "\r\n\r\n"))
        #expect(start[head.upperBound...].utf8.count + rest.text.utf8.count == 64 << 20)
      }
    }
  }
}

extension ResponseBody {
  /// All of it, as a reader in the process gets it.
  fileprivate func collected() async throws -> ByteBuffer {
    let collector = Collector()
    try await write(collector)
    return collector.bytes
  }

  private final class Collector: ResponseBodyWriter {
    var bytes = ByteBuffer()
    func write(_ buffer: ByteBuffer) async throws { bytes.writeImmutableBuffer(buffer) }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
  }
}
