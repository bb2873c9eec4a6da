import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The built-in exercises.
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

  private let core: CatalogCore
  private let entries: [Entry]
  private let byID: [Slug: Entry]

  static let index = TextIndex("exercises")

  init(_ core: CatalogCore) async throws {
    self.core = core
    entries = try Self.load()
    byID = Dictionary(uniqueKeysWithValues: entries.map { ($0.id, $0) })
    // Costs only a few reads when the database already indexes this version of the file.
    try await core.database.write { [entries] tx in
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
  }

  func list(_ request: CatalogAPI.ListExercises, for user: UserID) async throws -> Page<Exercise> {
    let page = try request.page(by: Slug.self)
    return try await core.database.read { db in
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
      return found.with(try exercises(found.rows.map(\.id), for: user, in: db))
    }
  }

  func get(_ id: Slug, for user: UserID) async throws -> Exercise {
    try await core.database.read { db in try get(id, for: user, in: db) }
  }

  func get(_ id: Slug, for user: UserID, in db: any Connection) throws -> Exercise {
    guard let exercise = try exercises([id], for: user, in: db).first else { throw Problem(.exerciseNotFound) }
    return exercise
  }

  /// Exercises as the user sees them. Those that this version of the library lacks are left out.
  func exercises(_ ids: [Slug], for user: UserID, in db: any Connection) throws -> [Exercise] {
    let saved = try SavedExerciseStore.find(ids, of: user, in: db)
    let shared = saved.values.filter { $0.sharedAt != nil }.map(\.id)
    let reactions = try SavedExerciseStore.reactions.list(of: shared, for: user, in: db)
    return ids.compactMap { id in
      byID[id].map { Exercise($0, saved[id], saved[id].flatMap { reactions[$0.id] } ?? []) }
    }
  }

  subscript(id: Slug) -> Entry? { byID[id] }
}

extension Exercise {
  fileprivate init(
    _ entry: ExerciseLibrary.Entry, _ saved: SavedExerciseStore.Saved?, _ reactions: [FollowerReaction]
  ) {
    self.init(
      id: entry.id,
      name: entry.name.rawValue,
      muscle: entry.muscle,
      secondaryMuscles: entry.secondaryMuscles,
      equipment: entry.equipment,
      level: entry.level,
      instructions: entry.instructions.map(\.rawValue),
      isSaved: saved != nil,
      sharing: saved.flatMap { saved in
        saved.sharedAt.map { ExerciseSharing(id: saved.id, sharedAt: $0, reactions: reactions) }
      }
    )
  }
}
