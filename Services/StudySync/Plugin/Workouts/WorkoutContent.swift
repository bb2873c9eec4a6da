import Contracts
import StudyModel
import SyncMerge

/// The content of a record of the collection `workouts`.
struct WorkoutContent: Sendable, Equatable {
  var type: String
  var intensity: IntensityLevel
  var startedAt: Timestamp
  var finishedAt: Timestamp?
  var pauses: [WorkoutInterruption]
  var weight: BodyWeight?
  var note: String?
  var isShared: Bool
  var includesKilocalories: Bool
  /// The active time of a finished workout.
  var activeSeconds: Double?
  var energy: WorkoutEnergy?

  /// Longer ones were forgotten; what is beyond does not count.
  static let maxSeconds = 48 * 3600.0
  static let maxPauses = 200

  /// `nil` for a deleted record, and for one that lacks its type or start.
  init?(_ record: MergeRecord<JSONValue>) {
    guard !record.isDeleted, let type = record["type"]?.string, let startedAt = record["startedAt"]?.time else {
      return nil
    }
    (self.type, self.startedAt) = (type, startedAt)
    intensity = record["intensity"]?.string.flatMap { IntensityLevel(rawValue: $0) } ?? .moderate
    finishedAt = record["finishedAt"]?.time
    pauses = (record["pauses"]?.elements ?? []).prefix(Self.maxPauses).compactMap { pause in
      pause["from"]?.time.map { WorkoutInterruption(from: $0, to: pause["to"]?.time) }
    }
    weight = record["weight"]?.double.flatMap { Int(exactly: $0.rounded()) }.flatMap { BodyWeight($0) }
    note = record["note"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    isShared = record["isShared"] == .bool(true)
    includesKilocalories = record["includesKilocalories"] == .bool(true)
    guard finishedAt != nil else { return }
    activeSeconds = record["activeSeconds"]?.double
    if let kilocalories = record["kilocalories"]?.double, let met = record["met"]?.double {
      energy = WorkoutEnergy(
        kilocalories: kilocalories, met: met, compendiumCode: record["compendiumCode"]?.string,
        tableVersion: record["tableVersion"]?.string,
        formulaVersion: record["formulaVersion"]?.double.flatMap { Int(exactly: $0) } ?? Calories.formulaVersion)
    }
  }

  var isPaused: Bool { finishedAt == nil && pauses.contains { $0.to == nil } }

  var status: WorkoutStatus { finishedAt != nil ? .finished : isPaused ? .paused : .running }

  /// The time without pauses until the end, or until now.
  func activeSeconds(at now: Timestamp) -> Double {
    let active = ActiveTime.milliseconds(
      start: startedAt.milliseconds, end: (finishedAt ?? now).milliseconds,
      pauses: pauses.map { WorkoutPause(start: $0.from.milliseconds, end: $0.to?.milliseconds) })
    return min(Double(active) / 1000, Self.maxSeconds)
  }

  /// - Throws: ``Problem`` when it starts or ends in the future, ends before its start, or is too long.
  func requireOrder(at now: Timestamp) throws(Problem) {
    // Clocks of devices are not exact.
    let latest = now.advanced(bySeconds: 60)
    guard startedAt <= latest, finishedAt ?? latest <= latest, startedAt < finishedAt ?? .distantFuture else {
      throw Problem(.workoutOrder)
    }
    if let finishedAt, finishedAt.seconds(since: startedAt) > Self.maxSeconds {
      throw Problem(.workoutTooLong, detail: "Send when it finished.")
    }
  }

  /// The workout as its owner sees it.
  func workout(_ id: WorkoutID, at now: Timestamp, sharing: WorkoutSharing?) -> Workout {
    Workout(
      id: id, type: type, intensity: intensity, status: status, startedAt: startedAt, finishedAt: finishedAt,
      pauses: pauses, activeSeconds: activeSeconds ?? activeSeconds(at: now), weight: weight, note: note,
      energy: energy, sharing: sharing)
  }
}

extension Timestamp {
  static let distantFuture = Timestamp(microseconds: .max)
}

extension JSONValue {
  var time: Timestamp? { string.flatMap { Timestamp($0) } }

  init(_ time: Timestamp) { self = .string(time.description) }

  init(_ pauses: [WorkoutInterruption]) {
    self = .array(pauses.map { .object([("from", JSONValue($0.from)), ("to", $0.to.map { JSONValue($0) })]) })
  }
}
