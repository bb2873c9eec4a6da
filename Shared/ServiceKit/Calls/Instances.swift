import Foundation
package import Observability
import Synchronization

/// The instances of a remote service: balances load, leaves out those that fail or are not ready, and limits retries.
///
/// An instance that fails three times in a row is ejected, longer each time, until it serves a request, or responds to a
/// health check (``InstanceHealthCheck``) after it did not. One that reports that it is not ready gets nothing until it is.
/// When no instance is left, all are tried.
public final class Instances: Sendable {
  /// An instance of the service.
  public struct Instance: Sendable, Hashable {
    /// Scheme, host and port.
    public var origin: String
    /// A resolved address and port, when the host name has several; `nil` to resolve the name on connect.
    public var address: String?
  }

  /// How a request ended, as far as it concerns the instance.
  package enum Outcome: Sendable {
    case served
    /// The instance works, but has more to do than it can.
    case overloaded
    case failed
    /// Depends on the caller or the request only.
    case neutral
  }

  /// The response of an instance to the question whether it is ready.
  enum Readiness: Sendable {
    case ready, notReady, silent
  }

  private struct Entry {
    var instance: Instance
    var running = 0
    var failures = 0
    var ejections = 0
    var ejectedUntil = 0.0
    var isReady = true
    /// Whether it has not responded to the last health check.
    var isSilent = false
    /// Refused requests, each of which counts half after a second, a quarter after two, and so on.
    var refusals = 0.0
    var refusedAt = 0.0

    mutating func forgetFailures() { (failures, ejections, ejectedUntil) = (0, 0, 0) }

    func isAvailable(at now: Double) -> Bool { isReady && ejectedUntil <= now }

    /// Requests that were refused a moment ago count as if they were running: an instance that answers 503 fastest
    /// would otherwise always seem to be the least busy.
    func load(at now: Double) -> Double { Double(running) + recentRefusals(at: now) }

    func recentRefusals(at now: Double) -> Double { refusals == 0 ? 0 : refusals * exp2(refusedAt - now) }
  }

  private struct State {
    var entries: [Entry]
    var budget = RetryBudget()
  }

  /// Consecutive failures after which an instance is ejected.
  private static let maxFailures = 3
  private static let maxEjection = 30.0

  /// The origins from the settings.
  package let origins: [String]
  /// From each call's start to the head of its response, or its failure.
  package let latency = Metrics.Histogram()
  private let state: Mutex<State>
  private let clock: @Sendable () -> Double

  /// - Parameters:
  ///   - origins: At least one.
  ///   - clock: A monotonic clock, in seconds.
  init(_ origins: [String], clock: @escaping @Sendable () -> Double) {
    self.origins = origins
    self.clock = clock
    state = Mutex(State(entries: origins.map { Entry(instance: Instance(origin: $0, address: nil)) }))
  }

  package var all: [Instance] { state.withLock { $0.entries.map(\.instance) } }
  /// The number of instances that get no requests while there are others.
  var ejected: Int { state.withLock { [clock] in $0.entries.count { !$0.isAvailable(at: clock()) } } }
  var retries: Int { state.withLock { $0.budget.retries } }
  var refusedRetries: Int { state.withLock { $0.budget.refused } }

  /// Replaces the instances with newly resolved ones; those that remain keep their state.
  func replace(with instances: [Instance]) {
    guard !instances.isEmpty else { return }
    state.withLock { state in
      let known = Dictionary(state.entries.map { ($0.instance, $0) }) { first, _ in first }
      state.entries = instances.map { known[$0] ?? Entry(instance: $0) }
    }
  }

  /// Returns the instance for a request: of two chosen at random, the one with the smaller load
  /// (Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing", 2001).
  ///
  /// - Parameter tried: The instance that has already failed this request.
  package func next(without tried: Instance? = nil) -> Instance? {
    let now = clock()
    return state.withLock { state in
      if tried == nil { state.budget.add() }
      var candidates = state.entries.indices.filter { state.entries[$0].instance != tried }
      let available = candidates.filter { state.entries[$0].isAvailable(at: now) }
      if !available.isEmpty { candidates = available }
      guard let first = candidates.randomElement() else { return nil }
      let second = candidates.randomElement() ?? first
      let chosen = state.entries[second].load(at: now) < state.entries[first].load(at: now) ? second : first
      state.entries[chosen].running += 1
      return state.entries[chosen].instance
    }
  }

  /// Takes a retry from the budget: to another instance that is available, otherwise to the same one if that may be tried
  /// again. When none is available, another one is tried.
  ///
  /// - Parameter tried: The instance that has failed the request.
  /// - Returns: `nil` when the request is not to be sent again.
  package func retry(after tried: Instance, maySendToSame: Bool) -> Instance? {
    let now = clock()
    let isElsewhere = state.withLock { state -> Bool? in
      let others = state.entries.filter { $0.instance != tried }
      let isAvailable = state.entries.contains { $0.instance == tried && $0.isAvailable(at: now) }
      let isElsewhere = others.contains { $0.isAvailable(at: now) } || !others.isEmpty && !isAvailable
      guard isElsewhere || maySendToSame, state.budget.take() else { return nil }
      return isElsewhere
    }
    guard let isElsewhere else { return nil }
    if isElsewhere { return next(without: tried) }
    update(tried) { $0.running += 1 }
    return tried
  }

  /// Records the end of a request.
  package func ended(_ instance: Instance, _ outcome: Outcome) {
    let now = clock()
    update(instance) { entry in
      entry.running = max(0, entry.running - 1)
      guard outcome == .overloaded || outcome == .failed else { return }
      (entry.refusals, entry.refusedAt) = (entry.recentRefusals(at: now) + 1, now)
    }
    switch outcome {
    case .served: observed(instance, isHealthy: true)
    case .failed: observed(instance, isHealthy: false)
    case .overloaded, .neutral: break
    }
  }

  /// Records whether an instance is ready. Its own word counts at once, no answer like a failed request.
  /// - Returns: Whether the instance was available until now, and no longer is.
  func probed(_ instance: Instance, _ readiness: Readiness) -> Bool {
    var wasReady = false
    update(instance) { entry in
      wasReady = entry.isReady
      switch readiness {
      case .ready:
        // It is back. Otherwise only requests prove that it serves them, however often it reports that it could.
        if !entry.isReady || entry.isSilent { entry.forgetFailures() }
        (entry.isReady, entry.isSilent) = (true, false)
      case .notReady: (entry.isReady, entry.isSilent) = (false, false)
      case .silent: entry.isSilent = true
      }
    }
    switch readiness {
    case .ready: return false
    case .silent: return observed(instance, isHealthy: false)
    case .notReady: return wasReady
    }
  }

  /// Records the outcome of a request or health check.
  /// - Returns: Whether a previously healthy instance is now ejected.
  @discardableResult
  func observed(_ instance: Instance, isHealthy: Bool) -> Bool {
    let now = clock()
    var isNewlyEjected = false
    update(instance) { entry in
      if isHealthy {
        entry.forgetFailures()
        return
      }
      entry.failures += 1
      guard entry.failures >= Self.maxFailures, entry.ejectedUntil <= now else { return }
      entry.ejectedUntil = now + min(Self.maxEjection, Double(1 << min(entry.ejections, 10)))
      isNewlyEjected = entry.ejections == 0
      entry.ejections += 1
    }
    return isNewlyEjected
  }

  private func update(_ instance: Instance, _ body: (inout Entry) -> Void) {
    state.withLock { state in
      guard let index = state.entries.firstIndex(where: { $0.instance == instance }) else { return }
      body(&state.entries[index])
    }
  }
}
