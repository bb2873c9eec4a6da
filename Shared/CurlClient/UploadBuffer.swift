import NIOCore
import Synchronization

/// The buffer between the task that reads a request body and the loop that sends it. The task waits while it holds
/// ``highWaterMark`` bytes or more.
final class UploadBuffer: Sendable {
  private struct State: ~Copyable {
    var chunks: [ByteBuffer] = []
    var unread = 0
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

  static let highWaterMark = 256 * 1024

  private let state = Mutex(State())
  private let resume: @Sendable () -> Void

  /// - Parameter resume: Resumes reading on the loop after ``Read/pause``.
  init(resume: @escaping @Sendable () -> Void) { self.resume = resume }

  // MARK: loop side

  func read(into target: UnsafeMutableRawBufferPointer) -> Read {
    let (read, producer) = state.withLock { state -> (Read, CheckedContinuation<Bool, Never>?) in
      // Bytes before a failure are sent, so that the server can keep them.
      if state.unread > 0 {
        let count = Self.move(&state, into: target)
        return (.bytes(count), state.unread < Self.highWaterMark / 2 ? state.producer.take() : nil)
      }
      if state.failure != nil { return (.failed, nil) }
      if state.isFinished { return (.end, nil) }
      state.isReaderPaused = true
      return (.pause, nil)
    }
    producer?.resume(returning: true)
    return read
  }

  private static func move(_ state: inout State, into target: UnsafeMutableRawBufferPointer) -> Int {
    var (filled, emptied) = (0, 0)
    while filled < target.count, emptied < state.chunks.count {
      let room = UnsafeMutableRawBufferPointer(rebasing: target[filled...])
      filled += state.chunks[emptied].readWithUnsafeReadableBytes { bytes in
        let count = min(bytes.count, room.count)
        room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        return count
      }
      if state.chunks[emptied].readableBytes == 0 { emptied += 1 }
    }
    state.chunks.removeFirst(emptied)
    state.unread -= filled
    return filled
  }

  /// Stops the producer because no more bytes will be read.
  func close() {
    let producer = state.withLock { state in
      state.isClosed = true
      (state.chunks, state.unread) = ([], 0)
      return state.producer.take()
    }
    producer?.resume(returning: false)
  }

  // MARK: producer side

  /// Stores a chunk and waits while the buffer is full; `false` when it is closed.
  func push(_ chunk: ByteBuffer) async -> Bool {
    guard chunk.readableBytes > 0 else { return true }
    return await withCheckedContinuation { continuation in
      let (isOpen, waits, wakes) = state.withLock { state -> (Bool, Bool, Bool) in
        if state.isClosed { return (false, false, false) }
        state.chunks.append(chunk)
        state.unread += chunk.readableBytes
        let waits = state.unread >= Self.highWaterMark
        if waits { state.producer = continuation }
        let wakes = state.isReaderPaused
        state.isReaderPaused = false
        return (true, waits, wakes)
      }
      if !waits { continuation.resume(returning: isOpen) }
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
    cancel()
    await task.value
  }

  /// Stops reading soon; the body sequence ends for any other reader, as a canceled one does.
  func cancel() {
    buffer.close()
    task.cancel()
  }
}
