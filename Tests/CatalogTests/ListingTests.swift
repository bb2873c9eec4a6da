import Contracts
import Foundation
import ServiceKit
import TestKit
import Testing

/// Listings: creation, search, pagination and licenses.
@Suite(.serialized)
struct ListingTests {
  @Test(arguments: TestDatabase.allCases)
  func pagesStayWhereTheyAre(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let owner = try await host.user("ada")
      for number in 1...7 {
        // Two listings per price, so that the ID breaks ties.
        _ = try await host.listing(of: owner, "Beat \(number)", cents: Int64(number / 2) * 100)
      }
      let two = PageSize(checked: 2)
      for sort in ListingSort.allCases {
        let first = try await owner.client.send(CatalogAPI.ListListings(sort: sort, limit: two))
        let late = try await host.listing(of: owner, "Beat late", cents: sort == .price ? 0 : 10_000)
        let rest = try await allPages { cursor in
          try await owner.client.send(
            CatalogAPI.ListListings(sort: sort, limit: two, cursor: cursor ?? first.nextCursor)
          )
        }
        let all = try await owner.client.send(CatalogAPI.ListListings(sort: sort, limit: PageSize(checked: 100))).items
        let ids = (first.items + rest).map(\.id)
        // The new listing belongs to the first page, which has been read; all others are returned once and in order.
        #expect(ids == all.map(\.id).filter { $0 != late.id }, "\(sort)")
        let prices = all.map(\.price.amount)
        if sort == .price { #expect(prices == prices.sorted()) }
        if sort == .priceDescending { #expect(prices == prices.sorted(by: >)) }
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func listingsAreFound(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let drive = try await host.listing(of: ada, "Midnight drive", tags: ["trap", "dark"])
      let verse = try await host.listing(of: bob, "Open verse", kind: .open, tags: ["soul"])
      for number in 1...25 { _ = try await host.listing(of: bob, "Filler \(number)", tags: ["dark"]) }
      func found(_ request: CatalogAPI.ListListings) async throws -> [ListingID] {
        try await ada.client.send(request).items.map(\.id)
      }
      #expect(try await found(.init(query: "midnight")) == [drive.id])
      #expect(try await found(.init(query: "midn dri")) == [drive.id])
      #expect(try await found(.init(query: "midnihgt")) == [drive.id])
      #expect(try await found(.init(query: "soul")) == [verse.id])
      #expect(try await found(.init(kind: .open)) == [verse.id])
      #expect(try await found(.init(owner: ada.id)) == [drive.id])
      #expect(try await found(.init(kind: .beat, tag: Tag(validating: "trap"))) == [drive.id])
      #expect(try await found(.init(tag: Tag(validating: "trap"), sort: .price)) == [drive.id])
      // More than a page of other listings matches the query; the filter still finds this one.
      #expect(try await found(.init(query: "dark", owner: ada.id)) == [drive.id])
      #expect(try await found(.init(query: "nothing")) == [])

      let patch = CatalogAPI.UpdateListing(
        id: drive.id,
        name: try ShortText(validating: "Morning walk"), tags: [try Tag(validating: "calm")])
      _ = try await ada.client.send(patch)
      #expect(try await found(.init(query: "midnight")) == [])
      #expect(try await found(.init(tag: Tag(validating: "trap"))) == [])
      #expect(try await found(.init(query: "morning")) == [drive.id])
      _ = try await ada.client.send(CatalogAPI.DeleteListing(id: drive.id))
      #expect(try await found(.init(query: "morning")) == [])
      #expect(try await found(.init(tag: Tag(validating: "calm"))) == [])
      #expect(try await found(.init(owner: ada.id)) == [])
    }
  }

  @Test func licensesDecideThePrice() async throws {
    try await TestPlatform.catalog { host async throws in
      let ada = try await host.user("ada")
      let simple = try await host.listing(of: ada, cents: 2999)
      #expect(simple.licenses.map(\.kind) == [.lease])
      #expect(simple.licenses.first?.files == [.mp3])
      #expect(simple.price.amount == 2999)
      #expect(!simple.isPurchased)
      #expect(!simple.isOpenForBids)
      let options = [
        LicenseOption(kind: .exclusive, price: try TestPlatform.price(50_000), files: [.wav, .stems]),
        LicenseOption(kind: .lease, price: try TestPlatform.price(1999), files: [.mp3], streams: 10_000),
      ]
      let changed = try await ada.client.send(
        CatalogAPI.UpdateListing(
          id: simple.id,
          ifMatch: EntityTag(version: 1),
          description: .set(LongText(validating: "Loud.")), licenses: options, acceptsOffers: true)
      )
      #expect(changed.price.amount == 1999)
      #expect(changed.licenses == options)
      #expect(changed.acceptsOffers)
      #expect(changed.version == 2)
      #expect(changed.description?.rawValue == "Loud.")
      let late = try await problem {
        _ = try await ada.client.send(
          CatalogAPI.UpdateListing(id: simple.id, ifMatch: EntityTag(version: 1), acceptsOffers: false)
        )
      }
      #expect(late?.status == 412)
      let audio: MediaID = host.ids.make()
      let moved = try await ada.client.send(
        CatalogAPI.UpdateListing(id: simple.id, description: .remove, audio: audio)
      )
      #expect(moved.description == nil)
      #expect(moved.audio == audio)
      #expect(moved.licenses == options)
      let one = try await host.listing(of: ada, cents: 100)
      let dearer = try await ada.client.send(
        CatalogAPI.UpdateListing(id: one.id, price: TestPlatform.price(200))
      )
      #expect(dearer.price.amount == 200)
      #expect(dearer.licenses.map(\.price.amount) == [200])
      let many = try await problem {
        _ = try await ada.client.send(
          CatalogAPI.UpdateListing(id: simple.id, price: TestPlatform.price(200))
        )
      }
      #expect(many?.status == 422)
      #expect(many?.errors?.first?.location == "body.price")
      let sale = try await host.orders.send(
        CatalogAPI.GetSaleItems(products: [], listings: [simple.id, host.ids.make()])
      )
      #expect(sale.listings.map(\.id) == [simple.id])
      #expect(sale.listings.first?.licenses == options)
      #expect(sale.listings.first?.ownerID == ada.id)
      #expect(sale.listings.first?.acceptsOffers == true)
    }
  }

  @Test func onlyTheOwnerDecides() async throws {
    try await TestPlatform.catalog { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let listing = try await host.listing(of: ada)
      let edit = CatalogAPI.UpdateListing(id: listing.id, acceptsOffers: true)
      #expect(try await problem { _ = try await bob.client.send(edit) }?.status == 403)
      let removal = CatalogAPI.DeleteListing(id: listing.id)
      #expect(try await problem { _ = try await bob.client.send(removal) }?.status == 403)
      #expect(try await problem { _ = try await host.client.send(removal) }?.status == 401)
      let guest = try await host.guest()
      #expect(try await problem { _ = try await host.listing(of: guest) }?.status == 403)
      _ = try await guest.client.send(CatalogAPI.GetListing(id: listing.id))

      try await host.deliver(
        ListingSaleChanged(listingID: listing.id, isPurchased: false, isOpenForBids: true),
        from: OrdersAPI.self
      )
      let seen = try await bob.client.send(CatalogAPI.GetListing(id: listing.id))
      #expect(seen.isOpenForBids)
      #expect(!seen.isPurchased)
      let wire = try await host.send(.get, "/v1/listings/\(listing.id)", by: bob)
      let json = try WireJSON.decode(JSONValue.self, from: wire.body)
      #expect(json["openForBids"] == true)
      #expect(json["purchased"] == false)
      #expect(try await problem { _ = try await ada.client.send(removal) }?.code == "listing-open-for-bids")
      try await host.deliver(
        ListingSaleChanged(listingID: listing.id, isPurchased: true, isOpenForBids: false),
        from: OrdersAPI.self
      )
      #expect(try await bob.client.send(CatalogAPI.GetListing(id: listing.id)).isPurchased)

      // M23: an older report that arrives late changes nothing; one that arrives twice neither.
      for (version, isPurchased) in [(8, false), (7, true), (8, false), (6, true)] as [(Int64, Bool)] {
        try await host.deliver(
          ListingSaleChanged(listingID: listing.id, isPurchased: isPurchased, isOpenForBids: false, version: version),
          from: OrdersAPI.self)
        #expect(try await bob.client.send(CatalogAPI.GetListing(id: listing.id)).isPurchased == false)
      }

      let support = try await host.user("helper", as: .support)
      _ = try await support.client.send(removal)
      #expect(try await problem { _ = try await ada.client.send(removal) }?.code == "listing-not-found")
      #expect(try await problem { _ = try await ada.client.send(edit) }?.code == "listing-not-found")
      #expect(
        try await problem { _ = try await bob.client.send(CatalogAPI.GetListing(id: listing.id)) }?.status == 404
      )
    }
  }

  @Test func aRepeatedRequestOffersOnce() async throws {
    try await TestPlatform.catalog { host async throws in
      let ada = try await host.user("ada")
      let request = CatalogAPI.CreateListing(
        kind: .beat, name: try ShortText(validating: "Once"), audio: host.ids.make(), price: try TestPlatform.price(1))
      let first = try await ada.client.send(request, idempotencyKey: "k1")
      #expect(try await ada.client.send(request, idempotencyKey: "k1") == first)
      #expect(try await ada.client.send(CatalogAPI.ListListings()).items.count == 1)
    }
  }

  @Test func badInputIsNamed() async throws {
    let table = [
      (#"{}"#, "body.kind"), (#"{"kind":"song"}"#, "body.kind"),
      (#"{"kind":"beat","name":" ","audio":"A","price":P}"#, "body.name"),
      (#"{"kind":"beat","name":"a","audio":"no","price":P}"#, "body.audio"),
      (#"{"kind":"beat","name":"a","audio":"A"}"#, "body.licenses"),
      (#"{"kind":"beat","name":"a","audio":"A","licenses":[]}"#, "body.licenses"),
      (#"{"kind":"beat","name":"a","audio":"A","licenses":[L,L]}"#, "body.licenses"),
      (#"{"kind":"beat","name":"a","audio":"A","price":{"amount":-1,"currency":"USD"}}"#, "body.price.amount"),
      (#"{"kind":"beat","name":"a","audio":"A","price":{"amount":1,"currency":"XXX"}}"#, "body.price.currency"),
      (#"{"kind":"beat","name":"a","audio":"A","price":P,"tags":["two words"]}"#, "body.tags[0]"),
      (#"{"kind":"beat","name":"a","audio":"A","price":P,"tags":["a,b"]}"#, "body.tags[0]"),
      (
        #"{"kind":"beat","name":"a","audio":"A","price":P,"tags":["a","b","c","d","e","f","g","h","i","j","k"]}"#,
        "body.tags"
      ),
    ]
    try await TestPlatform.catalog { host async throws in
      let ada = try await host.user("ada")
      let license =
        #"{"kind":"lease","price":P,"files":["mp3"],"territory":"worldwide","ownerShare":5000}"#
      for (body, location) in table {
        let text = body.replacing("L,L", with: "\(license),\(license)")
          .replacing("P", with: #"{"amount":100,"currency":"USD"}"#)
          .replacing(#""A""#, with: "\"\(host.ids.text())\"")
        let response = try await host.send(.post, "/v1/listings", text, by: ada)
        let problem = try WireJSON.decode(Problem.self, from: response.body)
        #expect(problem.status == 422, "\(problem)")
        #expect(problem.errors?.first?.location == location, "\(problem)")
      }
    }
  }

  @Test func oddQueriesAreAnswered() async throws {
    try await TestPlatform.catalog { host async throws in
      let ada = try await host.user("ada")
      _ = try await host.listing(of: ada)
      for cursor in ["", "~", "_", "1_2_3", "x_1", "999999999999999999999_1", "'; DROP TABLE listings", "\u{FFFF}"] {
        for sort in ListingSort.allCases {
          let list = CatalogAPI.ListListings(sort: sort, cursor: cursor)
          let problem = try await problem { _ = try await ada.client.send(list) }
          #expect(problem?.errors?.map(\.location) == ["query.cursor"], "\(cursor)")
        }
      }
      for query in ["", " ", "%", "'", String(repeating: "a", count: 3000)] {
        _ = try await ada.client.send(CatalogAPI.ListListings(query: query))
      }
      for target in ["kind=song", "limit=0", "limit=101", "limit=x", "owner=me", "tag=a%20b", "sort=best"] {
        #expect(try await host.send(.get, "/v1/listings?\(target)", by: ada).status == 422, "\(target)")
      }
      #expect(try await host.send(.get, "/v1/listings", by: nil).status == 401)
    }
  }
}
