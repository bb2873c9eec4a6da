import Contracts
import ServiceKit
import TestKit
import Testing

@testable import GatewayService

/// Streams keep to the scopes of the app that opened them.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct StreamScopeTests {
  /// A fitness app does not hear about auctions or messages of its user, neither now nor when it resumes.
  @Test func aStreamHearsOnlyWhatItsAppIsFor() async throws {
    try await TestPlatform.rooms { test, web in
      let id: UserID = test.ids.make()
      let music = try await test.person(app: .archived, id: id)
      let fitness = try await test.person(app: .keepfit, id: id)
      let auction = Topic("auction", "n1")
      let (hearing, followed) = try await web.reader(music).follow([auction])
      #expect(followed.topics == [auction])
      let (deaf, refused) = try await web.reader(fitness).follow([auction])
      #expect(refused.topics.isEmpty)
      #expect(refused.refused == [RefusedTopic(auction, .notAllowed)])

      try await test.events.send(TopicEvent(auction, "auction.changed", [:], alsoTo: [id]))
      try await test.events.send(RealtimeEvent(to: id, "conversation.changed"))
      try await test.events.send(RealtimeEvent(to: id, "account.changed"))
      #expect(
        try await hearing.events(until: "account.changed").map(\.name) == [
          "auction.changed", "conversation.changed", "account.changed",
        ])
      #expect(try await deaf.events(until: "account.changed").map(\.name) == ["account.changed"])
      let (again, _) = try await web.reader(fitness).follow([auction], lastSeen: 0)
      #expect(try await again.events(until: "account.changed").map(\.name) == ["account.changed"])
    }
  }

  /// Known rights of a user do not apply to all their apps; when the gateway asks again, each stream is asked for by
  /// the scopes of its own token.
  @Test func theAppsOfAUserHaveRightsOfTheirOwn() async throws {
    try await TestPlatform.rooms { test, web in
      let id: UserID = test.ids.make()
      let auction = Topic("auction", "n1")
      let (hearing, first) = try await web.reader(try await test.person(app: .archived, id: id)).follow([auction])
      #expect(first.topics == [auction])
      let fitness = try await test.person(app: .keepfit, id: id)
      let square = Topic("square", "n1")
      let (other, opened) = try await web.reader(fitness).follow([square])
      #expect(opened.topics == [square])
      let answer = try await fitness.client.send(
        GatewayAPI.FollowTopics(stream: opened.stream, topics: [auction, square]))
      #expect(answer.topics == [square])
      #expect(answer.refused == [RefusedTopic(auction, .notAllowed)])

      let realtime = try test.realtime
      // Both in the same turn.
      let streams = (0..<StreamHub.turnCount).flatMap { realtime.hub.followers(inTurn: $0) }
      #expect(streams.count == 2)
      await realtime.access.review(streams, in: realtime.hub)
      try await test.events.send(TopicEvent(auction, "auction.changed", [:]))
      try await test.events.send(TopicEvent(square, "changed", [:]))
      try await test.events.send(RealtimeEvent(to: id, "mark"))
      #expect(try await hearing.events(until: "mark").map(\.name) == ["auction.changed", "mark"])
      // Its first event is the change of its topics.
      #expect(try await other.events(until: "mark").map(\.name) == ["topics", "changed", "mark"])
    }
  }
}
