import Contracts
import ServiceKit
import TestKit
import Testing

/// Comments on listings and posts: one level of replies, a limited edit window, and placeholders for deleted comments.
@Suite(.serialized)
struct CommentTests {
  private func text(_ text: String = "Nice.") throws -> CommentText {
    try CommentText(validating: text)
  }

  @Test(arguments: TestDatabase.allCases)
  func peopleTalk(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let listing = try await host.listing(of: ada)
      var comments: [Contracts.Comment] = []
      for number in 0..<3 {
        comments.append(
          try await bob.client.send(CatalogAPI.CommentOnListing(id: listing.id, text: text("Number \(number)")))
        )
      }
      #expect(comments[0].author?.displayName == "Test bob")
      #expect(comments[0].authorID == bob.id)
      let reply = try await ada.client.send(CatalogAPI.ReplyToComment(id: comments[0].id, text: text("Thanks")))
      let second = try await bob.client.send(CatalogAPI.ReplyToComment(id: reply.id, text: text("Sure")))
      #expect(reply.parentID == comments[0].id)
      #expect(second.parentID == comments[0].id)
      _ = try await ada.client.send(CatalogAPI.LikeComment(id: second.id))

      let one = PageSize(checked: 1)
      let all = try await allPages { cursor in
        try await ada.client.send(CatalogAPI.ListListingComments(id: listing.id, limit: one, cursor: cursor))
      }
      #expect(all.map(\.id) == comments.reversed().map(\.id))
      #expect(all.allSatisfy { $0.author?.username == "bob" })
      #expect(all.last?.replyCount == 2)
      let replies = try await allPages { cursor in
        try await ada.client.send(CatalogAPI.ListReplies(id: comments[0].id, limit: one, cursor: cursor))
      }
      #expect(replies.map(\.id) == [second.id, reply.id])
      let liked = replies.first { $0.id == second.id }
      #expect(liked?.isLiked == true)
      #expect(liked?.likeCount == 1)
      #expect(try await ada.client.send(CatalogAPI.GetListing(id: listing.id)).commentCount == 5)

      // A deleted comment with replies leaves a placeholder; one without replies leaves nothing.
      for id in [comments[0].id, comments[1].id] { _ = try await bob.client.send(CatalogAPI.DeleteComment(id: id)) }
      let left = try await ada.client.send(CatalogAPI.ListListingComments(id: listing.id)).items
      #expect(left.map(\.id) == [comments[2].id, comments[0].id])
      #expect(left[1].text == nil)
      #expect(left[1].author == nil)
      #expect(left[1].authorID == nil)
      #expect(left[1].replyCount == 2)
      #expect(try await ada.client.send(CatalogAPI.GetListing(id: listing.id)).commentCount == 3)
      // A deleted comment cannot be replied to, liked or changed.
      #expect(
        try await problem {
          _ = try await ada.client.send(CatalogAPI.ReplyToComment(id: comments[0].id, text: text()))
        }?.status == 404
      )
      #expect(
        try await problem { _ = try await ada.client.send(CatalogAPI.LikeComment(id: comments[0].id)) }?.status == 404
      )
      let edit = CatalogAPI.UpdateComment(id: comments[0].id, text: try text())
      #expect(try await problem { _ = try await bob.client.send(edit) }?.code == "comment-not-found")
      let again = CatalogAPI.DeleteComment(id: comments[0].id)
      #expect(try await problem { _ = try await bob.client.send(again) }?.code == "comment-not-found")
      // The placeholder is deleted with its last reply.
      for (person, id) in [(ada, reply.id), (bob, second.id)] {
        _ = try await person.client.send(CatalogAPI.DeleteComment(id: id))
      }
      #expect(
        try await ada.client.send(CatalogAPI.ListListingComments(id: listing.id)).items.map(\.id) == [comments[2].id]
      )
      #expect(try await ada.client.send(CatalogAPI.GetListing(id: listing.id)).commentCount == 1)
    }
  }

  @Test func commentsAreChangedForAWhile() async throws {
    try await TestPlatform.catalog { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let listing = try await host.listing(of: ada)
      let comment = try await bob.client.send(CatalogAPI.CommentOnListing(id: listing.id, text: text()))
      host.time.advance(seconds: 14 * 60)
      let changed = try await bob.client.send(
        CatalogAPI.UpdateComment(id: comment.id, ifMatch: EntityTag(version: 1), text: text("Better."))
      )
      #expect(changed.text?.rawValue == "Better.")
      #expect(changed.editedAt == host.time.source.now())
      #expect(changed.version == 2)
      #expect(changed.author?.username == "bob")
      let stale = CatalogAPI.UpdateComment(id: comment.id, ifMatch: EntityTag(version: 1), text: try text())
      #expect(try await problem { _ = try await bob.client.send(stale) }?.status == 412)
      let edit = CatalogAPI.UpdateComment(id: comment.id, text: try text())
      #expect(try await problem { _ = try await ada.client.send(edit) }?.status == 403)
      host.time.advance(seconds: 61)
      let late = try await host.client.send(
        AuthAPI.LogIn(login: "bob", password: "correct horse bob", app: .web)
      )
      let again = host.client.with(accessToken: late.accessToken)
      #expect(try await problem { _ = try await again.send(edit) }?.code == "edit-window-over")
      _ = try await again.send(CatalogAPI.DeleteComment(id: comment.id))
    }
  }

  @Test func authorOwnerAndModeratorTakeAway() async throws {
    try await TestPlatform.catalog { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let (eve, support) = (try await host.user("eve"), try await host.user("helper", as: .support))
      let listing = try await host.listing(of: ada)
      for (person, status) in [(bob, nil as Int?), (ada, nil), (support, nil), (eve, 403)] {
        let comment = try await bob.client.send(CatalogAPI.CommentOnListing(id: listing.id, text: text()))
        let problem = try await problem { _ = try await person.client.send(CatalogAPI.DeleteComment(id: comment.id)) }
        #expect(problem?.status == status)
      }
      let unknown = CatalogAPI.DeleteComment(id: host.ids.make())
      #expect(try await problem { _ = try await bob.client.send(unknown) }?.code == "comment-not-found")
      let nowhere = CatalogAPI.CommentOnListing(id: host.ids.make(), text: try text())
      #expect(try await problem { _ = try await bob.client.send(nowhere) }?.code == "listing-not-found")
      let guest = try await host.guest()
      let remark = CatalogAPI.CommentOnListing(id: listing.id, text: try text())
      #expect(try await problem { _ = try await guest.client.send(remark) }?.status == 403)
      for text in ["", "   ", "a\u{1}b", String(repeating: "a", count: 2001)] {
        let body = String(decoding: try WireJSON.encode(JSONValue.object([("text", .string(text))])), as: UTF8.self)
        #expect(try await host.send(.post, "/v1/listings/\(listing.id)/comments", body, by: bob).status == 422)
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func noOneFloods(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let listing = try await host.listing(of: ada)
      let remark = CatalogAPI.CommentOnListing(id: listing.id, text: try text())
      let refusals = try await concurrently(0..<30) { _ in
        try await problem { _ = try await bob.client.send(remark) }
      }
      #expect(refusals.count { $0 == nil } == 20)
      #expect(Set(refusals.compactMap { $0?.status }) == [429])
      #expect(refusals.compactMap { $0 }.allSatisfy { ($0.retryAfter ?? 0) > 0 }, "\(refusals)")
      _ = try await ada.client.send(remark)
      host.time.advance(seconds: 61)
      _ = try await bob.client.send(remark)
      #expect(try await ada.client.send(CatalogAPI.GetListing(id: listing.id)).commentCount == 22)
    }
  }
}
