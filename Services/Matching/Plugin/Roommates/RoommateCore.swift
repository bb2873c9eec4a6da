import Contracts
import Persistence
import ServiceKit

/// The dependencies that the features of roommates share.
@dynamicMemberLookup
struct RoommateCore: Sendable {
  let core: MatchingCore
  let profiles: RoommateProfileStore
  let index: RoommateIndex

  init(_ core: MatchingCore) {
    self.core = core
    profiles = RoommateProfileStore(keys: core.keys)
    index = RoommateIndex(core, profiles)
  }

  subscript<Value>(dynamicMember member: KeyPath<MatchingCore, Value>) -> Value { core[keyPath: member] }

  /// The signed-in user.
  /// - Throws: ``Problem`` for guests.
  func caller(_ call: Call) throws -> UserID { try MatchingCore.member(call, "look for roommates").id }

  var today: CalendarDate { CalendarDate(core.time.now()) }

  /// - Throws: ``Problem`` 409 unless the caller's profile is complete.
  func viewer(_ user: UserID, in db: any Connection) throws -> (StoredRoommate, CompleteProfile) {
    guard let stored = try profiles.find(user, in: db), let profile = stored.visible else {
      throw Problem(.roommateProfileIncomplete)
    }
    return (stored, profile)
  }
}
