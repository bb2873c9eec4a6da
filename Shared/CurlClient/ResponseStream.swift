public import NIOCore
import Synchronization

/// A streamed response body, for one reader; releasing it aborts the transfer.
public final class ResponseStream: AsyncSequence, Sendable {
  public typealias Element = ByteBuffer
  public typealias Failure = any Error

  private let buffer: ResponseBuffer

  init(_ buffer: ResponseBuffer) { self.buffer = buffer }

  deinit { buffer.abandon() }

  public struct AsyncIterator: AsyncIteratorProtocol {
    let stream: ResponseStream
    public func next() async throws -> ByteBuffer? { try await stream.buffer.next() }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream: self) }
}

/// The buffer between the transfer and the reader of a ``ResponseStream``. The transfer pauses when the unread bytes
/// reach the high-water mark.
final class ResponseBuffer: Sendable {
  private struct State: ~Copyable {
    var chunks: [ByteBuffer] = []
    var unread = 0
    var isPaused = false
    var end: Result<Void, ClientError>?
    var reader: CheckedContinuation<ByteBuffer?, any Error>?
  }

  static let highWaterMark = 256 * 1024
  /// A chunk that waits is extended while it has fewer bytes.
  private static let joinedBytes = 64 * 1024

  private let state = Mutex(State())
  private let resume: @Sendable () -> Void
  private let cancel: @Sendable () -> Void
  private let upload: UploadFeeder?

  init(upload: UploadFeeder?, resume: @escaping @Sendable () -> Void, cancel: @escaping @Sendable () -> Void) {
    self.upload = upload
    self.resume = resume
    self.cancel = cancel
  }

  // MARK: loop side

  /// Accepts a chunk; `false` when the buffer is full: offer it again after `resume`.
  func offer(_ chunk: ByteBuffer) -> Bool {
    let reader: CheckedContinuation<ByteBuffer?, any Error>?
    switch state.withLock({ state -> (Bool, CheckedContinuation<ByteBuffer?, any Error>?) in
      if let reader = state.reader.take() { return (true, reader) }
      if state.unread >= Self.highWaterMark {
        state.isPaused = true
        return (false, nil)
      }
      // libcurl passes 16 KiB at a time: a reader that is slower gets more at once.
      if let last = state.chunks.indices.last, state.chunks[last].readableBytes < Self.joinedBytes {
        state.chunks[last].writeImmutableBuffer(chunk)
      } else {
        state.chunks.append(chunk)
      }
      state.unread += chunk.readableBytes
      return (true, nil)
    }) {
    case (false, _): return false
    case (true, let waiting): reader = waiting
    }
    reader?.resume(returning: chunk)
    return true
  }

  func finish(_ result: Result<Void, ClientError>) {
    let reader = state.withLock { state in
      if state.end == nil { state.end = result }
      return state.reader.take()
    }
    guard let reader else { return }
    switch result {
    case .success: reader.resume(returning: nil)
    case .failure(let error): reader.resume(throwing: error)
    }
  }

  // MARK: reader side

  /// Aborts the transfer because the reader was released, and stops reading the body of the request, which may have
  /// another reader afterwards.
  func abandon() {
    if state.withLock({ $0.end == nil }) { cancel() }
    upload?.cancel()
  }

  private enum Step {
    case chunk(ByteBuffer, resumes: Bool)
    case end(Result<Void, ClientError>)
    case wait
  }

  private static func step(_ state: inout State) -> Step {
    if !state.chunks.isEmpty {
      let chunk = state.chunks.removeFirst()
      state.unread -= chunk.readableBytes
      let resumes = state.isPaused && state.unread < highWaterMark / 2
      if resumes { state.isPaused = false }
      return .chunk(chunk, resumes: resumes)
    }
    return state.end.map { .end($0) } ?? .wait
  }

  func next() async throws -> ByteBuffer? {
    do {
      switch state.withLock({ Self.step(&$0) }) {
      case .chunk(let chunk, let resumes):
        if resumes { resume() }
        return chunk
      case .end(let result):
        try result.get()
        await upload?.stop()
        return nil
      case .wait: break
      }
      let chunk = try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          let step = state.withLock { state in
            let step = Self.step(&state)
            if case .wait = step { state.reader = continuation }
            return step
          }
          switch step {
          case .chunk(let chunk, let resumes):
            if resumes { resume() }
            continuation.resume(returning: chunk)
          case .end(.success): continuation.resume(returning: nil)
          case .end(.failure(let error)): continuation.resume(throwing: error)
          case .wait: break
          }
        }
      } onCancel: {
        cancel()
      }
      if chunk == nil { await upload?.stop() }
      return chunk
    } catch {
      await upload?.stop()
      throw error
    }
  }
}
