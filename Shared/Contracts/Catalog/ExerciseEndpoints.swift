extension CatalogAPI {
  /// Ordered by ID, or by relevance for a query. The words of a query may be abbreviated or misspelled; its results are
  /// a single page.
  public struct ListExercises: PagedEndpoint {
    public typealias Response = Page<Exercise>
    public static let operation = Operation.get("/v1/exercises", "List exercises", caching: .own)
    public var query: String?
    public var muscle: Muscle?
    public var equipment: Equipment?
    public var limit: PageSize?
    public var cursor: String?
    public init(
      query: String? = nil, muscle: Muscle? = nil, equipment: Equipment? = nil, limit: PageSize? = nil,
      cursor: String? = nil
    ) {
      (self.query, self.muscle, self.equipment, self.limit, self.cursor) = (query, muscle, equipment, limit, cursor)
    }
  }

  public struct GetExercise: Endpoint {
    public typealias Response = Exercise
    public static let operation = Operation.get(
      "/v1/exercises/{id}", "Get an exercise", problems: [.exerciseNotFound], caching: .own)
    public var id: Slug
    public init(id: Slug) { self.id = id }
  }

  /// Most recently saved first.
  public struct ListSavedExercises: PagedEndpoint {
    public typealias Response = Page<Exercise>
    public static let operation = Operation.get(
      "/v1/exercises/saved", "List the caller's saved exercises", caching: .own)
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }

  /// An exercise that is already saved keeps its position.
  public struct SaveExercise: Endpoint {
    public static let operation = Operation.put(
      "/v1/exercises/{id}/save", "Save an exercise", success: 204, problems: [.exerciseNotFound]
    )
    public var id: Slug
    public init(id: Slug) { self.id = id }
  }

  public struct UnsaveExercise: Endpoint {
    public static let operation = Operation.delete(
      "/v1/exercises/{id}/save", "Remove an exercise from the saved exercises", success: 204
    )
    public var id: Slug
    public init(id: Slug) { self.id = id }
  }
}

extension Problem.Kind {
  public static let exerciseNotFound = Self(
    "exercise-not-found", status: 404, "There is no such exercise",
    meaning: "The exercise does not exist, was deleted, or is another user's.",
    remedy: "Load the library again.")
}
