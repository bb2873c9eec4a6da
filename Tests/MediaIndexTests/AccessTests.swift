import BlobStorage
import Contracts
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// The callers who may load a media item: every caller, by its visibility and by what it is used in.
@Suite(.serialized)
struct AccessTests {
  /// How a media item is used.
  fileprivate enum Use: CaseIterable { case nowhere, publicly, forReaders, asPreview }

  private enum Caller: String, CaseIterable { case owner, connected, stranger, blocked, anonymous }

  /// The status of a request for the content.
  private static func status(_ caller: Caller, _ visibility: MediaVisibility, _ use: Use) -> Int {
    if caller == .owner || visibility == .everyone || use == .publicly { return 200 }
    if caller == .connected, visibility == .connections { return 200 }
    switch (use, caller) {
    case (.forReaders, .connected), (.forReaders, .stranger): return 200
    case (.asPreview, .connected), (.asPreview, .stranger): return 403
    default: return 404
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func callersLoadWhatTheyMay(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve", "max")
      let callers: [Caller: TestUser] = [
        .owner: users[0], .connected: users[1], .stranger: users[2], .blocked: users[3],
      ]
      try await host.connect(users[0], users[1])
      try await host.block(users[0], users[3])
      // Those who may read a listing may follow its topic.
      let listing = try await host.listing(of: users[0], audio: host.beat(0, by: users[0])).id
      var number: UInt64 = 1
      for visibility in MediaVisibility.allCases {
        for use in Use.allCases {
          number += 1
          let media = try await host.beat(number, by: users[0], visibility: visibility)
          try await use.report(media, in: listing, host)
          for caller in Caller.allCases {
            let response = try await host.content(media, by: callers[caller])
            let expected = Self.status(caller, visibility, use)
            #expect(response.status == expected, "\(caller) \(visibility) \(use)")
            if expected == 200 { #expect(response.body == ItemHost.wav(number), "\(caller) \(visibility) \(use)") }
          }
        }
      }
    }
  }

  @Test func aBlockHidesThePreview() async throws {
    try await ItemHost.run { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let media = try await host.beat(1, by: users[0])
      try await host.use(media, .preview, in: Topic("listing", host.test.ids.text()))
      try await host.block(users[2], users[0])
      let preview = try await host.load("/v1/media/\(media)/preview", by: users[1])
      #expect(preview.status == 200)
      #expect(preview.body == Array("tagged 1".utf8))
      #expect(try await host.load("/v1/media/\(media)/preview", by: users[2]).status == 404)
      #expect(try await host.load("/v1/media/\(media)/preview").status == 404)
    }
  }

  @Test func whatTheOwnerHasNotSharedIsUnknownToOthers() async throws {
    try await ItemHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let media = try await host.beat(1, by: users[0])
      let unknown = try await problem { _ = try await users[1].client.send(MediaAPI.GetMedia(id: media)) }
      #expect(unknown?.code == "media-not-found")
      let missing = try await problem {
        _ = try await users[1].client.send(MediaAPI.GetMedia(id: host.test.ids.make()))
      }
      #expect(unknown?.untraced == missing?.untraced)
      let update = MediaAPI.UpdateMedia(id: media, title: .set(try ShortText(validating: "Mine")))
      #expect(try await problem { _ = try await users[1].client.send(update) }?.code == "media-not-found")
      #expect(try await host.delete(media, by: users[1]) == "media-not-found")
    }
  }

  @Test func thePreviewsReadersDoNotLearnTheHash() async throws {
    try await ItemHost.run { host async throws in
      let users = try await host.users("ada", "bob")
      let media = try await host.beat(1, by: users[0])
      try await host.use(media, .preview, in: Topic("listing", host.test.ids.text()))
      #expect(try await users[1].client.send(MediaAPI.GetMedia(id: media)).sha256 == nil)
      let own = try await users[0].client.send(MediaAPI.GetMedia(id: media))
      #expect(own.sha256 == (try ItemHost.hash(ItemHost.wav(1)).description))
    }
  }

  @Test func aRightEndsWithTheConnection() async throws {
    let time = ManualTime()
    try await ItemHost.run(time: time) { host async throws in
      let users = try await host.users("ada", "bob")
      try await host.connect(users[0], users[1])
      let media = try await host.beat(1, by: users[0], visibility: .connections)
      #expect(try await host.content(media, by: users[1]).status == 200)
      let connections = try await users[0].client.send(MatchingAPI.ListConnections()).items
      let connection = try #require(connections.first)
      _ = try await users[0].client.send(MatchingAPI.RemoveConnection(id: connection.id))
      // Answers of matching are kept for a second.
      time.advance(seconds: 1)
      #expect(try await host.content(media, by: users[1]).status == 404)
    }
  }

  @Test func onlyMediaIndexAsksForReadersAndTheGatewayForTopics() async throws {
    try await ItemHost.run { host async throws in
      let user = try await host.users("ada")[0].id
      for (service, expected) in [
        (OrdersAPI.name, [403, 403]), (MediaAPI.name, [nil, 403]), ("gateway", [403, nil]),
      ] {
        let catalog = host.test.platform.client(of: CatalogAPI.self, as: service)
        let readers = try await problem {
          _ = try await catalog.send(ReadersAPI.Authorize(user: user, roles: [.user], objects: []))
        }
        let topics = try await problem {
          _ = try await catalog.send(TopicsAPI.Authorize(user: user, roles: [.user], topics: []))
        }
        #expect([readers?.status, topics?.status] == expected, "\(service)")
      }
    }
  }
}

extension AccessTests.Use {
  /// A later report about the listing replaces an earlier one.
  fileprivate func report(_ media: MediaID, in listing: ListingID, _ host: ItemHost) async throws {
    let other = Topic("listing", host.test.ids.text())
    switch self {
    case .nowhere: break
    case .publicly: try await host.use(media, .public, in: other)
    case .forReaders:
      let sequence = Int64(host.test.time.source.now().microseconds)
      host.test.time.advance(seconds: 1)
      try await host.use(media, .readers, in: Topic("listing", listing.rawValue), sequence: sequence)
    case .asPreview: try await host.use(media, .preview, in: other)
    }
  }
}
