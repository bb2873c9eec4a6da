import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MatchingService

/// Follows, and the realtime topics that they open.
@Suite(.serialized)
struct FollowTests {
  private static let forFollowers = [UserTopic.videos, .streams, .progress]

  @Test(arguments: TestDatabase.allCases)
  func followsAreListedAndCounted(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve", "zoe")
      let (ada, zoe) = (users[0], users[3])
      for follower in users.dropFirst() {
        for _ in 0..<2 { try await host.follow(follower, ada) }
        host.test.time.advance(seconds: 1)
      }
      try await host.follow(ada, zoe)
      let two = PageSize(checked: 2)
      var counts: [Int] = []
      let followers = try await allItems { cursor in
        let page = try await zoe.client.send(
          MatchingAPI.ListFollows(followers: ada.id, limit: two, cursor: cursor))
        counts.append(page.count)
        return (page.items, page.nextCursor)
      }
      #expect(followers.map(\.userID) == users.dropFirst().reversed().map(\.id))
      #expect(followers.map { $0.user?.username } == ["zoe", "eve", "bob"])
      #expect(counts == [3, 3])
      let following = try await users[1].client.send(MatchingAPI.ListFollows(following: ada.id))
      #expect(following.items.map(\.userID) == [zoe.id])
      #expect(following.count == 1)

      for _ in 0..<2 { _ = try await zoe.client.send(MatchingAPI.UnfollowUser(userID: ada.id)) }
      let left = try await ada.client.send(MatchingAPI.ListFollows(followers: ada.id))
      #expect(left.items.map { $0.user?.username } == ["eve", "bob"])
      #expect(left.count == 2)
      let ended = try await host.events(TopicAccessEnded.self)
      #expect(ended.map(\.user) == [zoe.id])
      #expect(ended.first?.topics == Self.forFollowers.map { $0.of(ada.id) })
    }
  }

  @Test func wrongFollowsAreRefused() async throws {
    try await RelationHost.run { host async throws in
      let ada = try await host.user("ada")
      let guest = try await host.guest()
      #expect(try await problem { try await host.follow(guest, ada) }?.status == 403)
      #expect(try await problem { try await host.follow(ada, ada) }?.errors?.map(\.location) == ["path.userID"])
      let unknown = MatchingAPI.FollowUser(userID: host.test.ids.make())
      #expect(try await problem { _ = try await ada.client.send(unknown) }?.code == "user-not-found")
      for query in ["", "?followers=\(ada.id)&following=\(ada.id)", "?followers=me", "?followers=\(ada.id)&cursor=x"] {
        #expect(try await host.test.send(.get, "/v1/follows\(query)", by: ada).status == 422, "\(query)")
      }
      #expect(try await host.test.send(.get, "/v1/follows?followers=\(ada.id)").status == 401)
    }
  }

  /// Every relation × every part of a user's topics.
  @Test(arguments: TestDatabase.allCases)
  func topicsAreForThoseWhoMayFollowThem(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let users = try await host.users("ada", "follower", "friend", "both", "stranger", "followed")
      let (ada, follower, friend, both, stranger, followed) = (
        users[0], users[1], users[2], users[3], users[4], users[5]
      )
      for user in [follower, both] { try await host.follow(user, ada) }
      for user in [friend, both] { try await host.connect(user, ada) }
      try await host.follow(ada, followed)
      let topics = UserTopic.all(of: ada.id)
      let published = Set(Self.forFollowers.map { $0.of(ada.id) })
      let expected: [(user: TestUser, topics: Set<Topic>)] = [
        (ada, Set(topics)), (follower, published), (friend, [UserTopic.presence.of(ada.id)]), (both, Set(topics)),
        (stranger, []), (followed, []),
      ]
      for (user, allowed) in expected { #expect(try await host.topics(topics, allowedTo: user.id) == allowed) }
      let wrong = [
        Topic("user", ada.id.rawValue), Topic("user", ada.id.rawValue, "secrets"), Topic("user", "me", "videos"),
        Topic("user", ada.id.rawValue.uppercased(), "videos"),
      ]
      #expect(try await host.topics(wrong, allowedTo: ada.id).isEmpty)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeletedUserVanishes(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, bob, eve) = (users[0], users[1], users[2])
      for (one, other) in [(ada, bob), (bob, ada), (eve, bob)] { try await host.follow(one, other) }
      let own = try await host.export("follows", of: ada.id)
      #expect(own?["following"]?.elements.map { $0["userID"]?.string } == [bob.id.rawValue])
      #expect(own?["followers"]?.elements.map { $0["userID"]?.string } == [bob.id.rawValue])

      try await host.deliver(UserDeleted(userID: ada.id))
      let followers = try await eve.client.send(MatchingAPI.ListFollows(followers: bob.id))
      #expect(followers.items.map(\.userID) == [eve.id])
      #expect(followers.count == 1)
      #expect(try await eve.client.send(MatchingAPI.ListFollows(following: bob.id)).count == 0)
      #expect(try await host.relationRows() == 1)
      let ended = try await host.events(TopicAccessEnded.self)
      #expect(ended.contains { $0.user == nil && Set($0.topics) == Set(UserTopic.all(of: ada.id)) })
    }
  }
}
