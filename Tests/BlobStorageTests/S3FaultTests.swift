import CurlClient
import Foundation
import Synchronization
import TestKit
import Testing

@testable import BlobStorage

/// Stores that answer badly.
struct S3FaultTests {
  // MARK: a store that is not available for some time

  @Test(arguments: ["500 Internal Server Error", "503 Slow Down", "429 Too Many Requests"])
  func requestsAreRepeatedUntilTheStoreAnswers(status: String) async throws {
    try await withFaults { request, count in
      if request.method == "HEAD" { return .status("404 Not Found") }
      return count < 4 ? .status(status) : .status("200 OK")
    } _: { blobs, server, folder in
      let hash = try await folder.store([1, 2, 3], in: blobs)
      #expect(server.requests.map(\.line) == ["HEAD /blobs/\(hash)"] + Array(repeating: "PUT /blobs/\(hash)", count: 3))
      #expect(server.requests.dropFirst().map(\.body) == Array(repeating: [1, 2, 3], count: 3))
    }
  }

  @Test func aStoreThatIsDownIsUnavailableAfterAllAttempts() async throws {
    try await withFaults { _, _ in
      .answer("503 Service Unavailable", "<Error><Code>SlowDown</Code></Error>")
    } _: { blobs, server, _ in
      await #expect(throws: BlobStorageError.unavailable("SlowDown (503)")) {
        try await blobs.list(after: nil, limit: 1)
      }
      #expect(server.requests.count == 3)
    }
  }

  @Test func aStoreThatDoesNotAnswerIsUnavailable() async throws {
    try await withFaults(stallSeconds: 1) { _, _ in
      .nothing
    } _: { blobs, _, _ in
      await #expect(throws: BlobStorageError.unavailable("no answer: timedOut")) {
        try await blobs.list(after: nil, limit: 1)
      }
    }
  }

  @Test func aStoreThatCannotBeReachedIsUnavailable() async throws {
    try await withFaults { _, _ in
      .lost
    } _: { blobs, server, folder in
      server.stop()
      let (path, hash) = try folder.file([1])
      await #expect(throws: BlobStorageError.self) { try await blobs.store(fileAt: path, as: hash) }
      #expect(FileManager.default.fileExists(atPath: path))
    }
  }

  // MARK: bodies

  @Test func aBrokenBodyIsContinuedWhereItEnded() async throws {
    let content = SeededGenerator.bytes(4_000_000)
    let hash = try TestFolder.hash(content)
    try await withFaults { request, _ in
      guard let range = request.range else { return .head(bytes: content.count) }
      // Each answer ends early, the last one excepted.
      let rest = Array(content[range])
      let sent = rest.count > 1_600_000 ? rest.count / 2 : rest.count
      return .part(range, of: content.count, body: Array(rest.prefix(sent)))
    } _: { blobs, server, _ in
      let bytes = try await blobs.bytes(of: hash)
      #expect(bytes == content)
      #expect(server.requests.compactMap(\.range?.lowerBound) == [0, 2_000_000, 3_000_000])
    }
  }

  @Test func aBodyThatNeverContinuesIsUnavailable() async throws {
    try await withFaults { request, _ in
      guard let range = request.range else { return .head(bytes: 1000) }
      return range.lowerBound == 0 ? .part(range, of: 1000, body: [1, 2, 3]) : .part(range, of: 1000, body: [])
    } _: { blobs, _, _ in
      let hash = try TestFolder.hash([1])
      await #expect(throws: BlobStorageError.unavailable("no answer: connectionLost")) {
        try await blobs.bytes(of: hash)
      }
    }
  }

  @Test(arguments: ["bytes 0-999/2000", "bytes 1-999/1000", "nonsense"])
  func anotherRangeThanRequestedIsNotRead(_ range: String) async throws {
    try await withFaults { request, _ in
      guard request.range != nil else { return .head(bytes: 1000) }
      let head = "206 Partial Content\r\nContent-Range: \(range)"
      return .answer(head, String(repeating: "x", count: 1000))
    } _: { blobs, _, _ in
      let hash = try TestFolder.hash([1])
      await #expect(throws: BlobStorageError.unavailable("the answer is not valid")) { try await blobs.bytes(of: hash) }
    }
  }

  @Test func contentThatDoesNotHaveItsHashIsDamaged() async throws {
    try await withFaults { request, _ in
      guard let range = request.range else { return .head(bytes: 3) }
      return .part(range, of: 3, body: [3, 2, 1])
    } _: { blobs, _, _ in
      let hash = try TestFolder.hash([1, 2, 3])
      await #expect(throws: BlobStorageError.damaged) { try await blobs.verify(hash) }
    }
  }

  /// The reader decides how much is in memory.
  @Test func aSlowReaderHoldsTheStoreBack() async throws {
    let total = 64 << 20
    let sent = Counter()
    try await withFaults { request, _ in
      guard let range = request.range else { return .head(bytes: total) }
      return .endless(range, of: total, sent)
    } _: { blobs, _, _ in
      guard case .object(let object) = try await blobs.content(of: TestFolder.hash([1])) else {
        Issue.record("not an object")
        return
      }
      var chunks = object.read(0..<Int64(total)).makeAsyncIterator()
      #expect(try await chunks.next()?.isEmpty == false)
      // The bytes that the sockets hold, and some hundred KiB.
      #expect(try await standstill(of: "the sent bytes") { sent.value } < 16 << 20)
    }
  }

  // MARK: answers with errors

  @Test(arguments: [
    ("403 Forbidden", "AccessDenied", BlobStorageError.refused("AccessDenied (403)")),
    ("404 Not Found", "NoSuchBucket", .refused("NoSuchBucket (404)")),
    ("301 Moved Permanently", "PermanentRedirect", .refused("PermanentRedirect (301)")),
    ("507 Insufficient Storage", "XMinioStorageFull", .full),
    ("400 Bad Request", "BadDigest", .damaged),
    ("400 Bad Request", "XAmzContentSHA256Mismatch", .damaged),
    ("418 I'm a teapot", "<script>", .refused("418")),
  ])
  func errorsAreThoseOfTheStorage(status: String, code: String, error: BlobStorageError) async throws {
    try await withFaults { request, _ in
      request.method == "HEAD"
        ? .status("404 Not Found")
        : .answer(status, "<Error><Code>\(code)</Code><Message>secretKey AKIA</Message></Error>")
    } _: { blobs, _, folder in
      let (path, hash) = try folder.file([1])
      await #expect(throws: error) { try await blobs.store(fileAt: path, as: hash) }
    }
  }

  @Test func aChecksumThatDiffersIsDamage() async throws {
    try await withFaults { request, _ in
      request.method == "HEAD" ? .status("404 Not Found") : .status("200 OK\r\nx-amz-checksum-sha256: AAAA")
    } _: { blobs, _, folder in
      let (path, hash) = try folder.file([1])
      await #expect(throws: BlobStorageError.damaged) { try await blobs.store(fileAt: path, as: hash) }
    }
  }

  @Test(arguments: ["", "<List/>", "<html><body>Welcome</body>", "<Error><Code>InternalError</Code></Error>"])
  func anAnswerThatIsNoListIsUnavailable(_ body: String) async throws {
    try await withFaults { _, _ in
      .answer("200 OK", body)
    } _: { blobs, server, _ in
      await #expect(throws: BlobStorageError.self) { try await blobs.list(after: nil, limit: 1) }
      #expect(server.requests.count == 3)
    }
  }

  /// A store may answer 200 and fail afterwards.
  @Test func anUploadWhoseCompletionFailsIsAborted() async throws {
    try await withFaults { request, _ in
      Multipart.answer(request) ?? .answer("200 OK", "<Error><Code>InternalError</Code></Error>")
    } _: { blobs, server, folder in
      let (path, hash) = try folder.file(SeededGenerator.bytes(25))
      await #expect(throws: BlobStorageError.unavailable("InternalError (500)")) {
        try await blobs.store(fileAt: path, as: hash)
      }
      #expect(server.requests.last?.line == "DELETE /blobs/\(hash)?uploadId=id%2F1")
    }
  }

  @Test func anUploadWhosePartFailsIsAborted() async throws {
    try await withFaults { request, _ in
      request.line.contains("partNumber=2") ? .lost : Multipart.answer(request) ?? .status("500 Unexpected")
    } _: { blobs, server, folder in
      let (path, hash) = try folder.file(SeededGenerator.bytes(25))
      await #expect(throws: BlobStorageError.self) { try await blobs.store(fileAt: path, as: hash) }
      #expect(server.requests.last?.line == "DELETE /blobs/\(hash)?uploadId=id%2F1")
      #expect(!server.requests.contains { $0.line.contains("partNumber=3") })
    }
  }

  @Test func aCompletionWhoseAnswerWasLostSucceeds() async throws {
    let isComplete = Mutex(false)
    try await withFaults { request, _ in
      if request.method == "HEAD", isComplete.withLock({ $0 }) { return .head(bytes: 25) }
      if let answer = Multipart.answer(request) { return answer }
      let isFirst = isComplete.withLock { state in
        defer { state = true }
        return !state
      }
      return isFirst ? .lost : .answer("404 Not Found", "<Error><Code>NoSuchUpload</Code></Error>")
    } _: { blobs, _, folder in
      let (path, hash) = try folder.file(SeededGenerator.bytes(25))
      try await blobs.store(fileAt: path, as: hash)
    }
  }

  @Test func theStoresClockIsUsedWhenOursIsWrong() async throws {
    try await withFaults { _, count in
      count == 1
        ? .answer(
          "403 Forbidden\r\nDate: Fri, 20 Nov 2026 18:00:00 GMT", "<Error><Code>RequestTimeTooSkewed</Code></Error>")
        : .answer("200 OK", "<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>")
    } _: { blobs, server, _ in
      let blobs = try await blobs.list(after: nil, limit: 1)
      #expect(blobs.isEmpty)
      #expect(server.requests.map(\.date) == ["19700101T001640Z", "20261120T180000Z"])
    }
  }

  /// The answers of a store to an upload in parts, until it is completed.
  private enum Multipart {
    static func answer(_ request: FaultyStore.Request) -> FaultyStore.Answer? {
      switch request.method {
      case "HEAD": .status("404 Not Found")
      case "POST" where request.line.hasSuffix("?uploads="):
        .answer(
          "200 OK",
          "<InitiateMultipartUploadResult><UploadId>id/1</UploadId></InitiateMultipartUploadResult>")
      case "PUT": .status("200 OK\r\nETag: \"tag\"")
      case "DELETE": .status("204 No Content")
      default: nil
      }
    }
  }
}
