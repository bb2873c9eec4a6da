/// A workout as followers see it.
public struct SharedWorkout: Codable, Sendable, Equatable {
  public var id: WorkoutID
  public var userID: UserID
  public var type: String
  public var intensity: IntensityLevel
  public var startedAt: Timestamp
  public var activeSeconds: Double
  /// Present when the user shows them.
  public var kilocalories: Double?
  public var sharing: WorkoutSharing

  public init(
    id: WorkoutID, userID: UserID, type: String, intensity: IntensityLevel, startedAt: Timestamp,
    activeSeconds: Double, kilocalories: Double?, sharing: WorkoutSharing
  ) {
    (self.id, self.userID, self.type, self.intensity) = (id, userID, type, intensity)
    (self.startedAt, self.activeSeconds, self.kilocalories) = (startedAt, activeSeconds, kilocalories)
    self.sharing = sharing
  }
}

/// Since when followers see a workout, and how they reacted.
public struct WorkoutSharing: Codable, Sendable, Equatable {
  public var sharedAt: Timestamp
  public var includesKilocalories: Bool
  /// In the order in which the emoji were first used.
  public var reactions: [FollowerReaction]

  public init(sharedAt: Timestamp, includesKilocalories: Bool, reactions: [FollowerReaction] = []) {
    (self.sharedAt, self.includesKilocalories, self.reactions) = (sharedAt, includesKilocalories, reactions)
  }
}
