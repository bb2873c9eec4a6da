import Logging
import Persistence
import ServiceLifecycle
import Synchronization

/// Decides which process of a service does what is done once per platform: the one with a lease in the service's
/// PostgreSQL database. A SQLite file belongs to one process, which always leads.
///
/// When the leader stops, another process takes over at once; when it dies or loses the database, within ``seconds``
/// and one ``interval``. The writing transactions of its tasks require the lease's token, so that nothing is written by
/// a process that was paused meanwhile.
final class Leadership: Service {
  private struct State {
    var grant: Lease.Grant?
    /// Until when the lease is certainly held.
    var until: ContinuousClock.Instant = .now
  }

  static let lease = "upkeep"
  /// How long the lease lasts without a renewal.
  static let seconds = 15.0
  /// The pause between renewals, and between the attempts of the other processes.
  static let interval = Duration.seconds(5)
  private static let topic = "leadership"

  private let lease: Lease?
  private let database: any Database
  private let logger: Logger
  private let state = Mutex(State())
  /// Wakes tasks when the leadership is won or lost.
  private let changes = WakeUps()

  /// - Parameter holder: Names the process, and no other.
  init(_ database: any Database, holder: String, logger: Logger) {
    lease =
      database.dialect == .sqlite
      ? nil : Lease(Self.lease, holder: holder, seconds: Self.seconds, in: database)
    self.database = database
    self.logger = logger
  }

  /// The lease, while it is certainly held.
  private var grant: Lease.Grant? { state.withLock { .now < $0.until ? $0.grant : nil } }

  var isLeading: Bool { lease == nil || grant != nil }

  /// Waits until this process leads, and does the work; it is canceled when the leadership is lost.
  /// - Returns: `nil` when it was lost.
  func perform<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value? {
    guard lease != nil else { return try await work() }
    let change = changes.make(on: Self.topic)
    while true {
      try Task.checkCancellation()
      if let grant { return try await perform(work, under: grant) }
      await change.wait(atMost: .seconds(60))
    }
  }

  private func perform<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value, under grant: Lease.Grant
  ) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask {
        do {
          return try await Lease.$required.withValue(grant) { try await work() }
        } catch let error as DatabaseError where error.kind == .leaseLost {
          self.lose(grant)
          return nil
        }
      }
      group.addTask {
        await self.loss(of: grant)
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  /// Returns when the lease may be lost, or the task is canceled.
  private func loss(of grant: Lease.Grant) async {
    let change = changes.make(on: Self.topic)
    while !Task.isCancelled {
      let state = state.withLock { $0 }
      let rest = ContinuousClock.now.duration(to: state.until)
      guard state.grant == grant, rest > .zero else { return }
      await change.wait(atMost: rest)
    }
  }

  func run() async throws {
    guard let lease else { return try await gracefulShutdown() }
    let wakeUp = database.wakeUps.make(on: Lease.topic)
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await self.renew(lease)
        await wakeUp.wait(atMost: Self.interval)
      }
    }
    // The tasks have stopped before. A canceled task cannot write.
    await Task { try? await lease.release() }.value
  }

  private func renew(_ lease: Lease) async {
    let asked = ContinuousClock.now
    do {
      let grant = try await lease.take()
      let last = state.withLock { state in
        defer { state = State(grant: grant, until: asked + .seconds(Self.seconds)) }
        return state.grant
      }
      guard grant != last else { return }
      logger.info(grant == nil ? "another process leads" : "this process leads", metadata: ["lease": "\(Self.lease)"])
      changes.wake([Self.topic])
    } catch {
      logger.debug("cannot renew the lease", metadata: ["error": "\(error)"])
    }
  }

  private func lose(_ grant: Lease.Grant) {
    state.withLock { if $0.grant == grant { $0.grant = nil } }
    changes.wake([Self.topic])
  }
}
