import Contracts
import Persistence
import ServiceKit

/// The built-in exercises, and those that each user has saved.
struct ExerciseLibrary: Feature {
  /// An exercise in the library file.
  struct Entry: Codable, Sendable {
    var id: Slug
    var name: ShortText
    var muscle: Muscle
    var secondaryMuscles: [Muscle]
    var equipment: Equipment
    var level: ExerciseLevel
    var instructions: [ShortText]
  }

  private let database: any Database
  private let store: SavedExerciseStore
  private let entries: [Entry]
  private let byID: [Slug: Entry]

  static let index = TextIndex("exercises")

  init(_ environment: ServiceEnvironment) async throws {
    database = try environment.database
    store = SavedExerciseStore(ids: environment.ids)
    entries = try Self.load()
    byID = Dictionary(uniqueKeysWithValues: entries.map { ($0.id, $0) })
    // Costs only a few reads when the database already indexes this version of the file.
    try await database.write { [entries] tx in
      let documents = entries.map { entry in
        TextDocument(
          entry.id.rawValue, [entry.name.rawValue, entry.id.rawValue],
          values: ["muscle:\(entry.muscle.rawValue)", "equipment:\(entry.equipment.rawValue)"])
      }
      try Self.index.put(documents, in: tx)
    }
  }

  static func load() throws -> [Entry] {
    try WireJSON.decode([Entry].self, from: PackageResources.exercises_json).sorted { $0.id.rawValue < $1.id.rawValue }
  }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.ListExercises.self) { request, call in try await list(request, for: call.user.id) }
    routes.on(CatalogAPI.GetExercise.self) { request, call in try await get(request.id, for: call.user.id) }
    routes.on(CatalogAPI.ListSavedExercises.self) { request, call in try await saved(request, of: call.user.id) }
    routes.on(CatalogAPI.SaveExercise.self) { request, call in try await save(request.id, for: call.user.id) }
    routes.on(CatalogAPI.UnsaveExercise.self) { request, call in try await unsave(request.id, for: call.user.id) }
  }

  func list(_ request: CatalogAPI.ListExercises, for user: UserID) async throws -> Page<Exercise> {
    let page = try request.page(by: Slug.self)
    return try await database.read { db in
      let found = try page.fetch(
        { after, limit in
          if let query = request.query {
            // Search results are ranked, so there is only one page.
            let values = TextFilter.given(
              request.muscle.map { "muscle:\($0.rawValue)" }, request.equipment.map { "equipment:\($0.rawValue)" })
            let matches = try Self.index.search(TextQuery(query, where: values), limit: page.limit, in: db)
            return matches.documents.compactMap { byID[Slug(checked: $0)] }
          }
          let wanted = entries.lazy.filter { entry in
            entry.id.rawValue > after?.rawValue ?? "" && request.muscle ?? entry.muscle == entry.muscle
              && request.equipment ?? entry.equipment == entry.equipment
          }
          return Array(wanted.prefix(limit))
        }, key: \.id)
      let saved = try store.saved(of: user, among: found.rows.map(\.id), in: db)
      return found.with(found.rows.map { Exercise($0, isSaved: saved.contains($0.id)) })
    }
  }

  func get(_ id: Slug, for user: UserID) async throws -> Exercise {
    guard let entry = byID[id] else { throw Problem(.exerciseNotFound) }
    return try await database.read { db in
      Exercise(entry, isSaved: try store.saved(of: user, among: [id], in: db).contains(id))
    }
  }

  // MARK: saved exercises

  func save(_ id: Slug, for user: UserID) async throws {
    guard byID[id] != nil else { throw Problem(.exerciseNotFound) }
    try await database.write { [store] tx in try store.insert(id, of: user, in: tx) }
  }

  func unsave(_ id: Slug, for user: UserID) async throws {
    try await database.write { [store] tx in try store.delete(id, of: user, in: tx) }
  }

  func saved(_ request: CatalogAPI.ListSavedExercises, of user: UserID) async throws -> Page<Exercise> {
    let page = try request.page(by: ID<Exercise>.self)
    return try await database.read { db in
      let found = try page.fetch({ try store.list(of: user, before: $0, limit: $1, in: db) }, key: \.id)
      // A later version of the library may lack a saved exercise.
      return found.with(found.rows.compactMap { byID[$0.exercise] }.map { Exercise($0, isSaved: true) })
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("exercises", .array(try store.list(of: user, in: db).map { .string($0) }))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try store.delete(of: user, in: tx) }

  static let migrations = [
    Migration(
      "catalog-exercises",
      why: "users save exercises",
      [
        """
        CREATE TABLE saved_exercises
          (id TEXT PRIMARY KEY, user_id TEXT NOT NULL, exercise TEXT NOT NULL, UNIQUE (user_id, exercise))
        """,
        "CREATE INDEX saved_exercises_by_user ON saved_exercises (user_id, id)",
      ]
    )
  ]
}

extension Exercise {
  fileprivate init(_ entry: ExerciseLibrary.Entry, isSaved: Bool) {
    self.init(
      id: entry.id,
      name: entry.name.rawValue,
      muscle: entry.muscle,
      secondaryMuscles: entry.secondaryMuscles,
      equipment: entry.equipment,
      level: entry.level,
      instructions: entry.instructions.map(\.rawValue),
      isSaved: isSaved
    )
  }
}
