import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

/// The events of listings and their comments for streams.
@Suite(.serialized)
struct ListingTopicTests {
  private static func events(_ host: TestPlatform) async throws -> [TopicEvent] {
    try await host.recorded(TopicEvent.self, by: CatalogAPI.self)
  }

  @Test(arguments: TestDatabase.allCases)
  func changesOfAListingAreReported(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let ada = try await host.user("ada")
      let listing = try await host.listing(of: ada)
      _ = try await ada.client.send(CatalogAPI.UpdateListing(id: listing.id, name: ShortText(validating: "Secret")))
      let events = try await Self.events(host)
      #expect(events.map(\.name) == ["listing.changed"])
      #expect(events.first?.topic == Topic("listing", listing.id.rawValue))
      #expect(events.first?.data["version"] == .integer(2))
      #expect(String(decoding: try WireJSON.encode(events), as: UTF8.self).contains("Secret") == false)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeletedListingIsFollowedNoLonger(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let ada = try await host.user("ada")
      let listing = try await host.listing(of: ada)
      let topic = Topic("listing", listing.id.rawValue)
      let gateway = host.platform.client(of: CatalogAPI.self, as: GatewayAPI.name)
      let question = TopicsAPI.Authorize(user: ada.id, roles: [.user], topics: [topic, Topic("listing", "x")])
      #expect(try await gateway.send(question).topics == [topic])
      _ = try await ada.client.send(CatalogAPI.DeleteListing(id: listing.id))
      #expect(try await gateway.send(question).topics == [])
      #expect(try await Self.events(host).last?.data["isDeleted"] == .bool(true))
      let ended = try await host.recorded(TopicAccessEnded.self, by: CatalogAPI.self)
      #expect(ended.map(\.topics) == [[topic]])
      #expect(ended.map(\.user) == [nil])
    }
  }

  @Test func salesOfAListingAreReported() async throws {
    try await TestPlatform.catalog { host async throws in
      let listing = try await host.listing(of: host.user("ada"))
      let change = ListingSaleChanged(listingID: listing.id, isPurchased: false, isOpenForBids: true)
      try await host.deliver(change, from: OrdersAPI.self)
      let event = try #require(try await Self.events(host).last)
      #expect(event.name == "listing.changed")
      #expect(event.data["isOpenForBids"] == .bool(true))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func commentsAreReportedWithoutTheirTexts(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let listing = try await host.listing(of: ada)
      let text = try CommentText(validating: "Between us")
      let comment = try await bob.client.send(CatalogAPI.CommentOnListing(id: listing.id, text: text))
      let reply = try await ada.client.send(CatalogAPI.ReplyToComment(id: comment.id, text: text))
      _ = try await bob.client.send(CatalogAPI.UpdateComment(id: comment.id, text: text))
      _ = try await bob.client.send(CatalogAPI.DeleteComment(id: comment.id))
      let events = try await Self.events(host)
      #expect(events.map(\.name) == ["comment.added", "comment.added", "comment.changed", "comment.deleted"])
      let ids = [comment.id, reply.id, comment.id, comment.id].map { JSONValue.string($0.rawValue) }
      #expect(events.map { $0.data["comment"] } == ids)
      #expect(events[1].data["parent"] == .string(comment.id.rawValue))
      let stored = String(decoding: try WireJSON.encode(events), as: UTF8.self)
      #expect(!stored.contains("Between us"))
      #expect(!stored.contains(bob.id.rawValue))
    }
  }
}
