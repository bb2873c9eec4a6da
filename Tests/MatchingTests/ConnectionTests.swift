import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MatchingService

/// Connections: requests with notes, answers, mutual connections.
@Suite(.serialized)
struct ConnectionTests {
  @Test(arguments: TestDatabase.allCases)
  func aRequestIsAccepted(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      let request = try await host.ask(ada, bob, note: "We met in London. 🎼")
      #expect(request.status == .outgoing)
      #expect(request.user?.displayName == "Test bob")
      let incoming = try await host.connections(of: bob, .incoming)
      #expect(incoming.map(\.id) == [request.id])
      #expect(incoming.first?.user?.username == "ada")
      #expect(incoming.first?.note?.rawValue == "We met in London. 🎼")
      #expect(try await host.connections(of: ada, .outgoing).map(\.userID) == [bob.id])
      #expect(try await host.connections(of: ada).isEmpty)
      #expect(try await host.relationship(ada, to: bob.id).connection == .requested)
      #expect(try await host.relationship(bob, to: ada.id).connection == .incoming)
      #expect(try await host.relationship(bob, to: ada.id).connectionID == request.id)

      host.test.time.advance(seconds: 60)
      let accepted = try await bob.client.send(MatchingAPI.AcceptConnection(id: request.id))
      #expect(accepted.status == .accepted)
      #expect(accepted.user?.username == "ada")
      #expect(accepted.since == host.test.time.source.now())
      #expect(try await bob.client.send(MatchingAPI.AcceptConnection(id: request.id)) == accepted)
      for (user, other) in [(ada, bob), (bob, ada)] {
        let list = try await host.connections(of: user)
        #expect(list.map(\.id) == [request.id])
        #expect(list.map(\.userID) == [other.id])
        #expect(try await host.relationship(user, to: other.id).connection == .connected)
        #expect(try await host.relationship(user, to: other.id).connectionID == request.id)
        for status in [ConnectionStatus.incoming, .outgoing] {
          #expect(try await host.connections(of: user, status).isEmpty)
        }
      }

      let realtime = try await host.events(RealtimeEvent.self)
      #expect(realtime.map(\.name) == ["connection.requested", "connection.accepted"])
      #expect(realtime.map(\.userID) == [bob.id, ada.id])
      #expect(realtime.map { $0.data["user"]?.string } == [ada.id.rawValue, bob.id.rawValue])
      #expect(try await host.events(PushRequested.self).map(\.userID) == [bob.id, ada.id])
      let changes = try await host.events(ConnectionChanged.self)
      #expect(changes.map(\.isConnected) == [true])
      #expect(Set(changes.flatMap { [$0.first, $0.second] }) == [ada.id, bob.id])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func notesAreStoredEncrypted(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      try await host.ask(users[0], users[1], note: "A private word")
      let stored = try await host.database.read { db in
        try db.values("SELECT note FROM connection_requests", as: String.self)
          + db.values("SELECT data FROM outbox", as: String.self)
      }
      #expect(stored.first?.hasPrefix("v1.") == true)
      #expect(!stored.contains { $0.contains("private") })
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func crossingRequestsConnect(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let pairs = try await concurrently(0..<6) { number in
        Pair(one: try await host.user("one\(number)"), other: try await host.user("other\(number)"))
      }
      // Both ask at the same time, twice.
      _ = try await concurrently(pairs.flatMap { [$0, $0.turned, $0, $0.turned] }) { pair in
        try await problem { _ = try await retryingUnavailable { try await host.ask(pair.one, pair.other) } }
      }
      for pair in pairs {
        let lists = (try await host.connections(of: pair.one), try await host.connections(of: pair.other))
        #expect(lists.0.map(\.userID) == [pair.other.id])
        #expect(lists.1.map(\.userID) == [pair.one.id])
        #expect(lists.0.map(\.id) == lists.1.map(\.id))
      }
      #expect(try await host.relationRows() == 12)
      #expect(try await host.events(ConnectionChanged.self).count == 6)
      #expect(try await host.events(RealtimeEvent.self).count { $0.name == "connection.accepted" } == 6)
      #expect(try await host.events(RealtimeEvent.self).count { $0.name == "connection.requested" } == 6)
    }
  }

  private struct Pair: Sendable {
    var one: TestUser
    var other: TestUser
    var turned: Pair { Pair(one: other, other: one) }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeclinedRequestJustEnds(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let (ada, bob) = (users[0], users[1])
      let request = try await host.ask(ada, bob)
      // Only the recipient answers.
      let accept = MatchingAPI.AcceptConnection(id: request.id)
      #expect(try await problem { _ = try await ada.client.send(accept) }?.status == 403)
      let decline = MatchingAPI.DeclineConnection(id: request.id)
      #expect(try await problem { _ = try await ada.client.send(decline) }?.status == 403)
      _ = try await bob.client.send(MatchingAPI.DeclineConnection(id: request.id))
      #expect(try await host.relationRows() == 0)
      #expect(try await host.events(RealtimeEvent.self).map(\.name) == ["connection.requested"])
      #expect(try await host.events(ConnectionChanged.self).isEmpty)
      #expect(try await host.relationship(ada, to: bob.id).connection == .none)
      let again = try await problem { _ = try await bob.client.send(MatchingAPI.DeclineConnection(id: request.id)) }
      #expect(again?.code == "connection-not-found")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func requestsAreNotRepeatedWithoutEnd(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, bob, eve) = (users[0], users[1], users[2])
      for _ in 0..<3 {
        let request = try await host.ask(ada, bob)
        // Asking again while the request is open changes nothing and does not count.
        #expect(try await host.ask(ada, bob, note: "Hello?") == request)
        _ = try await bob.client.send(MatchingAPI.DeclineConnection(id: request.id))
      }
      let refused = try await problem { try await host.ask(ada, bob) }
      #expect(refused?.status == 429)
      #expect((refused?.retryAfter ?? 0) > 0)
      // Other users can be asked, and the other user can ask.
      try await host.ask(ada, eve)
      try await host.ask(bob, ada)
      #expect(try await host.events(PushRequested.self).count == 5)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func connectionsAreRemovedByEither(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let (ada, bob, eve) = (users[0], users[1], users[2])
      let presence = [UserTopic.presence.of(ada.id)]
      for remover in [ada, bob] {
        let connection = try await host.connect(ada, bob)
        #expect(try await host.topics(presence, allowedTo: bob.id) == Set(presence))
        let foreign = try await problem {
          _ = try await eve.client.send(MatchingAPI.RemoveConnection(id: connection.id))
        }
        #expect(foreign?.code == "connection-not-found")
        _ = try await remover.client.send(MatchingAPI.RemoveConnection(id: connection.id))
        #expect(try await host.relationRows() == 0)
        #expect(try await host.topics(presence, allowedTo: bob.id).isEmpty)
      }
      #expect(try await host.events(ConnectionChanged.self).map(\.isConnected) == [true, false, true, false])
      let ended = try await host.events(TopicAccessEnded.self)
      #expect(ended.count { $0.user == bob.id && $0.topics == presence } == 2)
      // A request is withdrawn in the same way.
      let request = try await host.ask(ada, eve)
      _ = try await ada.client.send(MatchingAPI.RemoveConnection(id: request.id))
      #expect(try await host.connections(of: eve, .incoming).isEmpty)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func connectionsAreListedNewestFirst(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let others = try await concurrently(0..<5) { number in try await host.user("user\(number)") }
      // Accepted in another order than asked; the last two at the same time.
      for other in others { try await host.ask(other, ada) }
      let requests = try await host.connections(of: ada, .incoming)
      for (index, choice) in [2, 0, 4, 1, 3].enumerated() {
        _ = try await ada.client.send(MatchingAPI.AcceptConnection(id: requests[choice].id))
        if index < 3 { host.test.time.advance(seconds: 1) }
      }
      let two = PageSize(checked: 2)
      let all = try await allItems { cursor in
        let page = try await ada.client.send(MatchingAPI.ListConnections(limit: two, cursor: cursor))
        return (page.items, page.nextCursor)
      }
      #expect(all.dropFirst(2).map(\.id) == [4, 0, 2].map { requests[$0].id })
      #expect(Set(all.prefix(2).map(\.id)) == Set([1, 3].map { requests[$0].id }))
      #expect(all.allSatisfy { $0.user?.displayName.hasPrefix("Test user") == true })
      for cursor in ["", "_", "1_2", "x_\(requests[0].id)"] {
        let refused = try await problem { _ = try await ada.client.send(MatchingAPI.ListConnections(cursor: cursor)) }
        #expect(refused?.errors?.map(\.location) == ["query.cursor"], "\(cursor)")
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func mutualConnectionsAreListedAndCounted(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "one", "two", "three", "four")
      let (ada, bob) = (users[0], users[1])
      let mutual = Array(users[2...4])
      for user in mutual {
        try await host.connect(ada, user)
        try await host.connect(bob, user)
      }
      try await host.connect(ada, users[5])
      try await host.connect(ada, bob)
      let two = PageSize(checked: 2)
      var counts: [Int] = []
      let all = try await allItems { cursor in
        let page = try await ada.client.send(
          MatchingAPI.ListMutualConnections(userID: bob.id, limit: two, cursor: cursor))
        counts.append(page.count)
        return (page.items, page.nextCursor)
      }
      #expect(all.map(\.userID) == mutual.map(\.id).sorted { $0.rawValue < $1.rawValue })
      #expect(counts == [3, 3])
      #expect(all.compactMap { $0.user?.username }.sorted() == ["one", "three", "two"])
      #expect(try await host.relationship(bob, to: ada.id).mutualConnections == 3)
      let none = try await ada.client.send(MatchingAPI.ListMutualConnections(userID: host.test.ids.make()))
      #expect(none == RelatedUsers(items: [], count: 0))
      let own = try await problem { _ = try await ada.client.send(MatchingAPI.ListMutualConnections(userID: ada.id)) }
      #expect(own?.status == 422)
    }
  }

  @Test func whoMayNotAskIsRefused() async throws {
    try await RelationHost.run { host async throws in
      let ada = try await host.user("ada")
      let guest = try await host.guest()
      let asked = try await host.ask(ada, guest)
      #expect(try await problem { try await host.ask(guest, ada) }?.status == 403)
      let accept = MatchingAPI.AcceptConnection(id: asked.id)
      #expect(try await problem { _ = try await guest.client.send(accept) }?.status == 403)
      #expect(try await problem { try await host.ask(ada, ada) }?.errors?.map(\.location) == ["body.userID"])
      let unknown = MatchingAPI.RequestConnection(userID: host.test.ids.make())
      #expect(try await problem { _ = try await ada.client.send(unknown) }?.code == "user-not-found")
      for note in ["", "   ", "a\u{1}b", String(repeating: "🎼", count: 501)] {
        let body = JSONValue.object([("userID", .string(guest.id.rawValue)), ("note", .string(note))])
        let text = String(decoding: try WireJSON.encode(body), as: UTF8.self)
        let refused = try await host.test.send(.post, "/v1/connections", text, by: ada)
        #expect(refused.status == 422)
        #expect(try refused.problem?.errors?.map(\.location) == ["body.note"])
      }
      let absent = host.test.ids.make() as ConnectionID
      #expect(
        try await problem { _ = try await ada.client.send(MatchingAPI.AcceptConnection(id: absent)) }?.code
          == "connection-not-found"
      )
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeletedUserVanishes(_ database: TestDatabase) async throws {
    try await RelationHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve", "zoe")
      let (ada, bob, eve, zoe) = (users[0], users[1], users[2], users[3])
      try await host.connect(ada, bob)
      try await host.connect(ada, eve)
      try await host.connect(bob, eve)
      try await host.ask(ada, zoe, note: "From Ada")
      let own = try await host.export("connections", of: ada.id)
      #expect(Set(own?.elements.compactMap { $0["userID"]?.string } ?? []) == Set(users.dropFirst().map(\.id.rawValue)))
      #expect(own?.elements.last?["note"]?.string == "From Ada")

      try await host.deliver(UserDeleted(userID: ada.id))
      #expect(try await host.connections(of: bob).map(\.userID) == [eve.id])
      #expect(try await host.connections(of: zoe, .incoming).isEmpty)
      #expect(try await host.export("connections", of: ada.id)?.elements.isEmpty == true)
      #expect(try await host.relationship(zoe, to: ada.id) == Relationship(userID: ada.id, isMatched: false))
      #expect(try await host.events(ConnectionChanged.self).suffix(2).map(\.isConnected) == [false, false])
      #expect(try await host.relationRows() == 2)
    }
  }
}
