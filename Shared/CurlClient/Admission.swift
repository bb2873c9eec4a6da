/// Admission control for one origin: limits the running and the queued requests, and rejects all requests while the
/// circuit breaker is open. A pure value without clock or I/O; the loop performs its decisions.
struct Admission {
  struct Limits: Sendable {
    /// Maximum number of requests in flight.
    var concurrent: Int
    /// Maximum number of queued requests.
    var queued: Int
    /// Maximum time in the queue, in seconds.
    var queueSeconds: Double
    /// Consecutive failures that open the circuit; 0 disables the circuit breaker.
    var breakerFailures: Int
    /// How long an open circuit rejects all requests before it admits one probe, in seconds.
    var breakerSeconds: Double
  }

  enum Decision: Equatable {
    case start
    case wait
    case refuse(ClientError.Reason)
  }

  enum Outcome {
    case success
    case failure
    /// Does not indicate the origin's health, such as a canceled request.
    case neutral
  }

  private enum Circuit {
    case closed(failures: Int)
    case open(until: Double)
    case probing(id: Int)
  }

  private let limits: Limits
  private var running: Set<Int> = []
  private var waiting: [(id: Int, deadline: Double)] = []
  private var circuit = Circuit.closed(failures: 0)

  init(limits: Limits) { self.limits = limits }

  /// Whether the state equals the initial state, so that it can be discarded.
  var isForgettable: Bool {
    guard case .closed(failures: 0) = circuit else { return false }
    return running.isEmpty && waiting.isEmpty
  }
  var isOpen: Bool { if case .closed = circuit { false } else { true } }

  /// Admits, queues or rejects a request; `now` is in seconds.
  mutating func arrive(_ id: Int, at now: Double) -> Decision {
    switch circuit {
    case .open(let until) where now < until: return .refuse(.circuitOpen)
    case .probing: return .refuse(.circuitOpen)
    case .open:
      circuit = .probing(id: id)
      running.insert(id)
      return .start
    case .closed: break
    }
    if running.count < limits.concurrent {
      running.insert(id)
      return .start
    }
    guard waiting.count < limits.queued else { return .refuse(.queueFull) }
    waiting.append((id, now + limits.queueSeconds))
    return .wait
  }

  /// Records the end of a running request; returns the queued requests to start now.
  mutating func finish(_ id: Int, _ outcome: Outcome, at now: Double) -> [Int] {
    guard running.remove(id) != nil else { return [] }
    record(id, outcome, at: now)
    if case .open = circuit { return [] }
    var started: [Int] = []
    while running.count < limits.concurrent, !waiting.isEmpty {
      let next = waiting.removeFirst().id
      running.insert(next)
      started.append(next)
    }
    return started
  }

  private mutating func record(_ id: Int, _ outcome: Outcome, at now: Double) {
    guard limits.breakerFailures > 0 else { return }
    switch (circuit, outcome) {
    case (.probing(id), .success), (.closed, .success): circuit = .closed(failures: 0)
    case (.probing(id), .failure): circuit = .open(until: now + limits.breakerSeconds)
    case (.probing(id), .neutral): circuit = .open(until: now)
    case (.closed(let failures), .failure):
      circuit =
        failures + 1 >= limits.breakerFailures
        ? .open(until: now + limits.breakerSeconds) : .closed(failures: failures + 1)
    default: break
    }
  }

  /// Removes a queued request; `false` when it is not queued.
  mutating func cancel(_ id: Int) -> Bool {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return false }
    waiting.remove(at: index)
    return true
  }

  /// Removes the queued requests that will not start: those past their deadline, and all while the circuit is open.
  mutating func expire(at now: Double) -> [(id: Int, reason: ClientError.Reason)] {
    if case .open = circuit {
      defer { waiting = [] }
      return waiting.map { ($0.id, .circuitOpen) }
    }
    let count = waiting.prefix { $0.deadline <= now }.count
    defer { waiting.removeFirst(count) }
    return waiting.prefix(count).map { ($0.id, .queueTimeout) }
  }

  /// The deadline of the first queued request.
  var nextDeadline: Double? { waiting.first?.deadline }
}
