import CatalogService
import Contracts
import Foundation
import ServiceKit
import TestKit
import Testing

/// Personal data in catalog: exported to its owner, erased with the account.
@Suite(.serialized)
struct PersonTests {
  @Test(arguments: TestDatabase.allCases)
  func aPersonLeaves(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let (own, other) = (try await host.listing(of: bob, "Bobs song"), try await host.listing(of: ada))
      for listing in [own, other] {
        for person in [ada, bob] {
          _ = try await person.client.send(CatalogAPI.LikeListing(id: listing.id))
          _ = try await person.client.send(CatalogAPI.ArchiveListing(id: listing.id))
        }
      }
      func say(_ text: String, _ person: TestUser) async throws -> Contracts.Comment {
        let text = try CommentText(validating: text)
        return try await person.client.send(CatalogAPI.CommentOnListing(id: other.id, text: text))
      }
      let (alone, answered, adas) = (
        try await say("Alone", bob), try await say("Bobs word", bob), try await say("Hm", ada)
      )
      let answer = try CommentText(validating: "Reply")
      let reply = try await ada.client.send(CatalogAPI.ReplyToComment(id: answered.id, text: answer))
      // A comment that only its author replied to leaves no placeholder.
      _ = try await bob.client.send(CatalogAPI.ReplyToComment(id: alone.id, text: answer))
      _ = try await bob.client.send(CatalogAPI.ReplyToComment(id: adas.id, text: answer))
      _ = try await bob.client.send(CatalogAPI.LikeComment(id: reply.id))

      let data = try await host.catalog.export(bob.id, from: host.database)
      let text = String(decoding: try WireJSON.encode(data), as: UTF8.self)
      for word in ["Bobs song", "Bobs word", "Alone", other.id.rawValue] { #expect(text.contains(word), "\(word)") }
      #expect(!text.contains("Hm"))

      for _ in 0..<2 { try await host.deliver(UserDeleted(userID: bob.id), from: AuthAPI.self) }
      let seen = try await ada.client.send(CatalogAPI.GetListing(id: other.id))
      #expect(seen.likeCount == 1)
      #expect(seen.archiveCount == 1)
      #expect(seen.commentCount == 2)
      let gone = try await problem { _ = try await ada.client.send(CatalogAPI.GetListing(id: own.id)) }
      #expect(gone?.code == "listing-not-found")
      let comments = try await ada.client.send(CatalogAPI.ListListingComments(id: other.id)).items
      #expect(comments.map(\.id) == [adas.id, answered.id])
      #expect(!comments.contains { $0.id == alone.id })
      #expect(comments[1].text == nil)
      #expect(comments[1].authorID == nil)
      #expect(comments[0].replyCount == 0)
      let replies = try await ada.client.send(CatalogAPI.ListReplies(id: answered.id)).items
      #expect(replies.map(\.likeCount) == [0])
      let left = String(
        decoding: try WireJSON.encode(await host.catalog.export(bob.id, from: host.database)), as: UTF8.self)
      for word in ["Bobs song", "Bobs word", "Alone", other.id.rawValue] { #expect(!left.contains(word), "\(word)") }
    }
  }

  @Test func whoDeletesTheAccountLeavesCatalogToo() async throws {
    try await TestPlatform.listeningCatalog { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let (own, other) = (try await host.listing(of: bob), try await host.listing(of: ada))
      _ = try await bob.client.send(CatalogAPI.LikeListing(id: other.id))
      let text = try CommentText(validating: "Bobs word")
      _ = try await bob.client.send(CatalogAPI.CommentOnListing(id: other.id, text: text))
      try await eventually("catalog exports the data") {
        let catalog = try await bob.client.send(AuthAPI.ExportMe())["services"]?["catalog"]
        return "\(String(describing: catalog?["comments"]))".contains("Bobs word")
      }
      _ = try await bob.client.send(AuthAPI.DeleteMe())
      try await eventually("catalog erases the data") {
        let seen = try await ada.client.send(CatalogAPI.GetListing(id: other.id))
        return seen.likeCount == 0 && seen.commentCount == 0
      }
      let gone = try await problem { _ = try await ada.client.send(CatalogAPI.GetListing(id: own.id)) }
      #expect(gone?.code == "listing-not-found")
      #expect(try await ada.client.send(CatalogAPI.ListListings()).items.map(\.id) == [other.id])
      #expect(try await ada.client.send(CatalogAPI.ListListingComments(id: other.id)).items.isEmpty)
    }
  }
}
