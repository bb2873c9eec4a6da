import AuthService
import Contracts
import GatewayService
import MatchingService
import Persistence
import TestKit
import Testing

/// The events that the streams of participants receive, through matching, its relay and the gateway.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct ConversationStreamTests {
  private struct Pair {
    let (host, web): (ConversationHost, TestPlatform.Web)
    let (ada, bob): (TestUser, TestUser)
    let id: ConversationID
    /// Both follow the conversation, bob also ada's presence.
    let (adas, bobs): (EventLines, EventLines)
  }

  private static func run(_ database: TestDatabase, _ body: (Pair) async throws -> Void) async throws {
    try await TestPlatform.listen(
      [GatewayPlugin.self, AuthPlugin.self, MatchingPlugin.self], settings: ConversationHost.unlimited,
      database: database
    ) { test, web async throws in
      let host = ConversationHost(test: test)
      let ada = TestUser(try await test.client.signUp("ada"), test.client)
      let bob = TestUser(try await test.client.signUp("bob"), test.client)
      let id = try await host.talk(ada, bob)
      let topic = Topic("conversation", id.rawValue)
      let adas = try await EventLines([topic], of: ada, at: web)
      let bobs = try await EventLines([topic, UserTopic.presence.of(ada.id)], of: bob, at: web)
      // From its first new event on, a stream receives also what is not stored.
      try await host.send("Hello", ada, id)
      for stream in [adas, bobs] { _ = try await stream.next("message.sent") }
      try await body(Pair(host: host, web: web, ada: ada, bob: bob, id: id, adas: adas, bobs: bobs))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func typingReachesTheOtherAndIsNotStored(_ database: TestDatabase) async throws {
    try await Self.run(database) { pair async throws in
      func typing(_ user: TestUser) -> JSONValue {
        ["conversation": .string(pair.id.rawValue), "user": .string(user.id.rawValue)]
      }
      func received(_ stream: EventLines) async throws -> JSONValue {
        try WireJSON.decode(JSONValue.self, from: try await stream.next("conversation.typing").data.utf8)
      }
      _ = try await pair.ada.client.send(MatchingAPI.SendTyping(id: pair.id))
      #expect(try await received(pair.bobs) == typing(pair.ada))
      // The first that ada receives is of bob, not her own.
      _ = try await pair.bob.client.send(MatchingAPI.SendTyping(id: pair.id))
      #expect(try await received(pair.adas) == typing(pair.bob))

      // Whatever had been recorded would be in the log before a later message of the conversation.
      try await pair.host.send("Done", pair.ada, pair.id)
      _ = try await pair.bobs.next("message.sent")
      let logged = try await pair.host.test.database(of: GatewayAPI.self).read { db in
        try db.values("SELECT name FROM realtime_log", as: String.self)
      }
      #expect(logged.contains("message.sent"))
      #expect(!logged.contains("conversation.typing"))
      #expect(try await pair.host.count("SELECT COUNT(*) FROM outbox WHERE data LIKE '%typing%'") == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aBlockTakesTheTopicsFromOpenStreams(_ database: TestDatabase) async throws {
    try await Self.run(database) { pair async throws in
      _ = try await pair.ada.client.send(MatchingAPI.BlockUser(userID: pair.bob.id))
      var left = [Topic("conversation", pair.id.rawValue), UserTopic.presence.of(pair.ada.id)]
      while !left.isEmpty {
        let now = try await pair.bobs.topics()
        #expect(now.topics.allSatisfy { left.contains($0) })
        #expect(now.topics.count < left.count)
        #expect(Set(now.refused.map(\.topic)) == Set(left).subtracting(now.topics))
        left = now.topics
      }
      #expect(try await pair.adas.topics().topics.isEmpty)
    }
  }
}
