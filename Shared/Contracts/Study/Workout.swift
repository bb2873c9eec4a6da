public enum WorkoutSubject {}
public typealias WorkoutID = ID<WorkoutSubject>

/// A workout of the caller; the record of the collection `workouts` with its id.
public struct Workout: Codable, Sendable, Equatable {
  public var id: WorkoutID
  /// The id of a ``ListedWorkoutType``, or one of another version of the table.
  public var type: String
  public var intensity: IntensityLevel
  public var status: WorkoutStatus
  public var startedAt: Timestamp
  public var finishedAt: Timestamp?
  public var pauses: [WorkoutInterruption]
  /// From start to finish, or until now, without pauses.
  public var activeSeconds: Double
  public var weight: BodyWeight?
  public var note: String?
  /// The energy of a finished workout; absent when its type or the weight is unknown.
  public var energy: WorkoutEnergy?
  /// Present when it is shown to followers.
  public var sharing: WorkoutSharing?

  public init(
    id: WorkoutID, type: String, intensity: IntensityLevel, status: WorkoutStatus, startedAt: Timestamp,
    finishedAt: Timestamp? = nil, pauses: [WorkoutInterruption] = [], activeSeconds: Double, weight: BodyWeight? = nil,
    note: String? = nil, energy: WorkoutEnergy? = nil, sharing: WorkoutSharing? = nil
  ) {
    (self.id, self.type, self.intensity, self.status) = (id, type, intensity, status)
    (self.startedAt, self.finishedAt, self.pauses) = (startedAt, finishedAt, pauses)
    (self.activeSeconds, self.weight, self.note) = (activeSeconds, weight, note)
    (self.energy, self.sharing) = (energy, sharing)
  }
}

public enum WorkoutStatus: String, WireEnum { case running, paused, finished }

/// A pause of a workout.
public struct WorkoutInterruption: Codable, Sendable, Equatable {
  public var from: Timestamp
  /// Unset while it lasts.
  public var to: Timestamp?

  public init(from: Timestamp, to: Timestamp? = nil) { (self.from, self.to) = (from, to) }
}

/// Kilocalories = MET × 3.5 × kilograms ÷ 200 × active minutes. The numbers stay with the workout: a new table or formula
/// changes no past one.
public struct WorkoutEnergy: Codable, Sendable, Equatable {
  public var kilocalories: Double
  /// Multiple of the energy used at rest.
  public var met: Double
  /// The code of the 2024 Adult Compendium of Physical Activities.
  public var compendiumCode: String?
  public var tableVersion: String?
  public var formulaVersion: Int

  public init(
    kilocalories: Double, met: Double, compendiumCode: String?, tableVersion: String?, formulaVersion: Int
  ) {
    (self.kilocalories, self.met, self.compendiumCode) = (kilocalories, met, compendiumCode)
    (self.tableVersion, self.formulaVersion) = (tableVersion, formulaVersion)
  }
}
