import Contracts
import StudyModel

/// The rules for the fields of the synchronized settings that concern schedules. `null` stands for the default.
enum SchedulerRules {
  /// The reason why a value is not valid; `nil` when it is, and for other fields.
  static func violation(by value: JSONValue, in field: String) -> String? {
    if value == .null { return nil }
    return switch field {
    case "desiredRetention": retention(value)
    case "learningSteps", "relearningSteps": steps(value)
    case "maximumInterval": integer(value, 1...Int64(Scheduler.maxInterval))
    case "newCardsPerDay": integer(value, 0...9999)
    case "rolloverHour": integer(value, 0...23)
    case "fuzz", "fitsWeights": value.bool == nil ? "must be true or false" : nil
    case "weights": weights(value)
    default: nil
    }
  }

  private static func retention(_ value: JSONValue) -> String? {
    let range = Scheduler.retentionRange
    guard let number = value.double, range.contains(number) else {
      return "must be from \(range.lowerBound) to \(range.upperBound)"
    }
    return nil
  }

  private static func integer(_ value: JSONValue, _ range: ClosedRange<Int64>) -> String? {
    guard let integer = value.integer, range.contains(integer) else {
      return "must be an integer from \(range.lowerBound) to \(range.upperBound)"
    }
    return nil
  }

  private static func steps(_ value: JSONValue) -> String? {
    guard case .array(let steps) = value, steps.count <= Scheduler.maximumSteps,
      steps.allSatisfy({ $0.integer.map { (1...31_536_000).contains($0) } ?? false })
    else { return "must be at most \(Scheduler.maximumSteps) integers from 1 to 31536000, in seconds" }
    return nil
  }

  /// Weights of other algorithms and versions are kept for the apps that know them.
  private static func weights(_ value: JSONValue) -> String? {
    guard value["algorithm"]?.string != nil, value["version"]?.integer != nil, case .array(let numbers)? = value["w"],
      numbers.count <= 128, numbers.allSatisfy({ $0.double?.isFinite ?? false })
    else { return "must have an algorithm, a version and at most 128 numbers w" }
    guard SchedulerSettings.isCurrentAlgorithm(value) else { return nil }
    do { _ = try FSRSWeights(numbers.map { $0.double ?? .nan }) } catch {
      switch error {
      case .count: return "must have \(FSRSWeights.count) numbers w"
      case .outOfBounds(let index): return "must have w[\(index)] within the bounds of FSRS-6"
      }
    }
    return nil
  }
}
