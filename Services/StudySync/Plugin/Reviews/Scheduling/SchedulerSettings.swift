import Contracts
import Persistence
import StudyModel
import SyncMerge

/// How a user's cards are scheduled, from the synchronized settings. A field that is unset, or that only a newer app
/// understands, has its default.
struct SchedulerSettings: Sendable {
  let scheduler: Scheduler
  let rolloverHour: Int
  let newCardsPerDay: Int
  let fitsWeights: Bool
  /// Identifies what schedules depend on; greater than 0.
  let fingerprint: Int64

  static let defaultNewCardsPerDay = 20
  static let algorithm = "fsrs"

  init(_ content: MergeRecord<JSONValue>?) {
    let retention = content?["desiredRetention"]?.double
    let maximum = content?["maximumInterval"]?.integer.map { Int($0) }
    let isFuzzed = content?["fuzz"]?.bool ?? true
    let custom = try? Scheduler(
      weights: Self.weights(content?["weights"]), desiredRetention: retention ?? 0.9,
      learningSteps: Self.steps(content?["learningSteps"]) ?? Scheduler.defaultLearningSteps,
      relearningSteps: Self.steps(content?["relearningSteps"]) ?? Scheduler.defaultRelearningSteps,
      maximumInterval: maximum ?? Scheduler.maxInterval, fuzz: isFuzzed)
    scheduler = custom ?? Scheduler(weights: .default)
    let hour = content?["rolloverHour"]?.integer ?? LogEntry.defaultRolloverHour
    rolloverHour = Int((0...23).contains(hour) ? hour : LogEntry.defaultRolloverHour)
    newCardsPerDay = content?["newCardsPerDay"]?.integer.map { Int($0) } ?? Self.defaultNewCardsPerDay
    fitsWeights = content?["fitsWeights"]?.bool ?? true
    fingerprint = Self.fingerprint(of: scheduler)
  }

  static func of(_ user: UserID, _ records: RecordStore, in db: any Connection) throws -> Self {
    guard let stored = try RecordStore.find(user.settingsRecord, in: db), stored.deletedAt == nil else {
      return Self(nil)
    }
    return Self(try records.open(stored))
  }

  static func weights(_ value: JSONValue?) -> FSRSWeights {
    guard let value, isCurrentAlgorithm(value) else { return .default }
    return (try? FSRSWeights((value["w"]?.elements ?? []).map { $0.double ?? .nan })) ?? .default
  }

  static func isCurrentAlgorithm(_ value: JSONValue) -> Bool {
    value["algorithm"]?.string == algorithm && value["version"]?.integer == Int64(FSRSWeights.algorithmVersion)
  }

  private static func steps(_ value: JSONValue?) -> [Int64]? {
    guard case .array(let steps)? = value else { return nil }
    return steps.map { $0.integer ?? 0 }
  }

  private static func fingerprint(of scheduler: Scheduler) -> Int64 {
    var hash = ContentHash()
    hash.combine(UInt64(FSRSWeights.algorithmVersion))
    for number in scheduler.weights.values + [scheduler.desiredRetention] { hash.combine(number.bitPattern) }
    for steps in [scheduler.learningSteps, scheduler.relearningSteps] {
      hash.combine(UInt64(steps.count))
      for step in steps { hash.combine(UInt64(bitPattern: step)) }
    }
    hash.combine(UInt64(scheduler.maximumInterval))
    hash.combine(scheduler.fuzz ? 1 : 0)
    return Int64(hash.value >> 1) | 1
  }
}

extension JSONValue {
  var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

  var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}
