import CatalogService
import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

/// The reactions of catalog to blocks that matching reports.
@Suite(.serialized)
struct BlockTests {
  private func text(_ text: String = "Nice.") throws -> CommentText { try CommentText(validating: text) }

  private func comments(on listing: Listing, for user: TestUser) async throws -> [CommentID] {
    try await user.client.send(CatalogAPI.ListListingComments(id: listing.id)).items.map(\.id)
  }

  private func block(_ blocker: TestUser, _ blocked: TestUser, _ host: TestPlatform, isBlocked: Bool = true)
    async throws
  {
    try await host.deliver(
      BlockChanged(blocker: blocker.id, blocked: blocked.id, isBlocked: isBlocked), from: MatchingAPI.self)
  }

  @Test(arguments: TestDatabase.allCases)
  func commentsAreNotShownAcrossABlock(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (ada, bob, eve) = (try await host.user("ada"), try await host.user("bob"), try await host.user("eve"))
      let moderator = try await host.user("mod", as: .support)
      let listing = try await host.listing(of: eve)
      func say(_ user: TestUser) async throws -> CommentID {
        try await user.client.send(CatalogAPI.CommentOnListing(id: listing.id, text: text())).id
      }
      func reply(_ user: TestUser, to id: CommentID) async throws -> CommentID {
        try await user.client.send(CatalogAPI.ReplyToComment(id: id, text: text())).id
      }
      let (adas, bobs, eves) = (try await say(ada), try await say(bob), try await say(eve))
      let replies = (ada: try await reply(ada, to: eves), bob: try await reply(bob, to: eves))
      let eveToBob = try await reply(eve, to: bobs)
      for user in [ada, bob, eve] { #expect(try await comments(on: listing, for: user) == [eves, bobs, adas]) }

      try await block(ada, bob, host)
      try await block(bob, moderator, host)
      #expect(try await comments(on: listing, for: ada) == [eves, adas])
      #expect(try await comments(on: listing, for: bob) == [eves, bobs])
      for user in [eve, moderator] { #expect(try await comments(on: listing, for: user) == [eves, bobs, adas]) }
      func answers(to id: CommentID, for user: TestUser) async throws -> [CommentID] {
        try await user.client.send(CatalogAPI.ListReplies(id: id)).items.map(\.id)
      }
      #expect(try await answers(to: eves, for: ada) == [replies.ada])
      #expect(try await answers(to: eves, for: bob) == [replies.bob])
      #expect(try await answers(to: eves, for: eve) == [replies.bob, replies.ada])

      // Hidden comments are answered as if they did not exist: Bob's comment, and Eve's reply to it.
      for id in [bobs, replies.bob, eveToBob, host.ids.make()] {
        let codes = [
          try await problem { _ = try await reply(ada, to: id) },
          try await problem { _ = try await ada.client.send(CatalogAPI.LikeComment(id: id)) },
          try await problem { _ = try await ada.client.send(CatalogAPI.UpdateComment(id: id, text: text())) },
          try await problem { _ = try await ada.client.send(CatalogAPI.DeleteComment(id: id)) },
        ].map { $0?.code }
        #expect(codes == Array(repeating: "comment-not-found", count: 4), "\(id)")
      }
      let hidden = try await problem { _ = try await answers(to: bobs, for: ada) }
      #expect(hidden?.code == "comment-not-found")
      // Counters stay.
      #expect(try await ada.client.send(CatalogAPI.GetListing(id: listing.id)).commentCount == 6)

      try await block(ada, bob, host, isBlocked: false)
      #expect(try await comments(on: listing, for: ada) == [eves, bobs, adas])
    }
  }

  @Test(arguments: [true, false])
  func listingsOfOthersAreNotCommentedAcrossABlock(isOwnerBlocker: Bool) async throws {
    try await TestPlatform.catalog { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let listing = try await host.listing(of: ada)
      let before = try await bob.client.send(CatalogAPI.CommentOnListing(id: listing.id, text: text()))
      _ = try await bob.client.send(CatalogAPI.LikeListing(id: listing.id))
      if isOwnerBlocker { try await block(ada, bob, host) } else { try await block(bob, ada, host) }

      for id in [listing.id, host.ids.make()] {
        let comment = CatalogAPI.CommentOnListing(id: id, text: try text())
        #expect(try await problem { _ = try await bob.client.send(comment) }?.code == "listing-not-found")
        let like = CatalogAPI.LikeListing(id: id)
        #expect(try await problem { _ = try await bob.client.send(like) }?.code == "listing-not-found")
      }
      let reply = CatalogAPI.ReplyToComment(id: before.id, text: try text())
      #expect(try await problem { _ = try await bob.client.send(reply) }?.code == "comment-not-found")
      // An earlier like can be taken back, and the owner still deletes comments on their own listing.
      _ = try await bob.client.send(CatalogAPI.UnlikeListing(id: listing.id))
      _ = try await ada.client.send(CatalogAPI.DeleteComment(id: before.id))
      let seen = try await ada.client.send(CatalogAPI.GetListing(id: listing.id))
      #expect(seen.likeCount == 0)
      #expect(seen.commentCount == 0)
    }
  }

  /// In both directions, and in every place where listings are read; sales are not concerned.
  @Test(arguments: TestDatabase.allCases)
  func listingsAreNotShownAcrossABlock(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (ada, bob, eve) = (try await host.user("ada"), try await host.user("bob"), try await host.user("eve"))
      let moderator = try await host.user("mod", as: .support)
      let (adas, bobs) = (try await host.listing(of: ada, "Sunrise"), try await host.listing(of: bob, "Sunrise"))
      for (user, listing) in [(bob, adas), (ada, bobs), (eve, adas)] {
        _ = try await user.client.send(CatalogAPI.ArchiveListing(id: listing.id))
      }
      try await block(ada, bob, host)
      try await block(ada, moderator, host)
      func seen(_ user: TestUser) async throws -> [Set<ListingID>] {
        var pages: [Set<ListingID>] = []
        for sort in [ListingSort.newest, .price, .priceDescending, .popular] {
          pages.append(Set(try await user.client.send(CatalogAPI.ListListings(sort: sort)).items.map(\.id)))
        }
        let found = try await user.client.send(CatalogAPI.ListListings(query: "sunrise"))
        return pages + [Set(found.items.map(\.id))]
      }
      func same(_ ids: Set<ListingID>) -> [Set<ListingID>] { Array(repeating: ids, count: 5) }
      #expect(try await seen(ada) == same([adas.id]))
      #expect(try await seen(bob) == same([bobs.id]))
      for user in [eve, moderator] { #expect(try await seen(user) == same([adas.id, bobs.id])) }

      let gateway = host.platform.client(of: CatalogAPI.self, as: GatewayAPI.name)
      for (user, listing) in [(bob, adas), (ada, bobs)] {
        let own = try await user.client.send(CatalogAPI.ListListings(owner: listing.ownerID)).items
        #expect(own.isEmpty)
        #expect(try await user.client.send(CatalogAPI.ListArchive()).items.isEmpty)
        let topic = Topic("listing", listing.id.rawValue)
        let question = TopicsAPI.Authorize(user: user.id, roles: [.user], topics: [topic])
        #expect(try await gateway.send(question).topics == [])
        for id in [listing.id, host.ids.make()] {
          let codes = [
            try await problem { _ = try await user.client.send(CatalogAPI.GetListing(id: id)) },
            try await problem { _ = try await comments(on: listing, for: user) },
            try await problem { _ = try await user.client.send(CatalogAPI.ArchiveListing(id: id)) },
            try await problem { _ = try await user.client.send(CatalogAPI.DeleteListing(id: id)) },
          ].map { $0?.code }
          #expect(codes == Array(repeating: "listing-not-found", count: 4), "\(id)")
        }
      }
      #expect(try await eve.client.send(CatalogAPI.ListArchive()).items.map(\.id) == [adas.id])
      let sale = try await host.orders.send(CatalogAPI.GetSaleItems(products: [], listings: [adas.id]))
      #expect(sale.listings.map(\.id) == [adas.id])
      _ = try await moderator.client.send(CatalogAPI.DeleteListing(id: adas.id))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func blocksAreExportedToTheirBlockerAndErased(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (ada, bob, eve) = (try await host.user("ada"), try await host.user("bob"), try await host.user("eve"))
      try await block(ada, bob, host)
      try await block(bob, ada, host)
      try await block(eve, bob, host)
      #expect(try await host.export("blocks", of: ada.id)?.elements == [.string(bob.id.rawValue)])
      try await host.deliver(UserDeleted(userID: ada.id), from: AuthAPI.self)
      let left = try await host.database.read { db in
        try db.values("SELECT blocker_id FROM blocks", as: UserID.self)
      }
      #expect(left == [eve.id])
    }
  }

  @Test func aChangedNameShowsAtOnce() async throws {
    try await TestPlatform.catalog { host async throws in
      let ada = try await host.user("ada")
      let listing = try await host.listing(of: ada)
      let comment = try await ada.client.send(CatalogAPI.CommentOnListing(id: listing.id, text: text()))
      #expect(comment.author?.displayName == "Test ada")
      let account = try await ada.client.send(
        AuthAPI.UpdateMe(displayName: DisplayName(validating: "Countess")))
      func name() async throws -> String? {
        let shown = try await ada.client.send(CatalogAPI.ListListingComments(id: listing.id)).items.first
        return shown?.author?.displayName
      }
      #expect(try await name() == "Test ada")
      try await host.deliver(UserChanged(userID: ada.id, version: account.version), from: AuthAPI.self)
      #expect(try await name() == "Countess")
    }
  }
}
