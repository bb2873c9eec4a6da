import Contracts
import Timing

/// The progress of the synchronization in the background.
public struct SyncProgress: Sendable, Equatable {
  public enum Activity: Sendable, Equatable {
    case idle
    case syncing
    /// The server cannot be reached, or has no time; the number of seconds to the next try.
    case offline(retryAfter: Double)
    /// The access token is not accepted: it goes on after ``StudyClient/wake()``.
    case needsSignIn
  }

  public var activity: Activity
  /// How many operations the server has rejected and the user has not dismissed.
  public var refusedOperations: Int
  /// How many operations have not been sent.
  public var pendingOperations: Int
}

/// When the synchronization in the background runs.
public struct SyncSchedule: Sendable {
  /// Seconds without a hint after which the device synchronizes anyway.
  public var interval = 900.0
  /// Seconds for which changes on the device are collected.
  public var debounce = 0.3
  /// Seconds to wait after the first failure; doubled with each.
  public var firstRetry = 1.0
  public var maxRetry = 300.0
  /// Waits a number of seconds.
  var sleep: @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
  /// From 0 to 1.
  var random: @Sendable () -> Double = { .random(in: 0...1) }

  public init() {}
}

/// Synchronizes at the start, on hints, after changes on the device and at intervals, until its task is canceled.
struct SyncLoop: Sendable {
  private enum Cause: Sendable { case hint, change, interval, wake }

  let client: StudyClient
  let hints: (any SyncHints)?
  let schedule: SyncSchedule

  func run() async {
    let (causes, continuation) = AsyncStream.makeStream(of: Cause.self, bufferingPolicy: .bufferingNewest(16))
    await withTaskGroup { group in
      let changes = client.localChanges.stream()
      let wakes = client.wakes.stream()
      group.addTask { for await _ in changes { continuation.yield(.change) } }
      group.addTask { for await _ in wakes { continuation.yield(.wake) } }
      group.addTask { await follow(continuation) }
      group.addTask { await work(causes, continuation) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Keeps the stream of hints connected.
  private func follow(_ causes: AsyncStream<Cause>.Continuation) async {
    guard let hints else { return await untilCanceled() }
    let backoff = Backoff(first: schedule.firstRetry, maxDelay: schedule.maxRetry)
    var failures = 0
    while !Task.isCancelled {
      do {
        // The first says that the server can be reached again.
        var isFirst = true
        for try await _ in try await hints.connect() {
          failures = 0
          causes.yield(isFirst ? .wake : .hint)
          isFirst = false
        }
      } catch {
        // The stream is a help only: the device synchronizes without it too.
      }
      failures += 1
      try? await schedule.sleep(backoff.delay(after: failures, random: schedule.random()))
    }
  }

  private func untilCanceled() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    await withTaskCancellationHandler {
      for await _ in stream {}
    } onCancel: {
      continuation.finish()
    }
  }

  private func work(_ causes: AsyncStream<Cause>, _ continuation: AsyncStream<Cause>.Continuation) async {
    let backoff = Backoff(first: schedule.firstRetry, maxDelay: schedule.maxRetry)
    var (failures, needsSignIn) = (0, false)
    var iterator = causes.makeAsyncIterator()
    while !Task.isCancelled {
      await client.report(.syncing)
      let wait: Double
      do {
        try await client.sync()
        (failures, needsSignIn, wait) = (0, false, schedule.interval)
        await client.report(.idle)
      } catch {
        if Task.isCancelled { return }
        needsSignIn = Self.needsSignIn(error)
        failures += 1
        wait = Self.retryAfter(error) + backoff.delay(after: failures, random: schedule.random())
        await client.report(needsSignIn ? .needsSignIn : .offline(retryAfter: wait))
      }
      let timer = needsSignIn ? nil : self.timer(wait, continuation)
      var cause: Cause?
      var isDone = false
      repeat {
        cause = await next(&iterator) { cause in
          switch cause {
          case .wake: true
          case .interval: !needsSignIn
          // They must not shorten the wait after a failure.
          case .hint, .change: failures == 0
          }
        }
        // The changes may have been in the last synchronization.
        if cause == .change { isDone = (try? await client.pendingCount()) != 0 } else { isDone = true }
      } while !isDone
      timer?.cancel()
      guard let cause else { return }
      if cause == .change { try? await schedule.sleep(schedule.debounce) }
    }
  }

  private func timer(_ seconds: Double, _ causes: AsyncStream<Cause>.Continuation) -> Task<Void, Never> {
    Task { [schedule] in
      guard (try? await schedule.sleep(seconds)) != nil, !Task.isCancelled else { return }
      causes.yield(.interval)
    }
  }

  private func next(_ causes: inout AsyncStream<Cause>.Iterator, _ isWanted: (Cause) -> Bool) async -> Cause? {
    while let cause = await causes.next() { if isWanted(cause) { return cause } }
    return nil
  }

  private static func needsSignIn(_ error: any Error) -> Bool {
    guard case .problem(let problem)? = error as? CallError else { return false }
    return problem.status == 401
  }

  private static func retryAfter(_ error: any Error) -> Double {
    guard case .problem(let problem)? = error as? CallError else { return 0 }
    return Double(problem.retryAfter ?? 0)
  }
}

extension StudyClient {
  /// Synchronizes in the background until its task is canceled: at the start, when another device has changed
  /// something, after changes on this one and at intervals.
  ///
  /// - Parameter hints: Usually ``EventStreamHints``; without them, other devices' changes arrive at intervals.
  public func run(hints: (any SyncHints)? = nil, schedule: SyncSchedule = SyncSchedule()) async {
    await SyncLoop(client: self, hints: hints, schedule: schedule).run()
  }

  /// Synchronizes at once, for example when the network is back, the app is in the foreground again or the user has
  /// signed in.
  public func wake() { wakes.yield(()) }

  /// The progress of ``run(hints:schedule:)``, from the latest status on.
  public var status: AsyncStream<SyncProgress> { statuses.stream(repeatsLatest: true) }

  func report(_ activity: SyncProgress.Activity) async {
    let counts = try? await read { tx in
      (refused: try RefusedTable.count(tx.db), pending: try PendingTable.count(tx.db))
    }
    statuses.yield(
      SyncProgress(
        activity: activity, refusedOperations: counts?.refused ?? 0, pendingOperations: counts?.pending ?? 0))
  }
}
