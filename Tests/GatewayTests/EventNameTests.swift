import Contracts
import ServiceKit
import TestKit
import Testing

@testable import GatewayService

/// In whose name events reach users.
@Suite(.serialized)
struct EventNameTests {
  /// The attack of a service that is in somebody else's hands: events to users in the name of another one.
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
      // Its own names, and those of nobody.
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
}
