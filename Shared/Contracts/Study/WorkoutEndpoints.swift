extension StudyAPI {
  static let workouts: [any Endpoint.Type] = [
    ListWorkoutTypes.self,
    ListWorkouts.self, StartWorkout.self, GetWorkout.self, UpdateWorkout.self, DeleteWorkout.self, PauseWorkout.self,
    ResumeWorkout.self, FinishWorkout.self, GetWorkoutTotals.self,
    ShareWorkout.self, UnshareWorkout.self, ListSharedWorkouts.self, ReactToWorkout.self, RemoveWorkoutReaction.self,
  ]

  public struct ListWorkoutTypes: Endpoint {
    public typealias Response = WorkoutTable
    public static let operation = Operation.get(
      "/v1/workout-types", "List workout types with their intensities and energy costs", access: .anyone,
      caching: .shared
    )
    public init() {}
  }

  /// Lists by start, newest first.
  public struct ListWorkouts: PagedEndpoint {
    public typealias Response = Page<Workout>
    public static let operation = Operation.get("/v1/workouts", "List the caller's workouts")
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }

  /// Starts a workout, or records a finished one. One runs at a time.
  public struct StartWorkout: Endpoint {
    public typealias Response = Workout
    public static let operation = Operation.post(
      "/v1/workouts", "Start or record a workout", idempotency: .acceptsKey, success: 201,
      problems: [.consentRequired, .workoutRunning, .workoutTypeUnknown, .workoutTooLong, .workoutOrder]
    )
    public var type: WorkoutTypeID
    /// The lightest that the type has by default.
    public var intensity: IntensityLevel?
    /// Now by default.
    public var startedAt: Timestamp?
    /// Unset while the workout runs.
    public var finishedAt: Timestamp?
    public var pauses: [WorkoutInterruption]?
    /// That of the latest workout by default.
    public var weight: BodyWeight?
    public var note: LongText?
    public init(
      type: WorkoutTypeID, intensity: IntensityLevel? = nil, startedAt: Timestamp? = nil,
      finishedAt: Timestamp? = nil, pauses: [WorkoutInterruption]? = nil, weight: BodyWeight? = nil,
      note: LongText? = nil
    ) {
      (self.type, self.intensity, self.startedAt, self.finishedAt) = (type, intensity, startedAt, finishedAt)
      (self.pauses, self.weight, self.note) = (pauses, weight, note)
    }
  }

  public struct GetWorkout: Endpoint {
    public typealias Response = Workout
    public static let operation = Operation.get(
      "/v1/workouts/{id}", "Get one of the caller's workouts", problems: [.workoutNotFound]
    )
    public var id: WorkoutID
    public init(id: WorkoutID) { self.id = id }
  }

  /// The energy of a finished workout is computed again from what is changed.
  public struct UpdateWorkout: Endpoint {
    public typealias Response = Workout
    public static let operation = Operation.patch(
      "/v1/workouts/{id}", "Update a workout", idempotency: .idempotent,
      problems: [.consentRequired, .workoutNotFound, .workoutTypeUnknown, .workoutTooLong, .workoutOrder]
    )
    public var id: WorkoutID
    public var type: WorkoutTypeID?
    public var intensity: IntensityLevel?
    public var startedAt: Timestamp?
    public var finishedAt: Timestamp?
    public var pauses: [WorkoutInterruption]?
    public var weight: Patch<BodyWeight>
    public var note: Patch<LongText>
    public init(
      id: WorkoutID, type: WorkoutTypeID? = nil, intensity: IntensityLevel? = nil, startedAt: Timestamp? = nil,
      finishedAt: Timestamp? = nil, pauses: [WorkoutInterruption]? = nil, weight: Patch<BodyWeight> = .keep,
      note: Patch<LongText> = .keep
    ) {
      (self.id, self.type, self.intensity, self.startedAt) = (id, type, intensity, startedAt)
      (self.finishedAt, self.pauses, self.weight, self.note) = (finishedAt, pauses, weight, note)
    }
  }

  public struct DeleteWorkout: Endpoint {
    public static let operation = Operation.delete(
      "/v1/workouts/{id}", "Delete a workout", success: 204, problems: [.workoutNotFound]
    )
    public var id: WorkoutID
    public init(id: WorkoutID) { self.id = id }
  }

  public struct PauseWorkout: Endpoint {
    public typealias Response = Workout
    public static let operation = Operation.post(
      "/v1/workouts/{id}/pause", "Pause a running workout", idempotency: .idempotent,
      problems: [.workoutNotFound, .workoutFinished, .tooManyPauses]
    )
    public var id: WorkoutID
    public init(id: WorkoutID) { self.id = id }
  }

  public struct ResumeWorkout: Endpoint {
    public typealias Response = Workout
    public static let operation = Operation.post(
      "/v1/workouts/{id}/resume", "Resume a paused workout", idempotency: .idempotent,
      problems: [.workoutNotFound, .workoutFinished]
    )
    public var id: WorkoutID
    public init(id: WorkoutID) { self.id = id }
  }

  /// Repeating it returns the finished workout unchanged.
  public struct FinishWorkout: Endpoint {
    public typealias Response = Workout
    public static let operation = Operation.post(
      "/v1/workouts/{id}/finish", "Finish a workout and compute its energy", idempotency: .idempotent,
      problems: [.consentRequired, .workoutNotFound, .workoutTooLong, .workoutOrder]
    )
    public var id: WorkoutID
    /// Now by default.
    public var finishedAt: Timestamp?
    public var weight: BodyWeight?
    public var note: LongText?
    public init(
      id: WorkoutID, finishedAt: Timestamp? = nil, weight: BodyWeight? = nil, note: LongText? = nil
    ) { (self.id, self.finishedAt, self.weight, self.note) = (id, finishedAt, weight, note) }
  }

  /// Finished workouts by day and type. A workout belongs to the day, in UTC, on which it started.
  public struct GetWorkoutTotals: Endpoint {
    public typealias Response = WorkoutTotals
    public static let operation = Operation.get("/v1/workouts/totals", "Get totals of the caller's workouts")
    public var from: CalendarDate
    /// The last day; at most 366 days.
    public var to: CalendarDate
    public init(from: CalendarDate, to: CalendarDate) { (self.from, self.to) = (from, to) }
  }
}

extension Problem.Kind {
  public static let workoutNotFound = Self(
    "workout-not-found", status: 404, "There is no such workout",
    meaning: "The workout does not exist, was deleted, or the caller may not see it.",
    remedy: "Load the list of workouts again.")
  public static let workoutRunning = Self(
    "workout-running", status: 409, "Another workout is running",
    meaning: "A user has at most one running workout.",
    remedy: "Continue or finish the running workout first.")
  public static let workoutFinished = Self(
    "workout-finished", status: 409, "The workout is finished",
    meaning: "The workout is over; its timer can no longer be changed.",
    remedy: "Show the finished workout.")
  public static let workoutUnfinished = Self(
    "workout-unfinished", status: 409, "The workout is not finished",
    meaning: "What was asked for exists only after the workout is finished.",
    remedy: "Finish the workout first.")
  public static let workoutTypeUnknown = Self(
    "workout-type-unknown", status: 422, "There is no such type of workout, or it lacks the intensity",
    meaning: "The table of workout types has no such type, or has it without this intensity.",
    remedy: "Load the types of workouts and choose one of them.")
  public static let workoutTooLong = Self(
    "workout-too-long", status: 422, "A workout lasts at most 48 hours",
    meaning: "The times of the workout are more than 48 hours apart.",
    remedy: "Correct the start or the end.")
  public static let workoutOrder = Self(
    "workout-order", status: 422, "A workout starts before it finishes, and neither is in the future",
    meaning: "The start is after the end, or one of them is in the future by the server's clock.",
    remedy: "Correct the times, and check the clock of the device.")
  public static let tooManyPauses = Self(
    "too-many-pauses", status: 409, "A workout has at most 200 pauses",
    meaning: "The workout has reached the limit of pauses.",
    remedy: "Finish the workout, and start a new one if needed.")
}
