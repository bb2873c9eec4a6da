import Contracts
import ServiceKit
import TestKit
import Testing

/// The blog: public, written by the owner, liked and discussed by users who are signed in.
@Suite(.serialized)
struct PostTests {
  @Test(arguments: TestDatabase.allCases)
  func theOwnerWrites(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (owner, bob) = (try await host.user("boss", as: .owner), try await host.user("bob"))
      var posts: [Post] = []
      for day in ["2025-12-24", "2026-01-01", "2025-12-24", "2025-06-01"] {
        posts.append(
          try await owner.client.send(
            CatalogAPI.CreatePost(
              title: ShortText(validating: "Post of \(day)"), date: CalendarDate(day),
              mediaLink: WebLink(validating: "https://example.com/a.mp4"))
          )
        )
      }
      let two = PageSize(checked: 2)
      let seen = try await allPages { try await host.client.send(CatalogAPI.ListPosts(limit: two, cursor: $0)) }
      // The latest date first, and within a day the latest post first.
      #expect(seen.map(\.id) == [1, 2, 0, 3].map { posts[$0].id })
      let today = try await owner.client.send(
        CatalogAPI.CreatePost(title: ShortText(validating: "Today"))
      )
      #expect(today.date == CalendarDate(host.time.source.now()))

      let edit = CatalogAPI.UpdatePost(
        id: posts[0].id,
        ifMatch: EntityTag(version: 1),
        mediaLink: .remove, description: .set(try LongText(validating: "More.")))
      let changed = try await owner.client.send(edit)
      #expect(changed.mediaLink == nil)
      #expect(changed.description?.rawValue == "More.")
      #expect(changed.version == 2)
      #expect(try await owner.client.send(CatalogAPI.GetPost(id: changed.id)) == changed)
      #expect(try await problem { _ = try await owner.client.send(edit) }?.status == 412)
      #expect(try await problem { _ = try await bob.client.send(edit) }?.status == 403)
      let creation = CatalogAPI.CreatePost(title: try ShortText(validating: "Mine"))
      #expect(try await problem { _ = try await bob.client.send(creation) }?.status == 403)
      #expect(try await problem { _ = try await host.client.send(creation) }?.status == 401)
      for cursor in ["", "_", "2025-01-01", "2025-13-01_x", "~"] {
        let problem = try await problem { _ = try await host.client.send(CatalogAPI.ListPosts(cursor: cursor)) }
        #expect(problem?.errors?.map(\.location) == ["query.cursor"], "\(cursor)")
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func peopleLikeAndDiscuss(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let (owner, bob) = (try await host.user("boss", as: .owner), try await host.user("bob"))
      let post = try await owner.client.send(
        CatalogAPI.CreatePost(title: ShortText(validating: "Hello"))
      )
      for _ in 0..<2 { _ = try await bob.client.send(CatalogAPI.LikePost(id: post.id)) }
      let text = try CommentText(validating: "Welcome!")
      let comment = try await bob.client.send(CatalogAPI.CommentOnPost(id: post.id, text: text))
      _ = try await bob.client.send(CatalogAPI.ReplyToComment(id: comment.id, text: text))
      let seen = try await host.client.send(CatalogAPI.GetPost(id: post.id))
      #expect(seen.likeCount == 1)
      #expect(seen.commentCount == 2)
      // Comments are public; without a user there is no `isLiked`.
      let comments = try await host.client.send(CatalogAPI.ListPostComments(id: post.id)).items
      #expect(comments.map(\.id) == [comment.id])
      #expect(comments.first?.author?.username == "bob")
      #expect(comments.first?.isLiked == nil)
      _ = try await bob.client.send(CatalogAPI.UnlikePost(id: post.id))
      #expect(try await host.client.send(CatalogAPI.GetPost(id: post.id)).likeCount == 0)

      let removal = CatalogAPI.DeletePost(id: post.id)
      #expect(try await problem { _ = try await bob.client.send(removal) }?.status == 403)
      _ = try await owner.client.send(removal)
      for call in [
        try await problem { _ = try await owner.client.send(removal) },
        try await problem { _ = try await host.client.send(CatalogAPI.GetPost(id: post.id)) },
        try await problem { _ = try await host.client.send(CatalogAPI.ListPostComments(id: post.id)) },
        try await problem { _ = try await bob.client.send(CatalogAPI.LikePost(id: post.id)) },
      ] { #expect(call?.code == "post-not-found") }
      #expect(
        try await problem { _ = try await bob.client.send(CatalogAPI.DeleteComment(id: comment.id)) }?.status == 404
      )
    }
  }
}
