import Contracts
import HummingbirdCore
import NIOCore
import Synchronization

/// A request's body on its way to a service; fails when it exceeds the limit or its caller has left.
struct ForwardedBody: AsyncSequence, Sendable {
  typealias Element = ByteBuffer
  typealias Failure = any Error

  /// The bytes that were received before a connection to the service was taken.
  let start: ByteBuffer
  let rest: ReceivedBody
  let limit: Int
  let progress: Progress

  /// The progress of the body.
  final class Progress: Sendable {
    private struct State {
      var isComplete = false
      var failure: Problem?
    }

    private let state = Mutex(State())

    /// Whether all of it has been read.
    var isComplete: Bool { state.withLock { $0.isComplete } }
    /// The reason why it could not be read to its end.
    var failure: Problem? { state.withLock { $0.failure } }

    fileprivate func complete() { state.withLock { $0.isComplete = true } }

    fileprivate func fail(_ problem: Problem) -> Problem {
      state.withLock { $0.failure = problem }
      return problem
    }
  }

  static func tooLarge(_ limit: Int) -> Problem {
    Problem(.bodyTooLarge, detail: "At most \(limit) bytes are accepted.")
  }

  struct AsyncIterator: AsyncIteratorProtocol {
    var start: ByteBuffer?
    let rest: ReceivedBody
    let limit: Int
    let progress: Progress
    var received = 0

    mutating func next() async throws -> ByteBuffer? {
      let chunk: ByteBuffer?
      if let start, start.readableBytes > 0 {
        chunk = start
        self.start = nil
      } else {
        do { chunk = try await rest.next() } catch let problem as Problem { throw progress.fail(problem) }
      }
      guard let chunk else {
        // A canceled reader is at its end, too.
        try Task.checkCancellation()
        progress.complete()
        return nil
      }
      received += chunk.readableBytes
      guard received <= limit else { throw progress.fail(ForwardedBody.tooLarge(limit)) }
      return chunk
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(start: start, rest: rest, limit: limit, progress: progress)
  }
}

/// A body that is read by one reader after another: its beginning by the gateway, the rest by its client.
actor ReceivedBody {
  private var iterator: RequestBody.AsyncIterator

  init(_ body: RequestBody) { iterator = body.makeAsyncIterator() }

  func next() async throws -> ByteBuffer? {
    var current = iterator
    defer { iterator = current }
    return try await current.next(isolation: self)
  }

  /// Reads until there are more than so many bytes.
  ///
  /// - Returns: What has been read, and whether that is all.
  func begin(_ count: Int) async throws -> (bytes: ByteBuffer, isComplete: Bool) {
    var bytes = ByteBuffer()
    while bytes.readableBytes <= count {
      guard var chunk = try await next() else { return (bytes, true) }
      bytes.writeBuffer(&chunk)
    }
    return (bytes, false)
  }
}
