extension CatalogAPI {
  /// The exercise library in the order of ids, or what a query finds, the best first. A query's words may be cut short or
  /// misspelt, and its answer is one page.
  public struct ListExercises: Endpoint {
    public typealias Response = Page<Exercise>
    public static let operation = Operation(.get, "/v1/exercises", "The exercise library", access: .user)
    public var query: String?
    /// The one that works hardest.
    public var muscle: Muscle?
    public var equipment: Equipment?
    public var limit: PageSize?
    public var cursor: String?

    public init(
      query: String? = nil,
      muscle: Muscle? = nil,
      equipment: Equipment? = nil,
      limit: PageSize? = nil,
      cursor: String? = nil
    ) {
      self.query = query
      self.muscle = muscle
      self.equipment = equipment
      self.limit = limit
      self.cursor = cursor
    }
  }

  /// One exercise.
  public struct GetExercise: Endpoint {
    public typealias Response = Exercise
    public static let operation = Operation(
      .get,
      "/v1/exercises/{id}",
      "One exercise",
      access: .user,
      problems: [.exerciseNotFound]
    )
    public var id: Slug
    public init(id: Slug) { self.id = id }
  }

  /// The exercises that the user saved, the last saved first.
  public struct ListSavedExercises: Endpoint {
    public typealias Response = Page<Exercise>
    public static let operation = Operation(.get, "/v1/exercises/saved", "The user's saved exercises", access: .user)
    public var limit: PageSize?
    public var cursor: String?

    public init(limit: PageSize? = nil, cursor: String? = nil) {
      self.limit = limit
      self.cursor = cursor
    }
  }

  /// Save an exercise; one that is saved keeps its place.
  public struct SaveExercise: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .put,
      "/v1/exercises/{id}/save",
      "Save an exercise",
      access: .user,
      success: 204,
      problems: [.exerciseNotFound]
    )
    public var id: Slug
    public init(id: Slug) { self.id = id }
  }

  /// Save an exercise no longer.
  public struct UnsaveExercise: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .delete,
      "/v1/exercises/{id}/save",
      "Save an exercise no longer",
      access: .user,
      success: 204
    )
    public var id: Slug
    public init(id: Slug) { self.id = id }
  }
}

/// How something is trained.
public struct Exercise: Codable, Sendable, Equatable {
  public var id: Slug
  public var name: String
  /// The one that works hardest.
  public var muscle: Muscle
  /// Others that work too.
  public var secondaryMuscles: [Muscle]
  public var equipment: Equipment
  public var level: ExerciseLevel
  /// One sentence per step.
  public var instructions: [String]
  /// Whether the caller has saved it.
  public var isSaved: Bool

  public init(
    id: Slug,
    name: String,
    muscle: Muscle,
    secondaryMuscles: [Muscle],
    equipment: Equipment,
    level: ExerciseLevel,
    instructions: [String],
    isSaved: Bool
  ) {
    self.id = id
    self.name = name
    self.muscle = muscle
    self.secondaryMuscles = secondaryMuscles
    self.equipment = equipment
    self.level = level
    self.instructions = instructions
    self.isSaved = isSaved
  }
}

/// Groups of muscles as training plans name them.
public enum Muscle: String, WireEnum {
  case abs, back, biceps, calves, chest, forearms, fullBody, glutes, hamstrings, hips, lowerBack, neck, obliques, quads
  case shoulders, triceps
}

/// What an exercise needs.
public enum Equipment: String, WireEnum {
  case none, band, barbell, bench, cable, dumbbell, kettlebell, machine, mat, medicineBall, pullUpBar, stabilityBall
}

/// How much practice an exercise takes.
public enum ExerciseLevel: String, WireEnum {
  case beginner, intermediate, advanced
}

extension Problem.Kind {
  public static let exerciseNotFound = Self("exercise-not-found", status: 404, "There is no such exercise")
}
