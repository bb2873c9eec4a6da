import NIOCore
import Synchronization

/// The buffer between the task that reads a request body and the loop that sends it; holds one chunk at a time.
final class UploadBuffer: Sendable {
  private struct State: ~Copyable {
    var chunk: ByteBuffer?
    var isFinished = false
    var failure: (any Error)?
    var isReaderPaused = false
    var isClosed = false
    var producer: CheckedContinuation<Bool, Never>?
  }

  enum Read {
    case bytes(Int)
    case pause
    case end
    case failed
  }

  private let state = Mutex(State())
  private let resume: @Sendable () -> Void

  /// - Parameter resume: Resumes reading on the loop after ``Read/pause``.
  init(resume: @escaping @Sendable () -> Void) { self.resume = resume }

  // MARK: loop side

  func read(into target: UnsafeMutableRawBufferPointer) -> Read {
    let (read, producer) = state.withLock { state -> (Read, CheckedContinuation<Bool, Never>?) in
      if var chunk = state.chunk {
        let count = chunk.readWithUnsafeReadableBytes { bytes in
          let count = min(bytes.count, target.count)
          target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
          return count
        }
        state.chunk = chunk.readableBytes > 0 ? chunk : nil
        return (.bytes(count), state.chunk == nil ? state.producer.take() : nil)
      }
      if state.failure != nil { return (.failed, nil) }
      if state.isFinished { return (.end, nil) }
      state.isReaderPaused = true
      return (.pause, nil)
    }
    producer?.resume(returning: true)
    return read
  }

  /// Stops the producer because no more bytes will be read.
  func close() {
    let producer = state.withLock { state in
      state.isClosed = true
      return state.producer.take()
    }
    producer?.resume(returning: false)
  }

  // MARK: producer side

  /// Stores a chunk and waits until it has been read; `false` when the buffer is closed.
  func push(_ chunk: ByteBuffer) async -> Bool {
    guard chunk.readableBytes > 0 else { return true }
    return await withCheckedContinuation { continuation in
      let (isClosed, wakes) = state.withLock { state -> (Bool, Bool) in
        if state.isClosed { return (true, false) }
        state.chunk = chunk
        state.producer = continuation
        let wakes = state.isReaderPaused
        state.isReaderPaused = false
        return (false, wakes)
      }
      if isClosed { continuation.resume(returning: false) }
      if wakes { resume() }
    }
  }

  func finish(_ failure: (any Error)?) {
    let wakes = state.withLock { state in
      state.isFinished = true
      state.failure = failure
      let wakes = state.isReaderPaused
      state.isReaderPaused = false
      return wakes
    }
    if wakes { resume() }
  }
}

/// The task that reads a request body into an ``UploadBuffer``.
final class UploadFeeder: Sendable {
  private let buffer: UploadBuffer
  private let task: Task<Void, Never>

  init(_ body: any AsyncSequence<ByteBuffer, any Error> & Sendable, into buffer: UploadBuffer) {
    self.buffer = buffer
    task = Task {
      do {
        for try await chunk in body {
          guard await buffer.push(chunk) else { return }
        }
        buffer.finish(nil)
      } catch {
        buffer.finish(error)
      }
    }
  }

  /// Stops reading; the body sequence is not accessed after this returns.
  func stop() async {
    buffer.close()
    task.cancel()
    await task.value
  }
}
