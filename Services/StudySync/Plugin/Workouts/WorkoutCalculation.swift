import Contracts
import StudyModel
import SyncMerge

/// The computed values of a finished workout: its active time, and its energy with the MET that was stored with it. The
/// same numbers give the same result at any time, so a new table changes no past workout.
enum WorkoutCalculation {
  /// The fields that a record lacks, or has with other values.
  ///
  /// Devices that finish a workout offline compute the same; what differs comes from edits on several devices at once.
  static func corrections(to record: MergeRecord<JSONValue>) -> [(name: String, value: JSONValue)] {
    guard let content = WorkoutContent(record), let finishedAt = content.finishedAt else { return [] }
    var fields: [(name: String, value: JSONValue)] = []
    func correct(_ name: String, _ value: Double?, within tolerance: Double) {
      let current = record[name]?.double
      if let value {
        if let current, abs(current - value) <= tolerance { return }
        fields.append((name, .number(value)))
      } else if current != nil {
        fields.append((name, .null))
      }
    }
    func correct(_ name: String, _ value: String?) {
      if record[name]?.string != value { fields.append((name, value.map { .string($0) } ?? .null)) }
    }

    let active = content.activeSeconds(at: finishedAt)
    correct("activeSeconds", active, within: 0.001)
    // A newer client knows a newer formula.
    if let version = record["formulaVersion"]?.double, version > Double(Calories.formulaVersion) { return fields }
    let cost = cost(of: content, record)
    correct("met", cost?.met, within: 0.0001)
    correct("compendiumCode", cost?.code)
    correct("tableVersion", cost?.table)
    let kilocalories = cost.flatMap { cost in
      content.weight.map { weight in
        rounded(Calories.burned(met: cost.met, kilograms: Double(weight.value) / 1000, activeSeconds: active))
      }
    }
    correct("kilocalories", kilocalories, within: 0.01)
    if kilocalories != nil { correct("formulaVersion", Double(Calories.formulaVersion), within: 0) }
    return fields
  }

  private struct Cost {
    var met: Double
    var code: String?
    var table: String?
  }

  /// The cost that is stored, unless it is none or belongs to another type or intensity.
  private static func cost(of content: WorkoutContent, _ record: MergeRecord<JSONValue>) -> Cost? {
    let entry = WorkoutIntensity(rawValue: content.intensity.rawValue).flatMap {
      WorkoutType.find(content.type)?.entries[$0]
    }
    let listed = entry.map { Cost(met: $0.met, code: $0.code, table: WorkoutType.tableVersion) }
    guard let met = record["met"]?.double else { return listed }
    let stored = Cost(
      met: met, code: record["compendiumCode"]?.string, table: record["tableVersion"]?.string)
    if stored.table == WorkoutType.tableVersion { return listed ?? stored }
    let versions = ["type", "intensity"].compactMap { record.version(of: $0) }
    let isOutdated = versions.contains { $0 > record.version(of: "met") ?? .zero }
    return isOutdated ? listed : stored
  }

  private static func rounded(_ kilocalories: Double) -> Double { (kilocalories * 100).rounded() / 100 }
}

extension MergeRecord {
  fileprivate func version(of name: String) -> HybridTime? { fields.first { $0.name == name }?.version }
}

extension SpaceWriter {
  /// Adds to changed workouts what is computed from them; devices receive it like any change.
  func completeWorkouts() throws {
    for id in recordNumbers.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      guard let (stored, content) = record(id), stored.collection == .workouts else { continue }
      let corrections = WorkoutCalculation.corrections(to: content)
      guard !corrections.isEmpty else { continue }
      let change = MergeChange<JSONValue>(
        .put, version: nextVersion(of: id), seen: content.version,
        fields: corrections.map { .init(name: $0.name, value: $0.value) })
      // A record that is as large as it may be goes without: the device's change must not fail.
      do { _ = try apply(change, to: id, .workouts, in: stored.space) } catch is SyncRejection {}
    }
  }
}
