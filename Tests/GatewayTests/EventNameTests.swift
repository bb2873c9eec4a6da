import Contracts
import Logging
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import GatewayService

/// In whose name events reach users.
@Suite(.serialized)
struct EventNameTests {
  /// The attack of a compromised service: events to users in the name of another one.
  @Test func servicesSendEventsOfTheirOwnNamesOnly() async throws {
    try await TestPlatform.rooms { test, _ in
      let user: UserID = test.ids.make()
      var codes: [String?] = []
      for name in ["session.ended", "account.changed", "order.paid", "message.sent", "session"] {
        codes.append(
          try await problem { try await test.events.send(RealtimeEvent(to: user, name), as: "rooms") }?.code)
        let copied = TopicEvent(Topic("room", "n0"), name, [:], alsoTo: [user])
        codes.append(try await problem { try await test.events.send(copied, as: "rooms") }?.code)
      }
      // Auth has no orders; auctions are here topics of rooms.
      for name in ["order.paid", "auction.outbid"] {
        codes.append(try await problem { try await test.events.send(RealtimeEvent(to: user, name), as: "auth") }?.code)
      }
      #expect(codes == Array(repeating: "forbidden", count: 12))
      #expect(try await test.log(of: .user(user)).isEmpty)
      // Its own names, and names that no service has.
      for name in ["room.painted", "auction.outbid", "painted"] {
        try await test.events.send(RealtimeEvent(to: user, name), as: "rooms")
      }
      try await test.events.send(RealtimeEvent(to: user, "account.changed"), as: "auth")
      #expect(
        try await test.log(of: .user(user)).map(\.name) == [
          "room.painted", "auction.outbid", "painted", "account.changed",
        ])
    }
  }

  /// The attack on those who follow a topic: what only auth, or the gateway itself, sends to apps.
  @Test func topicsAndSignalsHaveNamesOfTheirServiceOnly() async throws {
    try await TestPlatform.rooms { test, _ in
      let (topic, user) = (Topic("room", "n0"), test.ids.make(UserID.self))
      let rooms = test.platform.client(of: GatewayAPI.self, as: "rooms")
      var codes: [String?] = []
      for name in ["session.ended", "account.changed", "workout.shared", "topics", "resync", "access"] {
        codes.append(
          try await problem { try await test.events.send(TopicEvent(topic, name, [:]), as: "rooms") }?.code)
        codes.append(
          try await problem { _ = try await rooms.send(SignalsAPI.Send(topic, name, [:], from: user)) }?.code)
        codes.append(
          try await problem { try await test.events.send(RealtimeEvent(to: user, name), as: "rooms") }?.code)
      }
      #expect(codes == Array(repeating: "forbidden", count: 18))
      let database = try test.database(of: GatewayAPI.self)
      func stored() async throws -> Int {
        try await database.read { db in try db.count("SELECT COUNT(*) FROM realtime_log") }
      }
      #expect(try await stored() == 0)
      try await test.events.send(TopicEvent(topic, "room.painted", [:]), as: "rooms")
      _ = try await rooms.send(SignalsAPI.Send(topic, "room.waving", [:], from: user))
      #expect(try await stored() == 1)
    }
  }

  private struct NoOwners: TopicOwners {
    let isIncomplete = false
    func service(ofTopic kind: Substring) -> String? { nil }
  }

  /// No service is asked.
  private struct NoTransport: Transport {
    func send(_ request: WireRequest, headers: [(name: String, value: String)]) async throws(CallError) -> WireResponse
    {
      throw .notSent("no service")
    }
  }

  /// Matching passes on what other services publish on the topics of users, and nothing else of theirs.
  @Test func matchingPassesOnWhatOthersPublish() throws {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let access = TopicAccess(owners: NoOwners(), time: .system, logger: logger) { _ in
      APIClient(transport: NoTransport())
    }
    let topic = UserTopic.progress.of(IDGenerator().make())
    for name in ["workout.shared", "exercise.shared", "livestream.started", "presence.changed"] {
      try access.requireName(name, of: MatchingAPI.name, on: topic)
    }
    for name in ["session.ended", "order.paid", "access"] {
      #expect(throws: Problem.self, "\(name)") { try access.requireName(name, of: MatchingAPI.name, on: topic) }
    }
    #expect(throws: Problem.self) { try access.requireName("workout.shared", of: MatchingAPI.name) }
    #expect(throws: Problem.self) {
      try access.requireName("workout.shared", of: MatchingAPI.name, on: Topic("conversation", "x"))
    }
    #expect(throws: Problem.self) { try access.requireName("workout.shared", of: CatalogAPI.name, on: topic) }
  }
}
