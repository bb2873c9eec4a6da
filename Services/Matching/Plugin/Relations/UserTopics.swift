import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The rights to follow the realtime topics of a user: followers what the user publishes, those of ``PresenceAccess``
/// the user's presence, the user everything; no one across a block. Events that other services publish on them are
/// passed on.
struct UserTopics: Feature {
  private let core: MatchingCore

  init(_ core: MatchingCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.topics(UserTopic.kind) { reader, topics in
      try await core.database.read { db in try Self.allowed(topics, to: reader.id, in: db) }
    }
    routes.on(
      UserTopicEvent.self,
      bySender: { event, sender, _, tx in
        // Gateways would refuse names of others, again and again.
        guard Self.publishers(on: event.topic).contains(sender),
          [nil, sender].contains(EventNames.owner(of: event.name))
        else { return }
        try tx.record(TopicEvent(event.topic.of(event.userID), event.name, event.data))
      })
  }

  /// The services that publish on a topic of users.
  private static func publishers(on topic: UserTopic) -> [String] {
    switch topic {
    case .videos, .streams: [MediaAPI.name]
    case .progress: [CatalogAPI.name, StudyAPI.name]
    case .presence: [MatchingAPI.name]
    }
  }

  static func allowed(_ topics: [Topic], to reader: UserID, in db: any Connection) throws -> [Topic] {
    let wanted = topics.compactMap { topic -> (topic: Topic, user: UserID, part: UserTopic)? in
      guard let user = UserID(String(topic.id)), let part = topic.part.flatMap({ UserTopic(rawValue: String($0)) }),
        // Not another spelling of the id.
        part.of(user) == topic
      else { return nil }
      return (topic, user, part)
    }
    let users = wanted.map(\.user).filter { $0 != reader }
    let blocked = try BlockStore.others(of: reader, among: users, in: db)
    let followed = try FollowStore.followed(by: reader, among: users, in: db)
    let present = try PresenceAccess.visible(
      wanted.filter { $0.part == .presence }.map(\.user), to: reader, in: db)
    return wanted.filter { _, user, part in
      if user == reader { return true }
      if blocked.contains(user) { return false }
      switch part {
      case .videos, .streams, .progress: return followed.contains(user)
      case .presence: return present.contains(user)
      }
    }.map(\.topic)
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try RelationEvents.deleted(user, in: tx) }
}
