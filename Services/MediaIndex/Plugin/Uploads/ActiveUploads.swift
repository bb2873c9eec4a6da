import Contracts
import Synchronization

/// The uploads that this process is receiving, one request each: a newer request ends the older one, whose sender may
/// have lost its connection without anyone noticing.
final class ActiveUploads: Sendable {
  private struct Entry {
    var number: Int
    var cancel: @Sendable () -> Void
    var end: @Sendable () async -> Void
    /// The epoch in which it writes, once it is known.
    var epoch: Int64?
  }

  private struct State {
    var entries: [UploadID: Entry] = [:]
    var count = 0
    var isDraining = false
  }

  private let state = Mutex(State())

  /// A request in its turn.
  struct Turn: Sendable {
    fileprivate let id: UploadID
    fileprivate let number: Int
    fileprivate let uploads: ActiveUploads

    /// - Parameter epoch: Is watched from now on.
    func writes(in epoch: Int64) {
      uploads.state.withLock { state in
        if state.entries[id]?.number == number { state.entries[id]?.epoch = epoch }
      }
    }

    /// The reason why a canceled request ends.
    var reason: Problem {
      uploads.state.withLock { $0.isDraining }
        ? Problem(.unavailable, detail: "The service is shutting down.", retryAfter: 1) : Problem(.uploadSuperseded)
    }
  }

  /// Ends the request before and runs this one.
  ///
  /// - Throws: What the body throws; ``Problem`` 409 when a newer request has ended this one before it began.
  func run<Value: Sendable>(_ id: UploadID, _ body: @escaping @Sendable (Turn) async throws -> Value) async throws
    -> Value
  {
    let (task, number) = state.withLock { state in
      let previous = state.entries[id]
      previous?.cancel()
      state.count += 1
      let turn = Turn(id: id, number: state.count, uploads: self)
      let task = Task {
        await previous?.end()
        guard !Task.isCancelled else { throw turn.reason }
        return try await body(turn)
      }
      state.entries[id] = Entry(number: state.count, cancel: { task.cancel() }, end: { _ = await task.result })
      if state.isDraining { task.cancel() }
      return (task, state.count)
    }
    defer { state.withLock { if $0.entries[id]?.number == number { $0.entries[id] = nil } } }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Ends the request that is being received, and waits until its bytes are recorded.
  func stop(_ id: UploadID) async {
    let entry = state.withLock { $0.entries[id] }
    entry?.cancel()
    await entry?.end()
  }

  /// How many requests are received.
  var count: Int { state.withLock { $0.entries.count } }

  /// The epochs in which uploads are written.
  var epochs: [UploadID: Int64] { state.withLock { $0.entries.compactMapValues(\.epoch) } }

  /// Ends a request that another process has superseded.
  func supersede(_ id: UploadID, in epoch: Int64) {
    state.withLock { state in if state.entries[id]?.epoch == epoch { state.entries[id]?.cancel() } }
  }

  /// Ends all, also those that still come: the process is shutting down.
  func drain() {
    state.withLock { state in
      state.isDraining = true
      for entry in state.entries.values { entry.cancel() }
    }
  }
}
