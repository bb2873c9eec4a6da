import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// Recordings that are sold: only the seller's own ones, and only to those who have bought a license.
@Suite(.serialized)
struct ListingMediaTests {
  @Test(arguments: TestDatabase.allCases)
  func anothersRecordingCannotBeOffered(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "eve")
      let audio = try await host.beat(1, by: users[0])
      let stolen = try await problem { _ = try await host.listing(of: users[1], audio: audio) }
      #expect(stolen?.code == "media-not-found")
      #expect(stolen?.errors?.map(\.location) == ["body.audio"])
      let unknown = try await problem { _ = try await host.listing(of: users[1], audio: host.test.ids.make()) }
      #expect(unknown?.untraced == stolen?.untraced)
      // Nor by a change of an own listing.
      let listing = try await host.listing(of: users[1], audio: host.beat(2, by: users[1]))
      let update = CatalogAPI.UpdateListing(id: listing.id, audio: audio)
      #expect(try await problem { _ = try await users[1].client.send(update) }?.code == "media-not-found")
      try await host.relayUses(from: CatalogAPI.self)
      #expect(try await host.load("/v1/media/\(audio)/preview", by: users[1]).status == 404)
    }
  }

  @Test func onlyReadyRecordingsAreOffered() async throws {
    try await ItemHost.run { host async throws in
      let user = try await host.users("ada")[0]
      let audio = try await host.upload(ItemHost.wav(1), by: user)
      let refused = try await problem { _ = try await host.listing(of: user, audio: audio) }
      #expect(refused?.code == "media-not-ready")
      let picture = try await host.ready(ItemHost.png, by: user)
      let wrong = try await problem { _ = try await host.listing(of: user, audio: picture) }
      #expect(wrong?.code == "invalid-request")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aListingKeepsItsMedia(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let audio = try await host.beat(1, by: users[0])
      let cover = try await host.ready(ItemHost.png, by: users[0], files: ["picture.jpg": "cover"])
      let listing = try await host.listing(of: users[0], audio: audio, cover: cover)
      // Held since the check, then referenced.
      #expect(try await host.delete(audio, by: users[0]) == "media-in-use")
      try await host.relayUses(from: CatalogAPI.self)
      #expect(try await host.delete(cover, by: users[0]) == "media-in-use")
      #expect(try await host.content(cover).body == Array("cover".utf8))
      #expect(try await host.content(audio, by: users[1]).problem?.code == "media-not-licensed")
      #expect(try await host.load("/v1/media/\(audio)/preview", by: users[1]).body == Array("tagged 1".utf8))
      _ = try await users[0].client.send(CatalogAPI.UpdateListing(id: listing.id, cover: .remove))
      try await host.relayUses(from: CatalogAPI.self)
      #expect(try await host.content(cover).status == 404)
      _ = try await users[0].client.send(CatalogAPI.DeleteListing(id: listing.id))
      try await host.relayUses(from: CatalogAPI.self)
      #expect(try await host.delete(cover, by: users[0]) == nil)
      #expect(try await host.delete(audio, by: users[0]) == nil)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aLicenseGivesItsFiles(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let audio = try await host.beat(1, by: users[0])
      let listing = try await host.listing(of: users[0], audio: audio)
      try await host.relayUses(from: CatalogAPI.self)
      try await host.buy(listing, users[1])
      // The lease names the MP3, not the file that was uploaded.
      #expect(try await host.content(audio, by: users[1]).body == Array("whole 1".utf8))
      let better = try await host.load("/v1/media/\(audio)/content?file=wav", by: users[1])
      #expect(try better.problem?.code == "file-not-licensed")
      #expect(try await host.content(audio, by: users[2]).problem?.code == "media-not-licensed")
      #expect(try await host.load("/v1/media/\(audio)/content?file=mp3", by: users[2]).status == 403)

      let license = try #require(try await users[1].client.send(OrdersAPI.ListLicenses()).items.first)
      let download = try await users[1].client.send(OrdersAPI.GetDownload(id: license.id))
      let response = try await host.load(download.url)
      #expect(response.body == Array("whole 1".utf8))
      #expect(try #require(response.header("content-disposition")).hasPrefix("attachment"))
      let wav = download.url.replacing("file=mp3", with: "file=wav")
      #expect(try await host.load(wav).status == 403)
      host.test.time.advance(seconds: 301)
      #expect(try await host.load(download.url).status == 403)
    }
  }

  /// A license that someone has sold for a recording of another owner is worth nothing, also by a link of orders.
  @Test func aLicenseOfAnotherSellerGivesNothing() async throws {
    try await ItemHost.run { host async throws in
      let users = try await host.users("ada", "bob", "eve")
      let audio = try await host.beat(1, by: users[0])
      try await host.use(audio, .preview, in: Topic("listing", host.test.ids.text()))
      let orders = host.test.platform.client(of: OrdersAPI.self, as: MediaAPI.name)
      let listing = try await host.listing(of: users[2], audio: host.beat(2, by: users[2]))
      try await host.buy(listing, users[1])
      let sold = OrdersAPI.GetLicensedFiles(user: users[1].id, audio: listing.audio, seller: users[2].id)
      #expect(try await orders.send(sold).files == [.mp3])
      let stolen = OrdersAPI.GetLicensedFiles(user: users[1].id, audio: listing.audio, seller: users[0].id)
      #expect(try await orders.send(stolen).files.isEmpty)
      let query = [("file", "mp3"), ("license", host.test.ids.text()), ("seller", users[2].id.rawValue)]
      let link = try host.test.platform.serviceURLs(of: OrdersAPI.self).sign(
        "/v1/media/\(audio)/content", query, until: host.test.time.source.now().advanced(bySeconds: 60))
      #expect(try await host.load(link).status == 404)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func whatWasSoldOutlivesTheSeller(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "bob")
      let (sold, unsold) = (try await host.beat(1, by: users[0]), try await host.beat(2, by: users[0]))
      let listing = try await host.listing(of: users[0], audio: sold)
      try await host.buy(listing, users[1])
      try await host.relayUses(from: CatalogAPI.self)
      try await host.relayUses(from: OrdersAPI.self)
      for service: any ServiceAPI.Type in [CatalogAPI.self, MediaAPI.self, OrdersAPI.self] {
        try await host.test.deliver(UserDeleted(userID: users[0].id), from: AuthAPI.self, to: service)
      }
      try await host.relayUses(from: CatalogAPI.self)
      host.test.time.advance(seconds: 2 * 86_400)
      try await host.collect()
      #expect(try await host.content(sold, by: users[1]).body == Array("whole 1".utf8))
      #expect(try await host.count("SELECT COUNT(*) FROM media WHERE owner_id = \(users[0].id)") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM media WHERE id = \(unsold)") == 0)
      #expect(try await host.isStored(ItemHost.wav(2)) == false)
      #expect(try await host.isStored(ItemHost.wav(1)))
    }
  }
}

extension ItemHost {
  fileprivate func buy(_ listing: Listing, _ buyer: TestUser) async throws {
    _ = try await buyer.client.send(OrdersAPI.AddCartItem(listingID: listing.id, license: .lease))
    let address = PostalAddress(
      name: ShortText(checked: "Ada Lovelace"), street: ShortText(checked: "12 St James Square"),
      city: ShortText(checked: "London"), postalCode: ShortText(checked: "SW1Y 4JH"), region: Region(checked: "GB"))
    _ = try await buyer.client.send(
      OrdersAPI.CheckOut(
        shippingAddress: address,
        payment: PaymentChoice(provider: .test, token: ProviderToken(checked: "test_success"))),
      idempotencyKey: UUID().uuidString)
    try await relayUses(from: OrdersAPI.self)
  }
}
