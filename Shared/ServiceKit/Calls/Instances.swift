import Synchronization

/// The instances of a service elsewhere: who gets the next request, and who gets none for a while.
///
/// An instance that fails three times in a row is left out, longer each time, until a look at it goes well
/// (``InstanceWatch``); when all are left out, all are tried.
public final class Instances: Sendable {
  /// One instance.
  public struct Instance: Sendable, Hashable {
    /// Scheme, host and port.
    public var origin: String
    /// Address and port behind the host's name, when it has several; `nil` for whatever the resolver says.
    public var address: String?
  }

  private struct Entry {
    var instance: Instance
    var running = 0
    var failures = 0
    var ejections = 0
    var ejectedUntil = 0.0
  }

  /// Failures in a row after which an instance is left out.
  private static let patience = 3
  private static let longestEjection = 30.0

  /// As the settings name them.
  let origins: [String]
  private let entries: Mutex<[Entry]>
  private let clock: @Sendable () -> Double

  /// - Parameters:
  ///   - origins: At least one.
  ///   - clock: Seconds on a clock that only moves forward.
  init(_ origins: [String], clock: @escaping @Sendable () -> Double) {
    self.origins = origins
    self.clock = clock
    entries = Mutex(origins.map { Entry(instance: Instance(origin: $0, address: nil)) })
  }

  /// The instance, when there is only one: then there is nothing to choose or to leave out.
  var only: Instance? { entries.withLock { $0.count == 1 ? $0[0].instance : nil } }
  var all: [Instance] { entries.withLock { $0.map(\.instance) } }
  var ejected: Int { entries.withLock { [clock] in $0.count { $0.ejectedUntil > clock() } } }

  /// Takes over what the names resolve to now; instances that stay keep what is known of them.
  func replace(with instances: [Instance]) {
    guard !instances.isEmpty else { return }
    entries.withLock { entries in
      let known = Dictionary(entries.map { ($0.instance, $0) }) { first, _ in first }
      entries = instances.map { known[$0] ?? Entry(instance: $0) }
    }
  }

  /// The instance for the next request: of two chosen at random the one with less to do (Mitzenmacher, "The Power of Two
  /// Choices in Randomized Load Balancing", 2001).
  ///
  /// - Parameter tried: Instances that have failed this request already.
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

  /// How a request ended; `nil` when it says nothing about the instance.
  func ended(_ instance: Instance, isHealthy: Bool?) {
    update(instance) { entry in
      entry.running = max(0, entry.running - 1)
    }
    if let isHealthy { observed(instance, isHealthy: isHealthy) }
  }

  /// What a request or a look has shown.
  /// - Returns: Whether the instance is left out from now on, and was not before.
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
