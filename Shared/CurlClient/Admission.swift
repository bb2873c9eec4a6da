/// Decides which requests to one origin may run: so many at once, so many waiting, none while the origin is known to be
/// down. A value without clock or I/O; the loop performs what it answers.
struct Admission {
  struct Limits: Sendable {
    /// Requests in flight at once.
    var concurrent: Int
    /// Requests that may wait for a place.
    var queued: Int
    /// Longest wait, in seconds.
    var queueSeconds: Double
    /// Failures in a row that open the circuit; 0 never opens it.
    var breakerFailures: Int
    /// How long an open circuit refuses everything before one request may probe, in seconds.
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
    /// Says nothing about the origin, such as a cancelled request.
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

  /// Whether nothing is known that a new value would not know.
  var isForgettable: Bool {
    guard case .closed(failures: 0) = circuit else { return false }
    return running.isEmpty && waiting.isEmpty
  }
  var isOpen: Bool { if case .closed = circuit { false } else { true } }

  /// A request arrives at a time in seconds.
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

  /// A running request ended; answers the waiting ones that start now.
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

  /// Removes a waiting request; `false` when it does not wait.
  mutating func cancel(_ id: Int) -> Bool {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return false }
    waiting.remove(at: index)
    return true
  }

  /// Requests that will not start: those that have waited too long, and all while the circuit is open.
  mutating func expire(at now: Double) -> [(id: Int, reason: ClientError.Reason)] {
    if case .open = circuit {
      defer { waiting = [] }
      return waiting.map { ($0.id, .circuitOpen) }
    }
    let count = waiting.prefix { $0.deadline <= now }.count
    defer { waiting.removeFirst(count) }
    return waiting.prefix(count).map { ($0.id, .queueTimeout) }
  }

  /// When the next waiting request gives up.
  var nextDeadline: Double? { waiting.first?.deadline }
}
