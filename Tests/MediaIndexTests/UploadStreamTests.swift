import AuthService
import Contracts
import Foundation
import GatewayService
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// Uploads over connections that stall, break and are replaced, with gateway and service in one process.
@Suite(.serialized)
struct UploadStreamTests {
  private let file = [UInt8].recording(3 << 20)

  private struct Web: Sendable {
    let host: UploadHost
    let client: TusClient
    let url: String

    /// Begins a PATCH on a connection of its own.
    func patch(_ path: String, at offset: Int, _ headers: String) throws -> RawConnection {
      let connection = try RawConnection(to: url)
      connection.send(
        "PATCH \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(client.user.token)\r\nTus-Resumable: 1.0.0\r\n"
          + "Content-Type: application/offset+octet-stream\r\nUpload-Offset: \(offset)\r\n\(headers)\r\n\r\n")
      return connection
    }

    func received() async throws -> Int { try await host.count("SELECT MAX(received) FROM uploads") }

    func isWritten() async throws {
      try await eventually("the upload is written") {
        try await host.count("SELECT COUNT(*) FROM uploads WHERE writer IS NOT NULL") == 1
      }
    }
  }

  /// However slow the machine is, connections that stall are not closed before a test is over.
  private static let patient = [
    "http.headSeconds": "300", "http.bodySeconds": "3600", "http.answerSeconds": "600", "shutdown.seconds": "120",
  ]

  private func run(_ settings: [String: String] = [:], _ body: (Web) async throws -> Void) async throws {
    let all = UploadHost.unlimited.merging(Self.patient) { $1 }.merging(settings) { $1 }
    try await TestPlatform.listen(UploadHost.plugins, settings: all) { test, web in
      let host = UploadHost(test: test)
      try await body(Web(host: host, client: try await host.client(), url: web.url))
    }
  }

  /// The room that requests of an unknown length may still use counts for each other.
  @Test func requestsAtOnceShareAQuota() async throws {
    try await run(["uploads.quotaBytes": "10000"]) { web async throws in
      func deferred() async throws -> String {
        try await web.client.send(.post, "/v1/uploads", ["Upload-Defer-Length": "1"]).location
      }
      let (first, second) = (try await deferred(), try await deferred())
      var stalled: RawConnection? = try web.patch(first, at: 0, "Content-Length: 8000")
      try await web.isWritten()
      #expect(try await web.client.append(file[..<8000], at: 0, to: second).status == 413)
      #expect(try await web.client.append(file[..<2000], at: 0, to: second).status == 204)
      #expect(await stalled?.sendAll([1, 2, 3]) == true)
      stalled = nil
      try await eventually("the request has ended") {
        try await web.host.count("SELECT COUNT(*) FROM uploads WHERE writer IS NULL") == 2
      }
      #expect(try await web.client.append(file[2000..<9997], at: 2000, to: second).status == 204)
    }
  }

  @Test func manySlowRequestsLeavePlacesForOthers() async throws {
    try await run { web async throws in
      var stalled: [RawConnection] = []
      for number in 0..<9 {
        let client = try await web.host.client("user\(number)")
        let other = Web(host: web.host, client: client, url: web.url)
        for _ in 0..<8 {
          stalled.append(
            try other.patch(try await client.create(length: file.count).location, at: 0, "Content-Length: 9000"))
        }
      }
      try await eventually("all are received") {
        try await web.host.count("SELECT COUNT(*) FROM uploads WHERE writer IS NOT NULL") == 72
      }
      let path = try await web.client.create(length: file.count).location
      #expect(try await web.client.append(file, at: 0, to: path).status == 204)
      withExtendedLifetime(stalled) {}
    }
  }

  @Test func aStalledRequestIsEndedByHead() async throws {
    try await run { web async throws in
      let path = try await web.client.create(length: file.count).location
      let stalled = try web.patch(path, at: 0, "Content-Length: \(file.count)")
      #expect(await stalled.sendAll(Array(file[..<2_000_000])))
      try await eventually("a step is recorded") { try await web.received() > 0 }
      let head = try await web.client.head(path)
      #expect(head.status == 200)
      let offset = try #require(head["Upload-Offset"].flatMap { Int($0) })
      #expect((1 << 20...2_000_000).contains(offset))
      let (text, isClosed) = await stalled.receiveAll()
      #expect(text.hasPrefix("HTTP/1.1 409"))
      #expect(text.contains("upload-superseded"))
      #expect(isClosed)
      let last = try await web.client.append(file[offset...], at: offset, to: path)
      #expect(try await web.host.media(last["Upload-Media"])?.sha256 == file.sha256)
    }
  }

  @Test func theNewerOfTwoRequestsWrites() async throws {
    try await run { web async throws in
      let path = try await web.client.create(length: file.count).location
      let older = try web.patch(path, at: 0, "Content-Length: \(file.count)")
      try await web.isWritten()
      let newer = try await web.client.append(file, at: 0, to: path)
      #expect(newer.status == 204)
      #expect(await older.receiveAll().text.hasPrefix("HTTP/1.1 409"))
      #expect(try await web.host.media(newer["Upload-Media"])?.sha256 == file.sha256)
    }
  }

  @Test func manyRequestsAtOnceLeaveOneRightFile() async throws {
    try await run { web async throws in
      let path = try await web.client.create(length: file.count).location
      let answers = try await concurrently(0..<8) { [file] _ in
        try await web.client.append(file, at: 0, to: path)
      }
      #expect(Set(answers.map(\.status)).isSubset(of: [204, 409]))
      let offset = try #require(try await web.client.head(path)["Upload-Offset"].flatMap { Int($0) })
      if offset < file.count { _ = try await web.client.append(file[offset...], at: offset, to: path) }
      let media = try #require(try await web.client.head(path)["Upload-Media"])
      #expect(try await web.host.media(media)?.sha256 == file.sha256)
      #expect(try await web.host.count("SELECT COUNT(*) FROM media") == 1)
    }
  }

  @Test func whatArrivedBeforeACutIsKept() async throws {
    try await run { web async throws in
      let path = try await web.client.create(length: file.count).location
      var connection: RawConnection? = try web.patch(path, at: 0, "Content-Length: \(file.count)")
      #expect(await connection?.sendAll(Array(file[..<1_500_000])) == true)
      connection = nil
      try await eventually("all that was sent is recorded") { try await web.received() == 1_500_000 }
      let last = try await web.client.append(file[1_500_000...], at: 1_500_000, to: path)
      #expect(try await web.host.media(last["Upload-Media"])?.sha256 == file.sha256)
    }
  }

  /// The disk becomes full while bytes arrive: what it had space for is kept, and the upload goes on later.
  @Test func whatArrivedBeforeTheDiskWasFullIsKept() async throws {
    try await TemporaryFolder.run { folder async throws in
      let (media, aside) = ("\(folder)/media", "\(folder)/aside")
      try await run(["media.folder": media]) { web async throws in
        let path = try await web.client.create(length: file.count).location
        let connection = try web.patch(path, at: 0, "Content-Length: \(file.count)")
        #expect(await connection.sendAll(Array(file[..<1_500_000])))
        try await eventually("a step is recorded") { try await web.received() > 0 }
        try FileManager.default.moveItem(atPath: media, toPath: aside)
        // A file system without space.
        try FileManager.default.createSymbolicLink(atPath: media, withDestinationPath: "/proc")
        _ = await connection.sendAll(Array(file[1_500_000...]))
        try await eventually("the request has ended") {
          try await web.host.count("SELECT COUNT(*) FROM uploads WHERE writer IS NULL") == 1
        }
        let offset = try await web.received()
        #expect((1 << 20..<file.count).contains(offset))
        let refused = try await web.client.append(file[offset...], at: offset, to: path)
        #expect(refused.status == 507)
        #expect(try refused.code == "storage-full")
        try FileManager.default.removeItem(atPath: media)
        try FileManager.default.moveItem(atPath: aside, toPath: media)
        let last = try await web.client.append(file[offset...], at: offset, to: path)
        #expect(try await web.host.media(last["Upload-Media"])?.sha256 == file.sha256)
      }
    }
  }

  /// Bytes after a step that was not recorded would replace its bytes.
  @Test func nothingIsWrittenBehindAFailedStep() async throws {
    try await run { web async throws in
      let path = try await web.client.create(length: 6 << 20).location
      try await web.host.database.write { tx in
        try tx.execute(
          """
          CREATE TRIGGER one_step_fails BEFORE UPDATE OF received ON uploads
          WHEN new.received BETWEEN 1500000 AND 2400000 BEGIN SELECT RAISE(ABORT, 'not recorded'); END
          """
        )
      }
      let connection = try web.patch(path, at: 0, "Content-Length: \(5 << 20)")
      _ = await connection.sendAll([UInt8].recording(5 << 20))
      try await eventually("the request has ended") {
        try await web.host.count("SELECT COUNT(*) FROM uploads WHERE received > 0 AND writer IS NULL") == 1
      }
      #expect(try await web.received() < 1_500_000)
    }
  }

  @Test func aCutRequestWithAChecksumCountsForNothing() async throws {
    try await run { web async throws in
      let path = try await web.client.create(length: file.count).location
      let checksum = "Upload-Checksum: sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0="
      var connection: RawConnection? = try web.patch(path, at: 0, "Content-Length: \(file.count)\r\n\(checksum)")
      try await web.isWritten()
      #expect(await connection?.sendAll(Array(file[..<2_000_000])) == true)
      connection = nil
      try await eventually("the request has ended") {
        try await web.host.count("SELECT COUNT(*) FROM uploads WHERE writer IS NULL") == 1
      }
      #expect(try await web.client.head(path)["Upload-Offset"] == "0")
    }
  }

  @Test func bodiesInChunksNeedNoLength() async throws {
    try await run { web async throws in
      let path = try await web.client.create(length: file.count).location
      let connection = try web.patch(path, at: 0, "Transfer-Encoding: chunked\r\nConnection: close")
      for part in [file[..<1_000_001], file[1_000_001...]] {
        let chunk = Array("\(String(part.count, radix: 16))\r\n".utf8) + part + Array("\r\n".utf8)
        #expect(await connection.sendAll(chunk))
      }
      connection.send("0\r\n\r\n")
      let (text, _) = await connection.receiveAll()
      #expect(text.hasPrefix("HTTP/1.1 204"))
      #expect(text.contains("Upload-Media: "))
    }
  }

  /// The rest cannot be distinguished from the beginning of something else: nothing is finished.
  @Test func trailingBytesAreRefused() async throws {
    try await run { web async throws in
      let path = try await web.client.create(length: 1000).location
      let connection = try web.patch(path, at: 0, "Transfer-Encoding: chunked")
      #expect(await connection.sendAll(Array("3e9\r\n".utf8) + file[..<1001] + Array("\r\n0\r\n\r\n".utf8)))
      let (text, isClosed) = await connection.receiveAll()
      #expect(text.hasPrefix("HTTP/1.1 413"))
      #expect(isClosed)
      #expect(try await web.client.head(path)["Upload-Offset"] == "0")
      #expect(try await web.host.count("SELECT COUNT(*) FROM media") == 0)
    }
  }

  @Test func anotherProcessSupersedesAWriter() async throws {
    try await run { web async throws in
      let path = try await web.client.create(length: file.count).location
      let stalled = try web.patch(path, at: 0, "Content-Length: \(file.count)")
      try await web.isWritten()
      // The work of another instance on a HEAD or PATCH.
      try await web.host.database.write { tx in try tx.execute("UPDATE uploads SET epoch = epoch + 1") }
      #expect(await stalled.receiveAll().text.hasPrefix("HTTP/1.1 409"))
    }
  }

  @Test func shutdownDoesNotWaitForUploads() async throws {
    var connection: RawConnection?
    try await run { web async throws in
      let path = try await web.client.create(length: file.count).location
      connection = try web.patch(path, at: 0, "Content-Length: \(file.count)")
      try await web.isWritten()
    }
    let text = try await #require(connection).receiveAll().text
    #expect(text.hasPrefix("HTTP/1.1 503"))
  }
}
