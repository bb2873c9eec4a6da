import Contracts
import ServiceKit
import TestKit
import Testing

@testable import MatchingService

/// The answers of matching to other services about users.
@Suite(.serialized)
struct UserRelationTests {
  @Test(arguments: TestDatabase.allCases)
  func otherServicesPublishOnlyOnTheTopicsThatAreTheirs(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      for sender in [StudyAPI.self, CatalogAPI.self] as [any ServiceAPI.Type] {
        for topic in [UserTopic.progress, .presence, .videos, .streams] {
          for name in ["made.up", "session.ended", "message.sent"] {
            try await host.test.deliver(
              UserTopicEvent(ada.id, topic, name, [:]), from: sender, to: MatchingAPI.self)
          }
        }
        try await host.test.deliver(
          UserTopicEvent(ada.id, .progress, "exercise.shared", [:]), from: sender, to: MatchingAPI.self)
      }
      let sent = try await host.test.recorded(TopicEvent.self, by: MatchingAPI.self)
        .filter { $0.topic.kind == UserTopic.kind[...] }
      #expect(sent.map(\.topic) == Array(repeating: UserTopic.progress.of(ada.id), count: 3))
      // None in the name of another service: the exercises are catalog's.
      #expect(sent.map(\.name) == ["made.up", "made.up", "exercise.shared"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func servicesAskWhoFollowsAndBlocksWhom(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve", "dan", "max")
      let (ada, bob, eve, dan, max) = (users[0], users[1], users[2], users[3], users[4])
      _ = try await host.connect(max, ada)
      try await host.follow(ada, bob)
      try await host.follow(eve, ada)
      try await host.follow(ada, dan)
      try await host.block(dan, ada)
      let study = host.test.platform.client(of: MatchingAPI.self, as: StudyAPI.name)
      let request = MatchingAPI.CheckRelations(user: ada.id, others: UserList([bob.id, eve.id, dan.id, max.id]))
      func relation(
        _ user: TestUser, isFollowing: Bool = false, isFollowedBy: Bool = false, isBlocked: Bool = false,
        isConnected: Bool = false
      ) -> UserRelation {
        UserRelation(
          userID: user.id, isFollowing: isFollowing, isFollowedBy: isFollowedBy, isBlocked: isBlocked,
          isConnected: isConnected)
      }
      let expected = [
        relation(bob, isFollowing: true), relation(eve, isFollowedBy: true), relation(dan, isBlocked: true),
        relation(max, isConnected: true),
      ]
      #expect(try await study.send(request).items == expected)
      #expect(try await problem { _ = try await ada.client.send(request) }?.code == "not-found")
    }
  }
}
