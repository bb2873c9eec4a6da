import Contracts
import Persistence
import ServiceKit

/// The dependencies that the features of conversations share.
@dynamicMemberLookup
struct ConversationCore: Sendable {
  let core: MatchingCore
  let messages: MessageStore
  let activity: UserActivity

  init(_ core: MatchingCore) {
    self.core = core
    messages = MessageStore(keys: core.keys)
    activity = UserActivity(time: core.time)
  }

  subscript<Value>(dynamicMember member: KeyPath<MatchingCore, Value>) -> Value { core[keyPath: member] }

  /// The signed-in user, who is active by calling.
  /// - Throws: ``Problem`` for guests.
  func caller(_ call: Call) throws -> UserID {
    let user = try MatchingCore.member(call, "talk to others")
    activity.record(user.id)
    return user.id
  }

  /// Whether two users are connected or matched, so that messages reach the inbox.
  static func areRelated(_ one: UserID, _ other: UserID, in db: any Connection) throws -> Bool {
    if try ConnectionStore.areConnected(one, other, in: db) { return true }
    return try MatchStore.areMatched(one, other, in: db)
  }
}
