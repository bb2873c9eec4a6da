import Contracts
import HummingbirdCore
import NIOCore
import Synchronization

/// A request's body on its way to a service; fails when it exceeds the limit or its caller has left.
struct ForwardedBody: AsyncSequence, Sendable {
  typealias Element = ByteBuffer
  typealias Failure = any Error

  let body: RequestBody
  let limit: Int
  let progress: Progress

  /// What has become of the body.
  final class Progress: Sendable {
    private struct State {
      var isComplete = false
      var failure: Problem?
    }

    private let state = Mutex(State())

    /// Whether all of it has been read.
    var isComplete: Bool { state.withLock { $0.isComplete } }
    /// Why it could not be read to its end.
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
    var iterator: RequestBody.AsyncIterator
    let limit: Int
    let progress: Progress
    var received = 0

    mutating func next() async throws -> ByteBuffer? {
      let chunk: ByteBuffer?
      do { chunk = try await iterator.next() } catch let problem as Problem { throw progress.fail(problem) }
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
    AsyncIterator(iterator: body.makeAsyncIterator(), limit: limit, progress: progress)
  }
}
