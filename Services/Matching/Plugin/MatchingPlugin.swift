import Contracts
import Persistence
import PlatformRules
public import ServiceKit

/// People: roommates, connections, follows, blocks and conversations.
public struct MatchingPlugin: ServicePlugin {
  public static let manifest = Manifest(
    name: MatchingAPI.name,
    api: MatchingAPI.self,
    calls: [AuthAPI.self, MediaAPI.self],
    emits: [
      ConnectionChanged.self, BlockChanged.self, PushRequested.self, GroupPushRequested.self, RealtimeEvent.self,
      TopicEvent.self,
      TopicAccessEnded.self, MediaReferencesChanged.self,
    ],
    topics: [UserTopic.kind, ConversationEvents.topicKind],
    consumes: [
      .init(from: AuthAPI.self, [UserDeleted.self, UserChanged.self]),
      .init(from: OrdersAPI.self, [OfferChanged.self]),
      .init(from: StudyAPI.self, [UserTopicEvent.self, CourseMembershipChanged.self]),
      .init(from: MediaAPI.self, [UserTopicEvent.self, FollowersPushRequested.self]),
      .init(from: CatalogAPI.self, [UserTopicEvent.self]),
    ],
    optionalDependencies: [CatalogAPI.self, MediaAPI.self, OrdersAPI.self, StudyAPI.self],
    migrations: MatchingMigrations.all,
    sealedColumns: MatchingMigrations.sealedColumns,
    settings: MatchingSettings.all
  )

  public let features: [any Feature]

  public init(environment: ServiceEnvironment) async throws {
    let core = try MatchingCore(environment)
    let (roommates, conversations) = (RoommateCore(core), ConversationCore(core))
    features = [
      NameInvalidation(core), Blocks(core), Connections(core), Follows(core), try FollowerPushes(core),
      Relationships(core), UserTopics(core),
      CourseMembers(),
      RoommateProfiles(roommates), Deck(roommates), Swipes(roommates), Matches(roommates), Suggestions(roommates),
      try Conversations(conversations), try Messages(conversations), try MessageSearch(conversations),
      PresenceOfUsers(conversations), MessageReports(conversations), OfferCards(conversations),
    ]
  }
}

/// Names of other users, read from auth again after they have changed.
private struct NameInvalidation: Feature {
  let core: MatchingCore

  init(_ core: MatchingCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(UserChanged.self) { _, _ in
    } afterwards: { event in
      core.names.forget(event.userID)
    }
  }

  /// May run again after a conflict: a name that is removed too early is only asked for again.
  func erase(_ user: UserID, in tx: Transaction) throws { core.names.remove(user) }
}
