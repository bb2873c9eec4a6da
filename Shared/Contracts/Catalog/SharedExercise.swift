public typealias SharedExerciseID = ID<SharedExercise>

/// An exercise that a user has saved, as followers see it.
public struct SharedExercise: Codable, Sendable, Equatable {
  public var id: SharedExerciseID
  public var userID: UserID
  /// The id of the ``Exercise``.
  public var exercise: Slug
  public var name: String
  /// The primary one.
  public var muscle: Muscle
  public var equipment: Equipment
  public var level: ExerciseLevel
  public var sharedAt: Timestamp
  /// In the order in which the emoji were first used.
  public var reactions: [FollowerReaction]

  public init(
    id: SharedExerciseID, userID: UserID, exercise: Slug, name: String, muscle: Muscle, equipment: Equipment,
    level: ExerciseLevel, sharedAt: Timestamp, reactions: [FollowerReaction]
  ) {
    (self.id, self.userID, self.exercise, self.name) = (id, userID, exercise, name)
    (self.muscle, self.equipment, self.level) = (muscle, equipment, level)
    (self.sharedAt, self.reactions) = (sharedAt, reactions)
  }
}

/// Since when followers see an exercise that the caller has saved, and how they reacted.
public struct ExerciseSharing: Codable, Sendable, Equatable {
  /// The id of the ``SharedExercise``.
  public var id: SharedExerciseID
  public var sharedAt: Timestamp
  /// In the order in which the emoji were first used.
  public var reactions: [FollowerReaction]

  public init(id: SharedExerciseID, sharedAt: Timestamp, reactions: [FollowerReaction]) {
    (self.id, self.sharedAt, self.reactions) = (id, sharedAt, reactions)
  }
}
