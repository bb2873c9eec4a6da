import Contracts
import StudyModel
import SyncMerge

extension WorkoutID {
  var record: RecordID { RecordID(trusted: rawValue) }
}

extension StudyCore {
  /// The contents of workouts; those that are deleted or incomplete are left out.
  func workouts(in stored: [StoredRecord]) throws -> [WorkoutID: WorkoutContent] {
    var contents: [WorkoutID: WorkoutContent] = [:]
    for record in stored { contents[WorkoutID(trusted: record.id.rawValue)] = WorkoutContent(try records.open(record)) }
    return contents
  }
}

extension WorkoutContent {
  /// Its pauses, of which the open one ends now.
  func pauses(endedAt end: Timestamp) -> [WorkoutInterruption] {
    pauses.map { $0.to == nil ? WorkoutInterruption(from: $0.from, to: end) : $0 }
  }
}

extension WorkoutStore.Stored {
  func sharing(_ content: WorkoutContent, _ reactions: [FollowerReaction]) -> WorkoutSharing? {
    sharedAt.map {
      WorkoutSharing(sharedAt: $0, includesKilocalories: content.includesKilocalories, reactions: reactions)
    }
  }
}

extension WorkoutTable {
  static let current = WorkoutTable(
    items: WorkoutType.all.map { type in
      ListedWorkoutType(
        id: WorkoutTypeID(checked: type.id), name: type.name,
        intensities: type.intensities.compactMap { intensity in
          guard let entry = type.entries[intensity], let level = IntensityLevel(rawValue: intensity.rawValue) else {
            return nil
          }
          return ListedWorkoutType.Intensity(intensity: level, met: entry.met, compendiumCode: entry.code)
        })
    },
    tableVersion: WorkoutType.tableVersion, formulaVersion: Calories.formulaVersion)
}
