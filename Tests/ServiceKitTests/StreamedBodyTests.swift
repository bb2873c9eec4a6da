import Contracts
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization
import TestKit
import Testing

@testable import HTTPServing
@testable import ServiceKit

/// Bodies that are read while they arrive.
struct StreamedBodyTests {
  private func body(
    _ body: RequestBody, length: Int? = nil, limit: Int = 1 << 20, now: @escaping @Sendable () -> Double = { 0 }
  ) throws -> StreamedBody {
    var head = HTTPRequest(method: .put, scheme: "http", authority: "a", path: "/")
    head.headerFields[.contentLength] = length.map { String($0) }
    return try StreamedBody(of: Request(head: head, body: body), limit: limit, now: now)
  }

  /// The bytes that were read, and the code of the problem that ended the body.
  private func read(_ body: StreamedBody) async throws -> (bytes: [UInt8], problem: String?) {
    var bytes: [UInt8] = []
    do {
      var reader = body.makeReader()
      while try await reader.append(to: &bytes) {}
      return (bytes, nil)
    } catch let problem as Problem {
      return (bytes, problem.code)
    }
  }

  @Test func piecesAreReadAsTheyArrive() async throws {
    let (pieces, source) = RequestBody.makeStream()
    let body = try body(pieces, length: 3)
    var reader = body.makeReader()
    var bytes: [UInt8] = []
    for piece in [UInt8(1), 2, 3] {
      await source.yield(ByteBuffer(bytes: [piece]))
      #expect(try await reader.append(to: &bytes))
      #expect(bytes.last == piece)
    }
    #expect(!body.isComplete)
    source.finish()
    #expect(try await reader.append(to: &bytes) == false)
    #expect(body.isComplete)
  }

  @Test func aBodyThatIsShorterThanDeclaredWasCut() async throws {
    let body = try body(RequestBody(buffer: ByteBuffer(bytes: [1, 2])), length: 3)
    let result = try await read(body)
    #expect(result.bytes == [1, 2])
    #expect(result.problem == "malformed-request")
    #expect(!body.isComplete)
  }

  @Test func aBodyBeyondTheLimitIsRefused() async throws {
    #expect(throws: Problem.self) { try body(RequestBody(buffer: ByteBuffer()), length: 11, limit: 10) }
    let undeclared = try body(RequestBody(buffer: ByteBuffer(repeating: 1, count: 11)), limit: 10)
    let result = try await read(undeclared)
    #expect(result.bytes == [])
    #expect(result.problem == "body-too-large")
  }

  /// Each piece comes some time after the one before; what has arrived until then is read.
  @Test(arguments: [(10.0, nil), (16.0, "overloaded")])
  func aBodyHasALeastSpeed(_ seconds: Double, _ problem: String?) async throws {
    let clock = Mutex(0.0)
    let (pieces, source) = RequestBody.makeStream()
    let body = try body(pieces) {
      clock.withLock { time in
        defer { time += seconds }
        return time
      }
    }
    for piece in [UInt8(1), 2] { await source.yield(ByteBuffer(bytes: [piece])) }
    source.finish()
    let result = try await read(body)
    #expect(result.bytes == [1, 2])
    #expect(result.problem == problem)
  }

  @Test func aCanceledReaderIsNotAtItsEnd() async throws {
    let (pieces, source) = RequestBody.makeStream()
    let body = try body(pieces)
    let reading = Task {
      var reader = body.makeReader()
      var bytes: [UInt8] = []
      return try await reader.append(to: &bytes)
    }
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
    #expect(!body.isComplete)
    source.finish()
  }
}
