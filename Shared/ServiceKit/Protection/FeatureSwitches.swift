public import Contracts
import Synchronization

/// What administrators have switched on and off, as auth has said last. While auth does not answer, what was known holds;
/// before its first answer, the defaults.
public final class FeatureSwitches: Sendable {
  static let interval = Duration.seconds(5)

  private let fetch: @Sendable () async throws -> Page<FeatureState>
  /// By the names of switches.
  private let states = Mutex<[String: Bool]>([:])

  init(fetch: @escaping @Sendable () async throws -> Page<FeatureState>) { self.fetch = fetch }

  /// Asks auth.
  public func read() async throws {
    let answer = try await fetch().items.map { ($0.name, $0.isOn) }
    states.withLock { $0 = Dictionary(answer) { first, _ in first } }
  }

  public func isOn(_ feature: FeatureSwitch) -> Bool {
    states.withLock { $0[feature.rawValue] } ?? feature.isOnByDefault
  }

  /// Operations that always need a feature (``Contracts/Operation/needs``) have been checked before their handlers.
  /// - Throws: ``Problem`` `switched-off`.
  public func require(_ feature: FeatureSwitch) throws(Problem) {
    guard !isOn(feature) else { return }
    throw Problem(.switchedOff, errors: [.init(location: "feature", message: feature.rawValue)])
  }
}
