extension StudyAPI {
  /// Shows a finished workout to the caller's followers, without weight and note. They receive `workout.shared` on the
  /// topic `user:{id}:progress`.
  public struct ShareWorkout: Endpoint {
    public typealias Response = Workout
    public static let operation = Operation.put(
      "/v1/workouts/{id}/sharing", "Share a finished workout with followers", publishes: true,
      problems: [.workoutNotFound, .workoutUnfinished]
    )
    public var id: WorkoutID
    /// Whether the kilocalories are shown, from which the weight can be computed; `false` by default.
    public var includesKilocalories: Bool?
    public init(id: WorkoutID, includesKilocalories: Bool? = nil) {
      (self.id, self.includesKilocalories) = (id, includesKilocalories)
    }
  }

  /// Removes its reactions, too.
  public struct UnshareWorkout: Endpoint {
    public static let operation = Operation.delete(
      "/v1/workouts/{id}/sharing", "Stop sharing a workout", success: 204, problems: [.workoutNotFound]
    )
    public var id: WorkoutID
    public init(id: WorkoutID) { self.id = id }
  }

  /// Most recently shared first; for the user and followers.
  public struct ListSharedWorkouts: PagedEndpoint {
    public typealias Response = Page<SharedWorkout>
    public static let operation = Operation.get(
      "/v1/shared-workouts", "List a user's shared workouts", problems: [.userNotFound]
    )
    public var user: UserID
    public var limit: PageSize?
    public var cursor: String?
    public init(user: UserID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.user, self.limit, self.cursor) = (user, limit, cursor)
    }
  }

  /// The owner receives `workout.reaction`. At most five different ones of a user for each workout.
  public struct ReactToWorkout: Endpoint {
    public static let operation = Operation.put(
      "/v1/workouts/{id}/reactions/{emoji}", "React to a shared workout", success: 204,
      problems: [.workoutNotFound, .reactionLimit]
    )
    public var id: WorkoutID
    public var emoji: Emoji
    public init(id: WorkoutID, emoji: Emoji) { (self.id, self.emoji) = (id, emoji) }
  }

  public struct RemoveWorkoutReaction: Endpoint {
    public static let operation = Operation.delete(
      "/v1/workouts/{id}/reactions/{emoji}", "Remove the caller's reaction to a workout", success: 204,
      problems: [.workoutNotFound]
    )
    public var id: WorkoutID
    public var emoji: Emoji
    public init(id: WorkoutID, emoji: Emoji) { (self.id, self.emoji) = (id, emoji) }
  }
}
