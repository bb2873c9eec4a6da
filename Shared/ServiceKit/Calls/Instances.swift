import Synchronization

/// The instances of a remote service: balances load and temporarily ejects failing instances.
///
/// An instance that fails three times in a row is ejected, longer each time, until a request or health check
/// (``InstanceHealthCheck``) succeeds; when all are ejected, all are tried.
public final class Instances: Sendable {
  /// An instance of the service.
  public struct Instance: Sendable, Hashable {
    /// Scheme, host and port.
    public var origin: String
    /// A resolved address and port, when the host name has several; `nil` to resolve the name on connect.
    public var address: String?
  }

  private struct Entry {
    var instance: Instance
    var running = 0
    var failures = 0
    var ejections = 0
    var ejectedUntil = 0.0
  }

  /// Consecutive failures after which an instance is ejected.
  private static let patience = 3
  private static let longestEjection = 30.0

  /// The origins from the settings.
  let origins: [String]
  private let entries: Mutex<[Entry]>
  /// From each call's start to the head of its response, or its failure.
  let latency = Metrics.Histogram()

  private let clock: @Sendable () -> Double

  /// - Parameters:
  ///   - origins: At least one.
  ///   - clock: A monotonic clock, in seconds.
  init(_ origins: [String], clock: @escaping @Sendable () -> Double) {
    self.origins = origins
    self.clock = clock
    entries = Mutex(origins.map { Entry(instance: Instance(origin: $0, address: nil)) })
  }

  /// The instance, when there is only one; it needs no load balancing and is never ejected.
  var only: Instance? { entries.withLock { $0.count == 1 ? $0[0].instance : nil } }
  var all: [Instance] { entries.withLock { $0.map(\.instance) } }
  var ejected: Int { entries.withLock { [clock] in $0.count { $0.ejectedUntil > clock() } } }

  /// Replaces the instances with newly resolved ones; those that remain keep their state.
  func replace(with instances: [Instance]) {
    guard !instances.isEmpty else { return }
    entries.withLock { entries in
      let known = Dictionary(entries.map { ($0.instance, $0) }) { first, _ in first }
      entries = instances.map { known[$0] ?? Entry(instance: $0) }
    }
  }

  /// Returns the instance for the next request: of two chosen at random, the one with fewer running requests
  /// (Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing", 2001).
  ///
  /// - Parameter tried: Instances that have already failed this request.
  func next(without tried: Set<Instance> = []) -> Instance? {
    let now = clock()
    return entries.withLock { entries in
      var candidates = entries.indices.filter { !tried.contains(entries[$0].instance) }
      let healthy = candidates.filter { entries[$0].ejectedUntil <= now }
      if !healthy.isEmpty { candidates = healthy }
      guard let first = candidates.randomElement() else { return nil }
      let second = candidates.randomElement() ?? first
      let chosen = entries[second].running < entries[first].running ? second : first
      entries[chosen].running += 1
      return entries[chosen].instance
    }
  }

  /// Records the end of a request; `isHealthy` is `nil` when the outcome does not depend on the instance.
  func ended(_ instance: Instance, isHealthy: Bool?) {
    update(instance) { entry in
      entry.running = max(0, entry.running - 1)
    }
    if let isHealthy { observed(instance, isHealthy: isHealthy) }
  }

  /// Records the outcome of a request or health check.
  /// - Returns: Whether a previously healthy instance is now ejected.
  @discardableResult
  func observed(_ instance: Instance, isHealthy: Bool) -> Bool {
    let now = clock()
    var isNews = false
    update(instance) { entry in
      if isHealthy {
        (entry.failures, entry.ejections, entry.ejectedUntil) = (0, 0, 0)
        return
      }
      entry.failures += 1
      guard entry.failures >= Self.patience, entry.ejectedUntil <= now else { return }
      entry.ejectedUntil = now + min(Self.longestEjection, Double(1 << min(entry.ejections, 10)))
      isNews = entry.ejections == 0
      entry.ejections += 1
    }
    return isNews
  }

  private func update(_ instance: Instance, _ body: (inout Entry) -> Void) {
    entries.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.instance == instance }) else { return }
      body(&entries[index])
    }
  }
}
