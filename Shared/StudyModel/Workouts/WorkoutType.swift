/// How hard a workout is.
public enum WorkoutIntensity: String, Sendable, Hashable, CaseIterable {
  case light
  case moderate
  case vigorous
}

/// The energy cost of an activity in the 2024 Adult Compendium of Physical Activities (Herrmann et al., Journal of
/// Sport and Health Science 13, 2024, 6–12; adults of 19 to 59 years).
public struct CompendiumEntry: Sendable, Hashable {
  /// Five digits.
  public let code: String
  /// Multiple of the energy used at rest.
  public let met: Double

  public init(code: String, met: Double) {
    self.code = code
    self.met = met
  }
}

/// A kind of exercise.
public struct WorkoutType: Sendable, Hashable {
  /// Stable; stored with workouts.
  public let id: String
  /// English.
  public let name: String
  /// The intensities that the type has; at least one.
  public let entries: [WorkoutIntensity: CompendiumEntry]

  public init(id: String, name: String, entries: [WorkoutIntensity: CompendiumEntry]) {
    self.id = id
    self.name = name
    self.entries = entries
  }

  /// From light to vigorous.
  public var intensities: [WorkoutIntensity] { WorkoutIntensity.allCases.filter { entries[$0] != nil } }

  /// The type with an id; nil if there is none.
  public static func find(_ id: String) -> WorkoutType? { byID[id] }

  private static let byID = Dictionary(all.map { ($0.id, $0) }) { first, _ in first }
}
