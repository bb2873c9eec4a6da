public import Contracts
import Synchronization

/// The state of the feature switches, as auth has reported it last. While auth does not answer, what was known holds.
public final class FeatureSwitches: Sendable {
  static let interval = Duration.seconds(5)

  private let fetch: @Sendable () async throws -> Page<FeatureState>
  /// The states by the names of switches; `nil` before auth has answered.
  private let states = Mutex<[String: Bool]?>(nil)

  init(fetch: @escaping @Sendable () async throws -> Page<FeatureState>) { self.fetch = fetch }

  /// Asks auth.
  public func read() async throws { take(try await fetch().items) }

  /// Takes over what auth says, which reads it without a call itself.
  public func take(_ answer: [FeatureState]) {
    let known = Dictionary(answer.map { ($0.name, $0.isOn) }) { first, _ in first }
    states.withLock { $0 = known }
  }

  /// Asks auth, unless it has answered before: a process that has just begun takes nothing for on that is off. Operations
  /// that may be switched off wait for it before their handlers.
  /// - Throws: ``Problem`` 503 when auth does not answer.
  func requireKnown() async throws(Problem) {
    guard states.withLock({ $0 == nil }) else { return }
    do { try await read() } catch { throw Problem(.unavailable, retryAfter: 1) }
  }

  public func isOn(_ feature: FeatureSwitch) -> Bool {
    states.withLock { $0?[feature.rawValue] } ?? feature.isOnByDefault
  }

  /// Requires a feature where something new begins, so that the repetition of a request whose effect is stored is
  /// answered as before.
  /// - Throws: ``Problem`` `switched-off`.
  public func require(_ feature: FeatureSwitch) throws(Problem) {
    guard !isOn(feature) else { return }
    throw Problem(.switchedOff, errors: [.init(location: "feature", message: feature.rawValue)])
  }
}
