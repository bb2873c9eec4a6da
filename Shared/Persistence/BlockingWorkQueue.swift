import Dispatch
import Foundation
import Synchronization

/// A bounded queue of blocking work with dedicated threads, so that it does not block Swift's cooperative pool.
package final class BlockingWorkQueue<Job: Sendable>: Sendable {
  private struct State: ~Copyable {
    var jobs: [Job] = []
    var head = 0
    var isClosed = false
    var runningThreads = 0
    var closers: [CheckedContinuation<Void, Never>] = []

    var count: Int { jobs.count - head }

    mutating func take() -> Job? {
      guard head < jobs.count else { return nil }
      defer {
        head += 1
        if head == jobs.count {
          jobs.removeAll(keepingCapacity: true)
          head = 0
        } else if head > 1024 {
          jobs.removeFirst(head)
          head = 0
        }
      }
      return jobs[head]
    }
  }

  private let capacity: Int
  private let state = Mutex(State())
  private let available = DispatchSemaphore(value: 0)

  package init(capacity: Int) { self.capacity = capacity }

  package var depth: Int { state.withLock { $0.count } }

  /// Starts a thread; `main` takes jobs until the queue is closed and empty.
  package func startThread(named name: String, main: @escaping @Sendable () -> Void) {
    state.withLock { $0.runningThreads += 1 }
    let thread = Thread { [self] in
      main()
      let closers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
        state.runningThreads -= 1
        guard state.runningThreads == 0 else { return [] }
        defer { state.closers = [] }
        return state.closers
      }
      for closer in closers { closer.resume() }
    }
    thread.name = name
    thread.start()
  }

  /// - Throws: ``DatabaseError`` `overloaded` when the queue is full, `closed` after ``close()``.
  package func submit(_ job: Job) throws(DatabaseError) {
    let failure = state.withLock { state -> DatabaseError? in
      if state.isClosed { return DatabaseError(.closed) }
      if state.count >= capacity { return DatabaseError(.overloaded, "\(capacity) jobs are waiting") }
      state.jobs.append(job)
      return nil
    }
    if let failure { throw failure }
    available.signal()
  }

  /// Waits for a job; `nil` when the queue is closed and empty.
  package func take() -> Job? {
    while true {
      available.wait()
      let (job, isClosed) = state.withLock { ($0.take(), $0.isClosed) }
      if let job { return job }
      if isClosed {
        available.signal()  // for the next thread
        return nil
      }
    }
  }

  /// Waits for a job and takes it with further queued jobs, up to a limit; empty when the queue is closed and empty.
  package func takeBatch(upTo limit: Int) -> [Job] {
    guard let first = take() else { return [] }
    var batch = [first]
    state.withLock { state in
      while batch.count < limit, let next = state.take() { batch.append(next) }
    }
    // The semaphore still counts these jobs; `take` finds the queue empty for each and keeps waiting.
    return batch
  }

  /// Closes the queue; its threads exit when they have completed the queued jobs.
  package func closeWithoutWaiting() {
    state.withLock { $0.isClosed = true }
    available.signal()
  }

  /// Closes the queue, and waits until the threads have completed the queued jobs and exited.
  package func close() async {
    await withCheckedContinuation { continuation in
      let isDone = state.withLock { state in
        state.isClosed = true
        if state.runningThreads == 0 { return true }
        state.closers.append(continuation)
        return false
      }
      available.signal()
      if isDone { continuation.resume() }
    }
  }
}
