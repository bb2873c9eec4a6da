import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The exercises that each user has saved, and which of them the user shows to followers.
struct SavedExercises: Feature {
  private let core: CatalogCore
  private let library: ExerciseLibrary

  /// Events of one kind about one user; followers see the other exercises when they look.
  private static let limit = RateLimit(20, per: 3600, pause: .untilOneIsForgotten)

  init(_ core: CatalogCore, _ library: ExerciseLibrary) { (self.core, self.library) = (core, library) }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.ListSavedExercises.self) { request, call in try await list(request, of: call.user.id) }
    routes.on(CatalogAPI.SaveExercise.self) { request, call in try await save(request.id, for: call.user.id) }
    routes.on(CatalogAPI.UnsaveExercise.self) { request, call in try await unsave(request.id, for: call.user.id) }
    routes.on(CatalogAPI.ShareExercise.self) { request, call in try await share(request.id, by: call.user.id) }
    routes.on(CatalogAPI.UnshareExercise.self) { request, call in try await unshare(request.id, by: call.user.id) }
  }

  func list(_ request: CatalogAPI.ListSavedExercises, of user: UserID) async throws -> Page<Exercise> {
    let page = try request.page(by: SharedExerciseID.self)
    return try await core.database.read { db in
      let found = try page.fetch({ try SavedExerciseStore.list(of: user, before: $0, limit: $1, in: db) }, key: \.id)
      return found.with(try library.exercises(found.rows.map(\.exercise), for: user, in: db))
    }
  }

  func save(_ id: Slug, for user: UserID) async throws {
    guard library[id] != nil else { throw Problem(.exerciseNotFound) }
    try await core.database.write { tx in
      try SavedExerciseStore.insert(id, of: user, id: core.ids.make(), in: tx)
    }
  }

  func unsave(_ id: Slug, for user: UserID) async throws {
    try await core.database.write { tx in
      guard let saved = try SavedExerciseStore.find([id], of: user, in: tx)[id] else { return }
      try withdraw(saved, in: tx)
      try SavedExerciseStore.delete(saved.id, in: tx)
    }
  }

  // MARK: sharing

  private func share(_ id: Slug, by user: UserID) async throws -> Exercise {
    guard library[id] != nil else { throw Problem(.exerciseNotFound) }
    return try await core.database.write { tx in
      guard let saved = try SavedExerciseStore.find([id], of: user, in: tx)[id] else {
        throw Problem(.exerciseUnsaved)
      }
      if saved.sharedAt == nil {
        try SavedExerciseStore.share(saved.id, in: tx)
        let data: JSONValue = ["id": .string(saved.id.rawValue), "exercise": .string(id.rawValue)]
        try notifyFollowers("exercise.shared", data, of: user, in: tx)
      }
      return try library.get(id, for: user, in: tx)
    }
  }

  private func unshare(_ id: Slug, by user: UserID) async throws {
    try await core.database.write { tx in
      guard let saved = try SavedExerciseStore.find([id], of: user, in: tx)[id] else { return }
      try withdraw(saved, in: tx)
    }
  }

  private func withdraw(_ saved: SavedExerciseStore.Saved, in tx: Transaction) throws {
    guard saved.sharedAt != nil else { return }
    try SavedExerciseStore.unshare(saved.id, in: tx)
    try notifyFollowers("exercise.unshared", ["id": .string(saved.id.rawValue)], of: saved.user, in: tx)
  }

  private func notifyFollowers(_ name: String, _ data: JSONValue, of user: UserID, in tx: Transaction) throws {
    guard try StoredLimit(Self.limit, of: user.rawValue, for: name, core.keys).take(in: tx) == nil else { return }
    try tx.record(UserTopicEvent(user, .progress, name, data))
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let saved = try SavedExerciseStore.list(of: user, in: db)
    let shared = saved.compactMap { saved -> JSONValue? in
      saved.sharedAt.map { ["exercise": .string(saved.exercise.rawValue), "sharedAt": .string($0.description)] }
    }
    return [
      ("exercises", .array(saved.map { .string($0.exercise.rawValue) })), ("sharedExercises", .array(shared)),
    ]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    try SavedExerciseStore.reactions.delete(of: user, in: tx)
    try SavedExerciseStore.delete(of: user, in: tx)
  }
}
