extension CatalogAPI {
  /// Shows an exercise that the caller has saved to the caller's followers. They receive `exercise.shared` on the topic
  /// `user:{id}:progress`.
  public struct ShareExercise: Endpoint {
    public typealias Response = Exercise
    public static let operation = Operation.put(
      "/v1/exercises/{id}/sharing", "Share a saved exercise with followers", publishes: true,
      problems: [.exerciseNotFound, .exerciseUnsaved]
    )
    public var id: Slug
    public init(id: Slug) { self.id = id }
  }

  /// Removes its reactions, too, as does no longer saving it. Followers receive `exercise.unshared`.
  public struct UnshareExercise: Endpoint {
    public static let operation = Operation.delete(
      "/v1/exercises/{id}/sharing", "Stop sharing a saved exercise", success: 204
    )
    public var id: Slug
    public init(id: Slug) { self.id = id }
  }

  /// Most recently shared first; for the user and followers.
  public struct ListSharedExercises: PagedEndpoint {
    public typealias Response = Page<SharedExercise>
    public static let operation = Operation.get(
      "/v1/shared-exercises", "List a user's shared exercises", problems: [.userNotFound]
    )
    public var user: UserID
    public var limit: PageSize?
    public var cursor: String?
    public init(user: UserID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.user, self.limit, self.cursor) = (user, limit, cursor)
    }
  }

  /// The owner receives `exercise.reaction`. At most five different ones of a user for each exercise.
  public struct ReactToExercise: Endpoint {
    public static let operation = Operation.put(
      "/v1/shared-exercises/{id}/reactions/{emoji}", "React to a shared exercise", success: 204,
      problems: [.exerciseNotFound, .reactionLimit]
    )
    public var id: SharedExerciseID
    public var emoji: Emoji
    public init(id: SharedExerciseID, emoji: Emoji) { (self.id, self.emoji) = (id, emoji) }
  }

  public struct RemoveExerciseReaction: Endpoint {
    public static let operation = Operation.delete(
      "/v1/shared-exercises/{id}/reactions/{emoji}", "Remove the caller's reaction to an exercise", success: 204,
      problems: [.exerciseNotFound]
    )
    public var id: SharedExerciseID
    public var emoji: Emoji
    public init(id: SharedExerciseID, emoji: Emoji) { (self.id, self.emoji) = (id, emoji) }
  }
}

extension Problem.Kind {
  public static let exerciseUnsaved = Self(
    "exercise-unsaved", status: 409, "The exercise is not saved",
    meaning: "The operation concerns an exercise that the caller has saved.",
    remedy: "Save the exercise first.")
}
