import Foundation
import Synchronization

/// The position of a fuzzer: for whoever looks after a crash, and for a thread that notices a hang.
final class FuzzProgress: Sendable {
  private struct State {
    var seed: UInt64 = 0
    var inputs = 0
    var hasEnded = false
  }

  private let name: String
  /// Exists while the fuzzer runs.
  private let path: String?
  private let file: Int32
  private let state = Mutex(State())

  /// Processor time of the process after which an input that is still being parsed hangs, in seconds. Other tests use it
  /// too, also while the fuzzer lets them run.
  private static let limit = 1800.0
  private static let interval = 1.0

  init(_ name: String) {
    self.name = name
    path = ProcessInfo.processInfo.environment["QUINTET_FUZZ_FOLDER"].map { "\($0)/\(name).seed" }
    file = path.map { open($0, O_CREAT | O_WRONLY | O_TRUNC, 0o644) } ?? -1
    Thread.detachNewThread { self.watch() }
  }

  func begin(_ seed: UInt64) {
    state.withLock { state in
      state.seed = seed
      state.inputs += 1
    }
    guard file >= 0 else { return }
    let digits = String(seed)
    let line = Array((String(repeating: "0", count: 20 - digits.utf8.count) + digits + "\n").utf8)
    _ = pwrite(file, line, line.count, 0)
  }

  func end() {
    state.withLock { $0.hasEnded = true }
    guard file >= 0, let path else { return }
    close(file)
    unlink(path)
  }

  private func watch() {
    var (inputs, since) = (-1, 0.0)
    while true {
      Thread.sleep(forTimeInterval: Self.interval)
      let now = state.withLock { $0 }
      if now.hasEnded { return }
      if now.inputs != inputs { (inputs, since) = (now.inputs, Self.processorSeconds()) }
      if Self.processorSeconds() - since > Self.limit {
        FileHandle.standardError.write(Data("fuzz \(name) hangs: QUINTET_SEED=\(now.seed)\n".utf8))
        abort()
      }
    }
  }

  private static func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
