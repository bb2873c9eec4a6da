import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The caller's own profile: set up in stages, completed, edited, and deleted.
struct RoommateProfiles: Feature {
  let core: RoommateCore

  /// Positions that someone may look from in a day; more would find out others' distances from many places.
  private static let moves = RateLimit(10, per: 86_400, pause: .untilOneIsForgotten)

  /// How often someone may become visible in a day: each time updates every index and can create matches.
  private static let appearances = RateLimit(10, per: 86_400, pause: .untilOneIsForgotten)
  /// Changes of a visible profile in an hour; each updates every index.
  private static let edits = RateLimit(60, per: 3600, pause: .untilOneIsForgotten)

  private let media: MediaUses

  init(_ core: RoommateCore) { (self.core, media) = (core, MediaUses(core.environment)) }

  func register(in routes: inout Routes) {
    routes.on(MatchingAPI.GetRoommateProfile.self) { _, call in try await get(core.caller(call)) }
    routes.on(MatchingAPI.PutRoommateProfile.self) { request, call in try await put(request, of: core.caller(call)) }
    routes.on(MatchingAPI.DeleteRoommateProfile.self) { _, call in try await delete(core.caller(call)) }
    routes.on(MatchingAPI.GetPreferenceFields.self) { _, _ in PreferenceFields(items: PreferenceField.all) }
    routes.readers(RoommatePhotoAccess.kind) { reader, profiles in
      try await RoommatePhotoAccess.readable(profiles, by: reader, core)
    }
  }

  private func get(_ user: UserID) async throws -> RoommateProfile {
    try await core.database.read { [core] db in
      guard let profile = try core.profiles.find(user, in: db) else { throw Problem(.roommateProfileNotFound) }
      return profile.response
    }
  }

  private func put(_ request: MatchingAPI.PutRoommateProfile, of user: UserID) async throws -> RoommateProfile {
    let given = RoommateStages(
      contact: request.contact, identity: request.identity, about: request.about, preferences: request.preferences,
      photos: request.photos)
    let errors = ProfileRules.errors(given, isComplete: request.isComplete, on: core.today)
    guard errors.isEmpty else { throw Problem(.invalidRequest, errors: errors) }
    let (stages, generation) = (Self.snapped(given), core.ids.text())
    let known = try await core.database.read { [core] db in try core.profiles.find(user, in: db) }
    let object = known.map(RoommatePhotoAccess.object) ?? Topic(RoommatePhotoAccess.kind, generation)
    let wanted = RoommatePhotoAccess.wanted(given.photos, besides: known?.stages.photos)
    try await media.require(wanted, of: user, for: object)
    return try await core.database.write { [core] tx in
      let old = try core.profiles.find(user, in: tx)
      // A repeated request changes nothing, whatever version it expects.
      if let old, old.stages == stages, old.isComplete == request.isComplete { return old.response }
      try request.ifMatch?.require(old?.version ?? 0)
      guard old != nil || request.ifMatch == nil else { throw Problem(.versionMismatch) }
      try limitMoves(of: user, from: old?.stages, to: stages, in: tx)
      if request.isComplete { try limitChanges(of: user, wasVisible: old?.isComplete ?? false, in: tx) }
      let new = StoredRoommate(
        userID: user, generation: old?.generation ?? generation, isComplete: request.isComplete,
        version: (old?.version ?? 0) + 1, stages: stages, updatedAt: tx.now, activeAt: tx.now)
      try core.profiles.save(new, wasVisible: old?.isComplete ?? false, in: tx)
      try RoommatePhotoAccess.report(new, in: tx)
      return new.response
    }
  }

  /// The stages with the position moved to the center of its cell.
  private static func snapped(_ stages: RoommateStages) -> RoommateStages {
    guard let position = stages.preferences?.place?.position, let cell = SnappedPosition(position) else {
      return stages
    }
    var copy = stages
    copy.preferences?.place?.position = cell.center
    return copy
  }

  private func limitMoves(of user: UserID, from old: RoommateStages?, to new: RoommateStages, in tx: Transaction) throws
  {
    guard let position = new.preferences?.place?.position, position != old?.preferences?.place?.position else { return }
    let limit = StoredLimit(Self.moves, of: user.rawValue, for: "roommate-position", core.keys)
    try limit.require(in: tx, detail: "The position was changed too often.")
  }

  private func limitChanges(of user: UserID, wasVisible: Bool, in tx: Transaction) throws {
    let (limit, purpose) =
      wasVisible ? (Self.edits, "roommate-profile-edit") : (Self.appearances, "roommate-profile-appearance")
    try StoredLimit(limit, of: user.rawValue, for: purpose, core.keys)
      .require(in: tx, detail: "The profile was changed too often.")
  }

  /// Cancels the set-up, or ends everything that a complete profile has led to. What others have decided about the user
  /// remains, so that a new profile is not shown to them again.
  private func delete(_ user: UserID) async throws {
    try await core.database.write { [core] tx in
      if let profile = try core.profiles.find(user, in: tx) { try RoommatePhotoAccess.reportDeleted(profile, in: tx) }
      try RoommateProfileStore.delete(user, in: tx)
      try SwipeStore.deleteGiven(by: user, in: tx)
      for other in try MatchStore.deleteMatches(of: user, in: tx) {
        try RelationEvents.presenceChanged(user, other, in: tx)
      }
      try SuggestionStore.delete(of: user, in: tx)
    }
  }

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    guard let profile = try core.profiles.find(user, in: db) else { return [] }
    return [("roommateProfile", try JSONValue(profile.response))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    if let profile = try core.profiles.find(user, in: tx) { try RoommatePhotoAccess.reportDeleted(profile, in: tx) }
    try RoommateProfileStore.delete(user, in: tx)
  }
}
