import Synchronization

/// Lets one caller through at a time, in the order of their arrival.
actor Turns {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func begin() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func end() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}

/// Sends values to any number of streams, of which each keeps the latest only.
final class Broadcast<Value: Sendable>: Sendable {
  private struct State {
    var next = 0
    var streams: [Int: AsyncStream<Value>.Continuation] = [:]
    var latest: Value?
  }

  private let state = Mutex(State())

  /// - Parameter repeatsLatest: Whether the stream begins with the latest value.
  func stream(repeatsLatest: Bool = false) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state in
      state.next += 1
      state.streams[state.next] = continuation
      if repeatsLatest, let latest = state.latest { continuation.yield(latest) }
      return state.next
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.streams.removeValue(forKey: number) }
    }
    return stream
  }

  func yield(_ value: Value) {
    let streams = state.withLock { state in
      state.latest = value
      return Array(state.streams.values)
    }
    for stream in streams { stream.yield(value) }
  }
}
