public struct Exercise: Codable, Sendable, Equatable {
  public var id: Slug
  public var name: String
  /// The primary one.
  public var muscle: Muscle
  public var secondaryMuscles: [Muscle]
  public var equipment: Equipment
  public var level: ExerciseLevel
  /// One sentence per step.
  public var instructions: [String]
  /// Whether the caller has saved it.
  public var isSaved: Bool
  /// Present when the caller shows it to followers.
  public var sharing: ExerciseSharing?
  public init(
    id: Slug, name: String, muscle: Muscle, secondaryMuscles: [Muscle], equipment: Equipment, level: ExerciseLevel,
    instructions: [String], isSaved: Bool, sharing: ExerciseSharing? = nil
  ) {
    (self.id, self.name, self.muscle, self.secondaryMuscles) = (id, name, muscle, secondaryMuscles)
    (self.equipment, self.level, self.instructions, self.isSaved) = (equipment, level, instructions, isSaved)
    self.sharing = sharing
  }
}

/// Muscle groups as named in training plans.
public enum Muscle: String, WireEnum {
  case abs, back, biceps, calves, chest, forearms, fullBody, glutes, hamstrings, hips, lowerBack, neck, obliques, quads
  case shoulders, triceps
}

public enum Equipment: String, WireEnum {
  case none, band, barbell, bench, cable, dumbbell, kettlebell, machine, mat, medicineBall, pullUpBar, stabilityBall
}

public enum ExerciseLevel: String, WireEnum {
  case beginner, intermediate, advanced
}
