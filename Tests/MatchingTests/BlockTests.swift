import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MatchingService

/// Blocks: they end everything, restore nothing, and are not shown to whom they concern.
@Suite(.serialized)
struct BlockTests {
  @Test(arguments: TestDatabase.allCases)
  func aBlockEndsEverything(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, bob, eve) = (users[0], users[1], users[2])
      try await host.connect(ada, bob)
      try await host.connect(ada, eve)
      try await host.follow(ada, bob)
      try await host.follow(bob, ada)
      try await host.follow(eve, ada)
      try await host.block(ada, bob)

      #expect(try await host.connections(of: ada).map(\.userID) == [eve.id])
      #expect(try await host.connections(of: bob).isEmpty)
      let (toBob, toAda) = (
        try await host.relationship(ada, to: bob.id), try await host.relationship(bob, to: ada.id)
      )
      #expect(toBob == Relationship(userID: bob.id, isBlocked: true, isMatched: false))
      #expect(toAda == Relationship(userID: ada.id, isMatched: false))
      #expect(try await host.topics(UserTopic.all(of: ada.id), allowedTo: bob.id).isEmpty)
      #expect(try await host.topics(UserTopic.all(of: bob.id), allowedTo: ada.id).isEmpty)

      let changes = try await host.events(ConnectionChanged.self).filter { [$0.first, $0.second].contains(bob.id) }
      #expect(changes.map(\.isConnected) == [true, false])
      let blocks = try await host.events(BlockChanged.self)
      #expect(blocks.map(\.blocker) == [ada.id])
      #expect(blocks.map(\.blocked) == [bob.id])
      #expect(blocks.map(\.isBlocked) == [true])
      let ended = try await host.events(TopicAccessEnded.self)
      #expect(Set(ended.first { $0.user == bob.id }?.topics ?? []) == Set(UserTopic.all(of: ada.id)))
      #expect(Set(ended.first { $0.user == ada.id }?.topics ?? []) == Set(UserTopic.all(of: bob.id)))
      // Relations of others with the two stay.
      #expect(try await host.topics(UserTopic.all(of: ada.id), allowedTo: eve.id).count == 4)

      // Again, it changes nothing.
      try await host.block(ada, bob)
      #expect(try await host.events(BlockChanged.self).count == 1)
      #expect(try await host.events(TopicAccessEnded.self).count == ended.count)
    }
  }

  @Test(arguments: [true, false])
  func aBlockEndsRequests(isRequesterBlocker: Bool) async throws {
    try await RelationHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let request = try await host.ask(users[0], users[1])
      try await host.block(users[isRequesterBlocker ? 0 : 1], users[isRequesterBlocker ? 1 : 0])
      #expect(try await host.connections(of: users[0], .outgoing).isEmpty)
      #expect(try await host.connections(of: users[1], .incoming).isEmpty)
      let late = try await problem { _ = try await users[1].client.send(MatchingAPI.AcceptConnection(id: request.id)) }
      #expect(late?.code == "connection-not-found")
    }
  }

  /// Every answer about someone who has blocked the caller is the answer about an unknown user.
  @Test(arguments: TestDatabase.allCases)
  func nothingRevealsTheBlock(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, bob, eve) = (users[0], users[1], users[2])
      for other in [ada, bob] { try await host.connect(eve, other) }
      for (one, other) in [(eve, ada), (ada, eve), (bob, ada), (ada, bob), (bob, eve)] {
        try await host.follow(one, other)
      }
      let connection = try await host.connect(ada, bob)
      try await host.block(ada, bob)
      let unknown: UserID = host.test.ids.make()

      func answer(_ method: Contracts.Operation.Method, _ path: String, _ body: String? = nil, about user: UserID)
        async throws -> PlainAnswer
      {
        let response = try await host.test.send(
          method, path.replacing("ID", with: user.rawValue), body?.replacing("ID", with: user.rawValue), by: bob)
        var answer = try PlainAnswer(response)
        answer.body = answer.body.replacing(user.rawValue, with: "ID")
        return answer
      }
      let requests: [(Contracts.Operation.Method, String, String?)] = [
        (.get, "/v1/relations/ID", nil), (.get, "/v1/relations?users=ID", nil),
        (.get, "/v1/follows?followers=ID", nil), (.get, "/v1/follows?following=ID", nil),
        (.get, "/v1/connections/mutual/ID", nil), (.post, "/v1/connections", #"{"userID":"ID"}"#),
        (.post, "/v1/connections", #"{"userID":"ID","note":"Please"}"#), (.put, "/v1/follows/ID", nil),
        (.delete, "/v1/follows/ID", nil), (.delete, "/v1/blocks/ID", nil),
      ]
      for (method, path, body) in requests {
        let known = try await answer(method, path, body, about: ada.id)
        #expect(try await answer(method, path, body, about: unknown) == known, "\(method) \(path)")
      }
      let gone = try await problem { _ = try await bob.client.send(MatchingAPI.RemoveConnection(id: connection.id)) }
      #expect(gone?.code == "connection-not-found")
      // Lists of others neither show nor count who has blocked the caller.
      let followers = try await bob.client.send(MatchingAPI.ListFollows(followers: eve.id))
      #expect(followers.items.map(\.userID) == [bob.id])
      #expect(followers.count == 1)
      #expect(try await host.relationship(bob, to: eve.id).followers == 1)
      #expect(try await host.relationship(ada, to: eve.id).followers == 1)
      #expect(try await host.relationship(eve, to: eve.id).followers == 2)

      // Blocking back reveals nothing either: the caller's list has no name, as for an unknown user.
      try await host.block(bob, ada)
      _ = try await bob.client.send(MatchingAPI.BlockUser(userID: unknown))
      let blocks = try await bob.client.send(MatchingAPI.ListBlocks()).items
      #expect(blocks.map(\.userID) == [unknown, ada.id])
      #expect(blocks.map(\.user) == [nil, nil])
      #expect(try await bob.client.send(MatchingAPI.GetRelationship(userID: ada.id)).isBlocked)

      // Nothing is sent to the blocked user, who has only been asked before: by eve, and by ada.
      let realtime = try await host.events(RealtimeEvent.self).filter { $0.userID == bob.id }.map(\.name)
      #expect(realtime == ["connection.requested", "connection.requested"])
      let export = try await host.export("blocks", of: ada.id)
      #expect(export?.elements.map { $0["userID"]?.string } == [bob.id.rawValue])
    }
  }

  /// A caller who has used up the attempts is refused in the same way, whomever the request is about.
  @Test func limitsDoNotRevealTheBlock() async throws {
    try await RelationHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      try await host.block(ada, bob)
      let unknown: UserID = host.test.ids.make()
      let keys = host.test.platform.dataKeys
      try await host.database.write { tx in
        for (limit, purpose) in [(Connections.limit, "connection"), (Follows.limit, "follow")] {
          let attempts = StoredLimit(limit, of: bob.id.rawValue, for: purpose, keys)
          for _ in 0..<limit.count { _ = try attempts.take(in: tx) }
        }
      }
      for id in [ada.id, unknown] {
        let ask = MatchingAPI.RequestConnection(userID: id)
        #expect(try await problem { _ = try await bob.client.send(ask) }?.status == 429)
        let follow = MatchingAPI.FollowUser(userID: id)
        #expect(try await problem { _ = try await bob.client.send(follow) }?.status == 429)
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func unblockingRestoresNothing(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      try await host.connect(ada, bob)
      try await host.follow(bob, ada)
      try await host.block(ada, bob)
      for _ in 0..<2 { _ = try await ada.client.send(MatchingAPI.UnblockUser(userID: bob.id)) }
      #expect(try await host.relationRows() == 0)
      #expect(try await host.events(BlockChanged.self).map(\.isBlocked) == [true, false])
      // They can begin again.
      try await host.connect(bob, ada)
      #expect(try await host.connections(of: ada).map(\.userID) == [bob.id])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func blocksAreListedNewestFirst(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let named = try await host.user("bob")
      let ids = [named.id] + (0..<4).map { _ in host.test.ids.make() as UserID }
      for id in ids {
        _ = try await ada.client.send(MatchingAPI.BlockUser(userID: id))
        host.test.time.advance(seconds: 1)
      }
      let two = PageSize(checked: 2)
      let all = try await allItems { cursor in
        let page = try await ada.client.send(MatchingAPI.ListBlocks(limit: two, cursor: cursor))
        return (page.items, page.nextCursor)
      }
      #expect(all.map(\.userID) == ids.reversed())
      #expect(all.last?.user?.displayName == "Test bob")
      #expect(all.dropLast().allSatisfy { $0.user == nil })
      let cursor = try await problem { _ = try await ada.client.send(MatchingAPI.ListBlocks(cursor: "x")) }
      #expect(cursor?.errors?.map(\.location) == ["query.cursor"])
      let own = try await problem { _ = try await ada.client.send(MatchingAPI.BlockUser(userID: ada.id)) }
      #expect(own?.errors?.map(\.location) == ["path.userID"])
    }
  }

  /// Whatever comes first, in the end there is a block and no connection, and both are reported in that order.
  @Test(arguments: TestDatabase.allCases)
  func blocksAndAcceptsAtTheSameTime(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let others = try await concurrently(0..<8) { number in try await host.user("user\(number)") }
      let requests = try await concurrently(others) { other in
        Request(user: other.id, id: try await host.ask(other, ada).id)
      }
      async let accepts = concurrently(requests) { request in
        let refused = try await problem {
          try await retryingUnavailable {
            _ = try await ada.client.send(MatchingAPI.AcceptConnection(id: request.id))
          }
        }
        return Accept(user: request.user, code: refused?.code)
      }
      _ = try await concurrently(others) { other in
        try await retryingUnavailable { try await host.block(ada, other) }
      }
      let answers = try await accepts
      #expect(try await host.connections(of: ada).isEmpty)
      #expect(try await ada.client.send(MatchingAPI.ListBlocks()).items.count == 8)
      #expect(try await host.relationRows() == 8)
      let changes = try await host.events(ConnectionChanged.self)
      #expect(answers.count == 8)
      for answer in answers {
        let reported = changes.filter { [$0.first, $0.second].contains(answer.user) }.map(\.isConnected)
        #expect(reported == (answer.code == nil ? [true, false] : []))
        #expect(answer.code ?? "connection-not-found" == "connection-not-found")
      }
    }
  }

  private struct Request: Sendable {
    let user: UserID
    let id: ConnectionID
  }

  private struct Accept: Sendable {
    let user: UserID
    /// `nil` when the request was accepted.
    let code: String?
  }

  @Test(arguments: TestDatabase.allCases)
  func blocksOfADeletedUserAreErased(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      try await host.block(users[0], users[1])
      try await host.block(users[1], users[0])
      try await host.deliver(UserDeleted(userID: users[0].id))
      #expect(try await host.relationRows() == 0)
      // Other services end the blocks whichever event they receive first.
      let last = try await host.events(BlockChanged.self).suffix(2)
      #expect(last.map(\.isBlocked) == [false, false])
      #expect(Set(last.map(\.blocker)) == Set(users.map(\.id)))
    }
  }
}
