public import Contracts
public import ServiceKit

/// The features that are only for users whose plan names them; by default none. Every service that has such features
/// reads the same setting.
public struct RestrictedFeatures: Sendable {
  public static let setting = Setting<Set<FeatureName>>(
    "plans.restrictedFeatures",
    default: [],
    expects: "names with commas between, such as study.fitting,study.history",
    "Features that only plans unlock"
  ) { text in
    var names: Set<FeatureName> = []
    for word in text.split(separator: ",") {
      guard let name = try? FeatureName(validating: String(word)) else { return nil }
      names.insert(name)
    }
    return names
  }

  private let names: Set<FeatureName>

  /// - Throws: ``SettingError``.
  public init(_ settings: Settings) throws { names = try settings[Self.setting] }

  /// Whether only plans unlock a feature.
  public func contains(_ feature: FeatureName) -> Bool { names.contains(feature) }

  /// - Throws: ``Problem`` `plan-required` when the feature is restricted and the caller's plans do not unlock it.
  public func require(_ feature: FeatureName, of caller: UserCaller) throws(Problem) {
    guard names.contains(feature), !caller.entitlements.contains(feature) else { return }
    throw Problem(
      .planRequired, detail: "The caller's plan does not include \(feature.rawValue).",
      errors: [.init(location: "feature", message: feature.rawValue)])
  }
}
