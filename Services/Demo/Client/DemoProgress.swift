import Foundation
import Synchronization

/// Shows how far each part is: on a terminal in one line that changes, elsewhere in a line for each finished part.
final class DemoProgress: Sendable {
  private struct State {
    var parts: [(title: String, done: Int, total: Int)] = []
    var lastShown = ContinuousClock.now
    var isWaiting = false
  }

  private let state = Mutex(State())
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private let start = ContinuousClock.now

  func begin(_ title: String, of total: Int) {
    state.withLock { $0.parts.append((title, 0, total)) }
  }

  func advance(_ title: String) {
    state.withLock { state in
      guard let index = state.parts.firstIndex(where: { $0.title == title }) else { return }
      state.parts[index].done += 1
      let part = state.parts[index]
      if part.done == part.total {
        finish(part, in: &state)
      } else if isTerminal, ContinuousClock.now - state.lastShown > .milliseconds(100) {
        show(&state)
      }
    }
  }

  /// Says once why nothing happens at the moment.
  func wait(_ reason: String) {
    let isNew = state.withLock { state in
      defer { state.isWaiting = true }
      return !state.isWaiting
    }
    if isNew { say(reason) }
  }

  /// A line of its own.
  func say(_ text: String) { write("\(isTerminal ? "\r\u{1B}[K" : "")\(text)\n") }

  private func finish(_ part: (title: String, done: Int, total: Int), in state: inout State) {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    say("  \(part.title.padding(toLength: 24, withPad: " ", startingAt: 0)) \(part.total), after \(Int(seconds)) s")
    show(&state)
  }

  private func show(_ state: inout State) {
    state.lastShown = .now
    guard isTerminal else { return }
    let running = state.parts.filter { $0.done < $0.total }.map { "\($0.title) \($0.done)/\($0.total)" }
    write("\r\u{1B}[K\(running.joined(separator: " · "))")
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
