import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MatchingService

/// Presence and typing: shown to partners, as far as one shows it, and never stored.
@Suite(.serialized)
struct ConversationPresenceTests {
  private static func status(_ user: TestUser, for viewer: TestUser) async throws -> Presence.Status? {
    try await viewer.client.send(MatchingAPI.GetPresence(users: UserList([user.id]))).items.first?.status
  }

  @Test(arguments: TestDatabase.allCases)
  func partnersSeeActivity(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, bob, eve) = (users[0], users[1], users[2])
      _ = try await host.talk(ada, bob)
      _ = try await bob.client.send(MatchingAPI.ReportPresence())
      #expect(try await Self.status(bob, for: ada) == .active)
      #expect(try await Self.status(bob, for: eve) == .away)
      #expect(try await Self.status(eve, for: eve) == .active)
      host.time.advance(seconds: 60)
      #expect(try await Self.status(bob, for: ada) == .recently)
      host.time.advance(seconds: 3600)
      #expect(try await Self.status(bob, for: ada) == .today)
      host.time.advance(seconds: 86_400)
      #expect(try await Self.status(bob, for: ada) == .away)

      _ = try await bob.client.send(MatchingAPI.ReportPresence())
      #expect(try await host.inbox(ada).map(\.isActive) == [true])
      let hidden = ConversationSettings(showPresence: false)
      _ = try await bob.client.send(MatchingAPI.PutConversationSettings(body: hidden))
      #expect(try await Self.status(bob, for: ada) == .away)
      #expect(try await host.inbox(ada).map(\.isActive) == [false])
    }
  }

  @Test func presenceEndsWithTheConversation() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      _ = try await host.talk(users[0], users[1])
      #expect(try await Self.status(users[1], for: users[0]) == .active)
      try await host.end(users[0], users[1])
      #expect(try await Self.status(users[1], for: users[0]) == .away)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func hidingPresenceEndsItsTopicForOthersOnce(_ database: TestDatabase) async throws {
    try await ConversationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      _ = try await host.talk(ada, bob)
      let topic = UserTopic.presence.of(bob.id)
      func readers() async throws -> [UserID] {
        try await host.database.read { db in
          try [ada.id, bob.id].filter { try UserTopics.allowed([topic], to: $0, in: db) == [topic] }
        }
      }
      func put(_ settings: ConversationSettings) async throws {
        _ = try await bob.client.send(MatchingAPI.PutConversationSettings(body: settings))
      }
      #expect(try await readers() == [ada.id, bob.id])
      for _ in 0..<3 { try await put(ConversationSettings(showPresence: false)) }
      #expect(try await readers() == [bob.id])
      try await put(ConversationSettings(showPresence: false, showRead: false))
      let ended = try await host.events(TopicAccessEnded.self)
      #expect(ended.map(\.topics) == [[topic]])
      #expect(ended.map(\.user) == [nil])
      try await put(ConversationSettings())
      #expect(try await readers() == [ada.id, bob.id])
    }
  }

  @Test func changesOfSettingsAreLimited() async throws {
    try await ConversationHost.run { host async throws in
      let ada = try await host.user("ada")
      func put(_ isShown: Bool) async throws -> String? {
        let request = MatchingAPI.PutConversationSettings(body: ConversationSettings(showPresence: isShown))
        return try await code { _ = try await ada.client.send(request) }
      }
      for number in 1...20 { #expect(try await put(number % 2 == 0) == nil) }
      #expect(try await put(false) == "too-many-requests")
      // A request that changes nothing is not counted.
      #expect(try await put(true) == nil)
      #expect(try await host.events(TopicAccessEnded.self).count == 10)
    }
  }

  @Test func atMostAHundredUsers() async throws {
    try await ConversationHost.run { host async throws in
      let ada = try await host.user("ada")
      let ids = (0..<101).map { _ in host.test.ids.make(UserID.self) }
      #expect(
        try await ada.client.send(MatchingAPI.GetPresence(users: UserList(Array(ids.prefix(100))))).items.count == 100)
      let many = MatchingAPI.GetPresence(users: UserList(ids))
      #expect(try await code { _ = try await ada.client.send(many) } == "invalid-request")
    }
  }

  @Test func onlyParticipantsCanType() async throws {
    try await ConversationHost.run { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let typing = MatchingAPI.SendTyping(id: try await host.talk(users[0], users[1]))
      for user in users.prefix(2) { #expect(try await code { _ = try await user.client.send(typing) } == nil) }
      #expect(try await code { _ = try await users[2].client.send(typing) } == "conversation-not-found")
    }
  }

  @Test func changesOfActivityAreFoundOnce() {
    let time = ManualTime()
    let activity = UserActivity(time: time.source)
    let (ada, bob): (UserID, UserID) = (IDGenerator().make(), IDGenerator().make())
    activity.record(ada)
    activity.record(bob)
    #expect(Set(activity.changes().active) == [ada, bob])
    activity.record(ada)
    let unchanged = activity.changes()
    #expect(unchanged.active.isEmpty)
    #expect(unchanged.inactive.isEmpty)
    time.advance(seconds: 40)
    activity.record(ada)
    time.advance(seconds: 20)
    #expect(activity.changes().inactive == [bob])
    #expect(activity.isActive(ada))
    time.advance(seconds: 40)
    #expect(activity.changes().inactive == [ada])
    activity.record(bob)
    #expect(activity.changes().active == [bob])
  }

  /// Memory is bounded, whoever calls.
  @Test func activityIsForgottenBeyondABound() {
    let time = ManualTime()
    let activity = UserActivity(time: time.source)
    let ids = IDGenerator()
    let first: UserID = ids.make()
    activity.record(first)
    for _ in 0..<(2 * UserActivity.generationSize) { activity.record(ids.make()) }
    #expect(activity.status(of: first) == .away)
  }
}
