import Contracts
import Persistence
import ServiceKit

/// What the features of conversations share.
struct ConversationCore: Sendable {
  let environment: ServiceEnvironment
  let database: any Database
  let ids: IDGenerator
  let time: TimeSource
  let keys: DataKeys
  let names: PublicNames
  let messages: MessageStore
  let activity: UserActivity
  let threads: MatchingThreads

  init(_ core: MatchingCore) {
    (environment, database, ids, time) = (core.environment, core.database, core.ids, core.time)
    (keys, names, threads) = (core.keys, core.names, core.threads)
    messages = MessageStore(keys: core.keys)
    activity = UserActivity(time: core.time)
  }

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

/// The features of conversations.
enum ConversationFeatures {
  static func all(_ core: MatchingCore) throws -> [any Feature] {
    let core = ConversationCore(core)
    return [
      Conversations(core), try Messages(core), try MessageSearch(core), PresenceOfUsers(core), MessageReports(core),
      OfferCards(core),
    ]
  }
}

enum ConversationServiceSettings {
  static let messages = Setting<RateLimit>(
    "matching.messages",
    default: RateLimit("30/10"),
    expects: "messages/seconds, such as 30/10; 0/1 for no limit",
    "The maximum rate of messages that a user sends to one instance"
  ) { RateLimit($0) }

  static let searches = Setting<RateLimit>(
    "matching.searches",
    default: RateLimit("60/60"),
    expects: "requests/seconds, such as 60/60; 0/1 for no limit",
    "The maximum rate at which a user searches messages on one instance"
  ) { RateLimit($0) }

  static let all: [any SettingDescription] = [messages, searches]
}
