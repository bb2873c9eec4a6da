import Contracts
import ServiceKit

/// The features that a plan can unlock in study-sync, where the setting `plans.restrictedFeatures` names them.
enum PlanFeatures {
  /// Weights of the scheduler that are fitted to the user's own reviews.
  static let fitting = FeatureName(checked: "study.fitting")
  /// Statistics and calendar of more than the last ``freeDays`` days.
  static let history = FeatureName(checked: "study.history")

  static let freeDays = 92
}
