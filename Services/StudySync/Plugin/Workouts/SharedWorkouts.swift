import Contracts
import Persistence
import PlatformRules
import ServiceKit
import SyncMerge

/// Workouts as followers see them, and reactions to them.
struct SharedWorkouts: Feature {
  private let core: StudyCore
  private let followers: FollowerCheck

  /// New reactions of one user, each of which notifies someone.
  private static let limit = RateLimit(60, per: 600, pause: .untilOneIsForgotten)

  init(_ core: StudyCore) {
    self.core = core
    followers = FollowerCheck(core.environment)
  }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.ListSharedWorkouts.self) { request, call in try await list(request, for: call.user.id) }
    routes.on(StudyAPI.ReactToWorkout.self) { request, call in
      try await react(request.emoji, to: request.id, by: call.user.id)
    }
    routes.on(StudyAPI.RemoveWorkoutReaction.self) { request, call -> Void in
      let user = try call.user.id
      try await requireShown(request.id, to: user)
      try await core.database.write { tx in
        try WorkoutStore.reactions.delete(request.emoji, by: user, to: request.id, in: tx)
      }
    }
  }

  private func list(_ request: StudyAPI.ListSharedWorkouts, for viewer: UserID) async throws -> Page<SharedWorkout> {
    let (user, page) = (request.user, try request.page(by: WorkoutStore.Cursor.self))
    guard try await followers.allows(viewer, toSee: user) else { throw Problem(.userNotFound) }
    let (found, records, reactions) = try await core.database.read { db in
      guard try !ReportedBlocks.exist(between: viewer, and: user, in: db) else { throw Problem(.userNotFound) }
      let found = try page.fetch(
        { try WorkoutStore.shared(by: user, before: $0, limit: $1, in: db) },
        key: { WorkoutStore.Cursor($0.sharedAt ?? $0.startedAt, $0.id) })
      let ids = found.rows.map(\.id)
      return (
        found, try RecordStore.find(ids.map(\.record), in: db),
        try WorkoutStore.reactions.list(of: ids, for: viewer, in: db)
      )
    }
    let contents = try core.workouts(in: records)
    return found.with(
      found.rows.compactMap { row in
        guard let content = contents[row.id], let sharing = row.sharing(content, reactions[row.id] ?? []) else {
          return nil
        }
        return SharedWorkout(
          id: row.id, userID: user, type: content.type, intensity: content.intensity, startedAt: content.startedAt,
          activeSeconds: content.activeSeconds ?? 0,
          kilocalories: content.includesKilocalories ? content.energy?.kilocalories : nil, sharing: sharing)
      })
  }

  private func react(_ emoji: Emoji, to id: WorkoutID, by user: UserID) async throws {
    try await requireShown(id, to: user)
    try await core.database.write { [core] tx in
      // It may have been withdrawn, or a block may have arrived, since matching was asked.
      guard let workout = try WorkoutStore.find(id, in: tx), workout.sharedAt != nil,
        try !ReportedBlocks.exist(between: user, and: workout.user, in: tx)
      else { throw Problem(.workoutNotFound) }
      let isNew = try WorkoutStore.reactions.insert(emoji, by: user, to: id, in: tx)
      guard isNew, user != workout.user else { return }
      try StoredLimit(Self.limit, of: user.rawValue, for: "workout-reaction", core.keys).require(in: tx)
      let data: JSONValue = [
        "workout": .string(id.rawValue), "user": .string(user.rawValue), "emoji": .string(emoji.rawValue),
      ]
      try tx.record(RealtimeEvent(to: workout.user, "workout.reaction", data))
    }
  }

  /// - Throws: ``Problem`` unless the workout is shared and the viewer is its user or a follower.
  private func requireShown(_ id: WorkoutID, to viewer: UserID) async throws {
    let workout = try await core.database.read { db in try WorkoutStore.find(id, in: db) }
    guard let workout, workout.sharedAt != nil, try await followers.allows(viewer, toSee: workout.user) else {
      throw Problem(.workoutNotFound)
    }
  }
}
