import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import CatalogService

/// The state of the caller, and of the people behind objects, in lists and single views.
@Suite(.serialized)
struct CallerStateTests {
  private func text() throws -> CommentText { try CommentText(validating: "Nice.") }

  @Test(arguments: TestDatabase.allCases)
  func postsAndTheirCommentsShowTheCallersLikes(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (owner, bob) = (try await host.user("boss", as: .owner), try await host.user("bob"))
      let post = try await owner.client.send(CatalogAPI.CreatePost(title: ShortText(validating: "Hello")))
      let comment = try await bob.client.send(CatalogAPI.CommentOnPost(id: post.id, text: text()))
      let reply = try await owner.client.send(CatalogAPI.ReplyToComment(id: comment.id, text: text()))
      _ = try await bob.client.send(CatalogAPI.LikePost(id: post.id))
      for id in [comment.id, reply.id] { _ = try await bob.client.send(CatalogAPI.LikeComment(id: id)) }
      func seen(by client: APIClient) async throws -> [Bool?] {
        [
          try await client.send(CatalogAPI.GetPost(id: post.id)).isLiked,
          try await client.send(CatalogAPI.ListPosts()).items.first?.isLiked,
          try await client.send(CatalogAPI.ListPostComments(id: post.id)).items.first?.isLiked,
        ]
      }
      #expect(try await seen(by: bob.client) == [true, true, true])
      #expect(try await seen(by: owner.client) == [false, false, false])
      #expect(try await seen(by: host.client) == [nil, nil, nil])
      #expect(try await bob.client.send(CatalogAPI.ListReplies(id: comment.id)).items.map(\.isLiked) == [true])
      #expect(try await owner.client.send(CatalogAPI.ListReplies(id: comment.id)).items.map(\.isLiked) == [false])

      for _ in 0..<2 { _ = try await bob.client.send(CatalogAPI.UnlikeComment(id: reply.id)) }
      let replies = try await bob.client.send(CatalogAPI.ListReplies(id: comment.id)).items
      #expect(replies.map(\.isLiked) == [false])
      #expect(replies.map(\.likeCount) == [0])
    }
  }

  @Test func answersToUsersAreNotShared() async throws {
    try await TestPlatform.catalog { host async throws in
      let bob = try await host.user("bob")
      let (own, open) = (
        try await host.send(.get, "/v1/posts", by: bob), try await host.send(.get, "/v1/posts")
      )
      #expect(own.header("cache-control") == "private, no-cache")
      #expect(open.header("cache-control") == "public, no-cache")
      for answer in [own, open] {
        #expect(answer.headers.contains { $0.name == "vary" && $0.value.contains("Authorization") })
      }
      let forged = [(name: "authorization", value: "Bearer x.y.z")]
      #expect(try await host.send(.get, "/v1/posts", headers: forged).status == 401)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func listingsShowTheirOwners(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let listing = try await host.listing(of: ada)
      #expect(listing.owner?.displayName == "Test ada")
      _ = try await bob.client.send(CatalogAPI.ArchiveListing(id: listing.id))
      for seen in [
        try await bob.client.send(CatalogAPI.GetListing(id: listing.id)).summary,
        try #require(try await bob.client.send(CatalogAPI.ListListings()).items.first),
        try #require(try await bob.client.send(CatalogAPI.ListListings(query: "night")).items.first),
        try #require(try await bob.client.send(CatalogAPI.ListArchive()).items.first),
      ] {
        #expect(seen.owner?.username == "ada")
        #expect(seen.isArchived)
      }
    }
  }

  @Test func pagesAreShownWithoutAuth() async throws {
    try await TestPlatform.catalog { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let listing = try await host.listing(of: ada)
      let comment = try await ada.client.send(CatalogAPI.CommentOnListing(id: listing.id, text: text()))
      let quiet = try await host.listing(of: bob, "Quiet")
      try await host.database(of: AuthAPI.self).close()
      host.time.advance(seconds: 61)
      let seen = try await bob.client.send(CatalogAPI.ListListings()).items
      #expect(seen.map(\.id) == [quiet.id, listing.id])
      #expect(try await bob.client.send(CatalogAPI.ListListingComments(id: listing.id)).items.map(\.id) == [comment.id])
    }
  }

  @Test("M23: replies and likes below deleted listings are refused", arguments: TestDatabase.allCases)
  func deletedListings(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let listing = try await host.listing(of: ada)
      let comment = try await bob.client.send(CatalogAPI.CommentOnListing(id: listing.id, text: text()))
      _ = try await ada.client.send(CatalogAPI.LikeComment(id: comment.id))
      _ = try await ada.client.send(CatalogAPI.DeleteListing(id: listing.id))
      for refused in [
        try await problem { _ = try await bob.client.send(CatalogAPI.ListReplies(id: comment.id)) },
        try await problem { _ = try await bob.client.send(CatalogAPI.LikeComment(id: comment.id)) },
        try await problem { _ = try await bob.client.send(CatalogAPI.ReplyToComment(id: comment.id, text: text())) },
      ] { #expect(refused?.code == "comment-not-found") }
      // Reactions that people left behind can be taken back.
      _ = try await ada.client.send(CatalogAPI.UnlikeComment(id: comment.id))
      _ = try await bob.client.send(CatalogAPI.DeleteComment(id: comment.id))
    }
  }

  @Test func changedAudioIsStored() async throws {
    try await TestPlatform.catalog { host async throws in
      let ada = try await host.user("ada")
      let listing = try await host.listing(of: ada)
      let audio: MediaID = host.ids.make()
      #expect(try await ada.client.send(CatalogAPI.UpdateListing(id: listing.id, audio: audio)).audio == audio)
      #expect(try await ada.client.send(CatalogAPI.GetListing(id: listing.id)).audio == audio)
      let sale = try await host.orders.send(CatalogAPI.GetSaleItems(products: [], listings: [listing.id]))
      #expect(sale.listings.map(\.audio) == [audio])
    }
  }

  @Test(
    "M16: a common word of 2,000 listings finds the newest, and the few of one owner", arguments: TestDatabase.allCases)
  func commonWords(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let first = try await host.listing(of: ada, "Common night")
      let template = try await host.listing(of: bob, "Common day")
      let ids: [ListingID] = (0..<2000).map { _ in host.ids.make() }
      try await host.database.write { tx in
        for id in ids {
          var listing = template
          listing.summary.id = id
          try ListingStore.insert(listing, in: tx)
        }
      }
      func found(_ request: CatalogAPI.ListListings) async throws -> [ListingID] {
        try await ada.client.send(request).items.map(\.id)
      }
      #expect(try await found(.init(query: "common", owner: ada.id)) == [first.id])
      let newest = try await found(.init(query: "common", owner: bob.id, limit: PageSize(checked: 20)))
      #expect(newest == Array(ids.reversed().prefix(20)))
      #expect(try await found(.init(kind: .open, query: "common")).isEmpty)
    }
  }
}
