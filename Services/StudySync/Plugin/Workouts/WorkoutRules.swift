import Contracts

/// The rules for the fields of workouts. Null stands for no value; what can be computed or left out is not refused.
enum WorkoutRules {
  static func violation(by value: JSONValue, in field: String) -> String? {
    if value == .null { return nil }
    switch field {
    case "type": return value.string.flatMap { try? WorkoutTypeID(validating: $0) } == nil ? typeRule : nil
    case "intensity":
      let words = IntensityLevel.allCases.map(\.rawValue)
      return words.contains(value.string ?? "") ? nil : "must be one of \(words.joined(separator: ", "))"
    case "startedAt", "finishedAt": return isTime(value) ? nil : "must be a time from 1970 to 2100"
    case "pauses": return pauses(value)
    case "weight": return number(value, 0...1_000_000)
    case "met", "kilocalories", "activeSeconds", "formulaVersion": return number(value, 0...1_000_000)
    case "compendiumCode", "tableVersion":
      return (value.string?.utf8.count).map { $0 <= 64 } == true ? nil : "must be at most 64 bytes of text"
    case "isShared", "includesKilocalories": if case .bool = value { return nil } else { return "must be a boolean" }
    default: return nil
    }
  }

  /// - Throws: ``SyncRejection`` for a start and an end that do not belong together.
  static func check(_ fields: SyncFields) throws(SyncRejection) {
    guard let start = fields["startedAt"]?.time, let end = fields["finishedAt"]?.time else { return }
    guard start < end else {
      throw SyncRejection("invalid-value", field: "fields.finishedAt", "must be after startedAt")
    }
    guard end.seconds(since: start) <= WorkoutContent.maxSeconds else {
      throw SyncRejection("invalid-value", field: "fields.finishedAt", "must be within 48 hours of startedAt")
    }
  }

  private static let typeRule = "must be 1 to 64 lowercase letters, digits and hyphens"

  private static let latest: Int64 = 4_102_444_800

  private static func isTime(_ value: JSONValue) -> Bool {
    value.time.map { (0...latest).contains($0.unixSeconds) } ?? false
  }

  private static func number(_ value: JSONValue, _ range: ClosedRange<Double>) -> String? {
    guard let number = value.double, range.contains(number) else {
      return "must be from \(Int(range.lowerBound)) to \(Int(range.upperBound))"
    }
    return nil
  }

  private static func pauses(_ value: JSONValue) -> String? {
    guard case .array(let pauses) = value, pauses.count <= WorkoutContent.maxPauses,
      pauses.allSatisfy({ isTime($0["from"] ?? .null) && ($0["to"].map { $0 == .null || isTime($0) } ?? true) })
    else { return "must be at most \(WorkoutContent.maxPauses) objects with the times from and to" }
    return nil
  }
}
