import Synchronization

/// Wakes work that waits for what others commit to a database, so that it need not ask again and again.
///
/// A wake-up is a hint: it may come for nothing, and one may be lost with the process that sends it. A waiter reads
/// the database itself, also at long intervals without being woken.
public final class WakeUps: Sendable {
  private struct Waiting {
    weak var wakeUp: WakeUp?
  }

  private let waiting = Mutex<[String: [Waiting]]>([:])

  public init() {}

  /// Wakes the holder of the returned value, from now on.
  ///
  /// - Parameter topic: What ``Transaction/wake(_:)`` names, such as `jobs mail`.
  public func make(on topic: String) -> WakeUp {
    let wakeUp = WakeUp()
    waiting.withLock { waiting in
      waiting[topic, default: []].removeAll { $0.wakeUp == nil }
      waiting[topic, default: []].append(Waiting(wakeUp: wakeUp))
    }
    return wakeUp
  }

  public func wake(_ topics: some Sequence<String>) {
    let woken = waiting.withLock { waiting in
      topics.flatMap { topic in waiting[topic, default: []].compactMap(\.wakeUp) }
    }
    for wakeUp in woken { wakeUp.signal() }
  }

  /// Wakes everyone, when wake-ups may have been lost.
  public func wakeAll() {
    let woken = waiting.withLock { waiting in waiting.values.flatMap { $0.compactMap(\.wakeUp) } }
    for wakeUp in woken { wakeUp.signal() }
  }
}

/// The signal that wakes one waiting piece of work. A signal that arrives while the work does not wait is kept; several
/// are one.
public final class WakeUp: Sendable {
  private let signals: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  public init() { (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  public func signal() { continuation.yield() }

  /// Returns after a signal, after the given time, or when the task is canceled; for one task only.
  public func wait(atMost duration: Duration) async {
    let alarm = Task { [continuation] in
      try await Task.sleep(for: duration)
      continuation.yield()
    }
    defer { alarm.cancel() }
    for await _ in signals { break }
  }
}
