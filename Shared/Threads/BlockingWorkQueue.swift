import Dispatch
import Foundation
import Synchronization

/// A bounded queue of blocking work with dedicated threads, so that it does not block Swift's cooperative pool.
///
/// The first job of a caller is dropped when its turn comes after the caller has ceased to wait, or later than the queue
/// allows.
package final class BlockingWorkQueue<Job: Sendable>: Sendable {
  private struct Entry: Sendable {
    let job: Job
    let since: ContinuousClock.Instant
    let caller: WaitingCaller?
    let refuse: @Sendable (WorkRefusal) -> Void
  }

  private struct State: ~Copyable {
    var jobs: [Entry] = []
    var head = 0
    var isClosed = false
    var runningThreads = 0
    var closers: [CheckedContinuation<Void, Never>] = []

    var count: Int { jobs.count - head }

    /// When the job that waits longest was submitted.
    var oldest: ContinuousClock.Instant? { head < jobs.count ? jobs[head].since : nil }

    mutating func take() -> Entry? {
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
  private let maxWait: Duration?
  private let state = Mutex(State())
  private let available = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - capacity: How many jobs may wait.
  ///   - maxWait: How long a job of a caller may wait.
  package init(capacity: Int, maxWait: Duration? = nil) {
    (self.capacity, self.maxWait) = (capacity, maxWait)
  }

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

  /// Adds a job.
  ///
  /// - Parameters:
  ///   - caller: Who waits for it; without one, it runs however late it is.
  ///   - refuse: Called instead of running the job when it is dropped.
  /// - Throws: ``WorkRefusal`` `overloaded` when the queue is full or a caller would wait too long, `closed` after
  ///   ``close()``.
  package func submit(
    _ job: Job, for caller: WaitingCaller?, orElse refuse: @escaping @Sendable (WorkRefusal) -> Void
  ) throws(WorkRefusal) {
    let entry = Entry(job: job, since: .now, caller: caller, refuse: refuse)
    let failure = state.withLock { state -> WorkRefusal? in
      if state.isClosed { return WorkRefusal(.closed, "the work has ended") }
      if state.count >= capacity { return WorkRefusal(.overloaded, "\(capacity) jobs are waiting") }
      if let caller, !caller.hasBegun, let oldest = state.oldest, isTooLong(entry.since - oldest) {
        return Self.tooLate
      }
      state.jobs.append(entry)
      return nil
    }
    if let failure { throw failure }
    available.signal()
  }

  /// Adds a job that runs however late it is.
  /// - Throws: ``WorkRefusal`` `overloaded` when the queue is full, `closed` after ``close()``.
  package func submit(_ job: Job) throws(WorkRefusal) { try submit(job, for: nil) { _ in } }

  private static var tooLate: WorkRefusal { WorkRefusal(.overloaded, "there is no time for the request") }

  private func isTooLong(_ wait: Duration) -> Bool { maxWait.map { wait > $0 } ?? false }

  /// Whether a job is worth running; otherwise, it is refused.
  private func admits(_ entry: Entry) -> Bool {
    guard let caller = entry.caller, !caller.hasBegun else { return true }
    let now = ContinuousClock.now
    if isTooLong(now - entry.since) {
      entry.refuse(Self.tooLate)
    } else if !caller.isWaiting(at: now) {
      entry.refuse(WorkRefusal(.overloaded, "the caller waits no longer"))
    } else {
      caller.noteBegin()
      return true
    }
    return false
  }

  /// Waits for a job; `nil` when the queue is closed and empty.
  package func take() -> Job? {
    while true {
      available.wait()
      let (entry, isClosed) = state.withLock { ($0.take(), $0.isClosed) }
      if let entry {
        if admits(entry) { return entry.job }
      } else if isClosed {
        available.signal()  // for the next thread
        return nil
      }
    }
  }

  /// Waits for a job and takes it with further queued jobs, up to a limit; empty when the queue is closed and empty.
  package func takeBatch(upTo limit: Int) -> [Job] {
    guard let first = take() else { return [] }
    var more: [Entry] = []
    state.withLock { state in
      while more.count < limit - 1, let next = state.take() { more.append(next) }
    }
    // The semaphore still counts these jobs; `take` finds the queue empty for each and keeps waiting.
    return [first] + more.filter(admits).map(\.job)
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
