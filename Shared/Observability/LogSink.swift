import Contracts
import Dispatch
import Foundation
import Synchronization

/// Writes formatted log lines from a separate thread, so that logging never blocks on the terminal or the pipe. The
/// buffer is bounded: when the reader is too slow, lines are dropped and counted.
public final class LogSink: Sendable {
  private struct State {
    var lines: [UInt8] = []
    var dropped = 0
    var isSignalled = false
  }

  private static let limit = 4 << 20
  private let state = Mutex(State())
  private let pending = DispatchSemaphore(value: 0)
  private let descriptor: Int32

  /// - Parameter descriptor: The file descriptor to write to; standard output by default.
  public init(descriptor: Int32 = 1) {
    self.descriptor = descriptor
    let thread = Thread { [weak self] in
      while let sink = self {
        _ = sink.pending.wait(timeout: .now() + 1)
        sink.flush()
        // Batches the lines of the next 20 milliseconds into one write.
        Thread.sleep(forTimeInterval: 0.02)
      }
    }
    thread.name = "log"
    thread.start()
  }

  /// Adds a line, which `write` appends without the line break.
  func append(_ write: (inout [UInt8]) -> Void) {
    let signals = state.withLock { state in
      guard state.lines.count < Self.limit else {
        state.dropped += 1
        return false
      }
      write(&state.lines)
      state.lines.append(UInt8(ascii: "\n"))
      defer { state.isSignalled = true }
      return !state.isSignalled
    }
    if signals { pending.signal() }
  }

  /// Writes all buffered lines.
  public func flush() {
    let (lines, dropped) = state.withLock { state in
      defer { state = State() }
      return (state.lines, state.dropped)
    }
    write(lines)
    if dropped > 0 { write(Array("\(dropped) log lines were dropped because the reader is too slow\n".utf8)) }
  }

  private func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
