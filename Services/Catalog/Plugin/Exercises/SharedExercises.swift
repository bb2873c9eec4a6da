import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// Saved exercises as followers see them, and reactions to them.
struct SharedExercises: Feature {
  private let core: CatalogCore
  private let library: ExerciseLibrary
  private let followers: FollowerCheck

  /// New reactions of one user, each of which notifies someone.
  private static let limit = RateLimit(60, per: 600, pause: .untilOneIsForgotten)

  init(_ core: CatalogCore, _ library: ExerciseLibrary) {
    self.core = core
    self.library = library
    followers = FollowerCheck(core.environment)
  }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.ListSharedExercises.self) { request, call in try await list(request, for: call.user.id) }
    routes.on(CatalogAPI.ReactToExercise.self) { request, call in
      try await react(request.emoji, to: request.id, by: call.user.id)
    }
    routes.on(CatalogAPI.RemoveExerciseReaction.self) { request, call -> Void in
      let user = try call.user.id
      try await requireShown(request.id, to: user)
      try await core.database.write { tx in
        try SavedExerciseStore.reactions.delete(request.emoji, by: user, to: request.id, in: tx)
      }
    }
  }

  private func list(_ request: CatalogAPI.ListSharedExercises, for viewer: UserID) async throws
    -> Page<SharedExercise>
  {
    let (user, page) = (request.user, try request.page(by: SavedExerciseStore.Cursor.self))
    guard try await followers.allows(viewer, toSee: user) else { throw Problem(.userNotFound) }
    return try await core.database.read { db in
      guard try !ReportedBlocks.exist(between: viewer, and: user, in: db) else { throw Problem(.userNotFound) }
      let found = try page.fetch(
        { try SavedExerciseStore.shared(by: user, before: $0, limit: $1, in: db) },
        key: { SavedExerciseStore.Cursor($0.sharedAt ?? Timestamp(microseconds: 0), $0.id) })
      let reactions = try SavedExerciseStore.reactions.list(of: found.rows.map(\.id), for: viewer, in: db)
      return found.with(
        found.rows.compactMap { row in
          // A later version of the library may lack a saved exercise.
          guard let entry = library[row.exercise], let sharedAt = row.sharedAt else { return nil }
          return SharedExercise(
            id: row.id, userID: user, exercise: row.exercise, name: entry.name.rawValue, muscle: entry.muscle,
            equipment: entry.equipment, level: entry.level, sharedAt: sharedAt, reactions: reactions[row.id] ?? [])
        })
    }
  }

  private func react(_ emoji: Emoji, to id: SharedExerciseID, by user: UserID) async throws {
    try await requireShown(id, to: user)
    try await core.database.write { tx in
      // It may have been withdrawn, or a block may have arrived, since matching was asked.
      guard let saved = try SavedExerciseStore.find(id, in: tx), saved.sharedAt != nil,
        try !ReportedBlocks.exist(between: user, and: saved.user, in: tx)
      else { throw Problem(.exerciseNotFound) }
      let isNew = try SavedExerciseStore.reactions.insert(emoji, by: user, to: id, in: tx)
      guard isNew, user != saved.user else { return }
      try StoredLimit(Self.limit, of: user.rawValue, for: "exercise-reaction", core.keys).require(in: tx)
      let data: JSONValue = [
        "id": .string(id.rawValue), "exercise": .string(saved.exercise.rawValue), "user": .string(user.rawValue),
        "emoji": .string(emoji.rawValue),
      ]
      try tx.record(RealtimeEvent(to: saved.user, "exercise.reaction", data))
    }
  }

  /// - Throws: ``Problem`` unless the exercise is shared and the viewer is its user or a follower.
  private func requireShown(_ id: SharedExerciseID, to viewer: UserID) async throws {
    let saved = try await core.database.read { db in try SavedExerciseStore.find(id, in: db) }
    guard let saved, saved.sharedAt != nil, try await followers.allows(viewer, toSee: saved.user) else {
      throw Problem(.exerciseNotFound)
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let reactions = try SavedExerciseStore.reactions.list(by: user, in: db).map { reaction -> JSONValue in
      ["exercise": .string(reaction.object.rawValue), "emoji": .string(reaction.emoji)]
    }
    return [("exerciseReactions", .array(reactions))]
  }
}
