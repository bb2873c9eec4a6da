import Contracts
import Persistence
import ServiceKit

/// What the features of roommates share.
struct RoommateCore: Sendable {
  let database: any Database
  let ids: IDGenerator
  let time: TimeSource
  let keys: DataKeys
  let names: PublicNames
  let profiles: RoommateProfileStore
  let threads: MatchingThreads
  let index: RoommateIndex
  let matching: MatchingCore

  init(_ core: MatchingCore) {
    (database, ids, time, keys) = (core.database, core.ids, core.time, core.keys)
    (names, matching) = (core.names, core)
    profiles = RoommateProfileStore(keys: core.keys)
    threads = core.threads
    index = RoommateIndex(core, profiles, threads)
  }

  /// The signed-in user.
  /// - Throws: ``Problem`` for guests.
  func caller(_ call: Call) throws -> UserID { try MatchingCore.member(call, "look for roommates").id }

  var today: CalendarDate { CalendarDate(time.now()) }

  /// - Throws: ``Problem`` 409 unless the caller's profile is complete.
  func viewer(_ user: UserID, in db: any Connection) throws -> (StoredRoommate, CompleteProfile) {
    guard let stored = try profiles.find(user, in: db), let profile = stored.visible else {
      throw Problem(.roommateProfileIncomplete)
    }
    return (stored, profile)
  }

  static func features(_ core: MatchingCore) -> [any Feature] {
    let core = RoommateCore(core)
    return [RoommateProfiles(core), Deck(core), Swipes(core), Matches(core), Suggestions(core)]
  }
}
