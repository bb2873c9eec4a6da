import Contracts
import Persistence
import PlatformRules
import ServiceKit

struct Posts: Feature {
  private let core: CatalogCore

  init(_ core: CatalogCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.ListPosts.self) { request, call in
      try await list(request, for: call.identifiedUser?.id)
    }
    routes.on(CatalogAPI.CreatePost.self) { request, call in try await create(request, call) }
    routes.on(CatalogAPI.GetPost.self) { request, call in
      let viewer = call.identifiedUser?.id
      return try await core.database.read { try PostStore.get(request.id, for: viewer, in: $0) }
    }
    routes.previews("post") { id in
      try await core.database.read { db in try PostStore.find(id, in: db) }.map { post in
        LinkPreview(
          type: .article, title: post.title.rawValue, description: post.description?.rawValue, picture: post.media,
          isIndexed: true)
      }
    }
    routes.on(CatalogAPI.UpdatePost.self) { request, call in try await update(request, call) }
    routes.on(CatalogAPI.DeletePost.self) { request, call -> Void in
      try await core.database.write { tx in
        let post = try PostStore.get(request.id, in: tx)
        try request.ifMatch?.require(post.version)
        try PostStore.delete(request.id, in: tx)
        try PostMedia.reportDeleted(post, in: tx)
        try tx.audit("post.deleted", object: "post:\(request.id)", by: call.auditActor)
      }
    }
  }

  private func list(_ request: CatalogAPI.ListPosts, for viewer: UserID?) async throws -> Page<Post> {
    let page = try request.page(by: Cursor.self)
    // Authors look for what they have just written.
    return try await core.database.read(viewer == nil ? .snapshot : .latest) { db in
      try page.fetch(
        { after, limit in
          let filter = SQL.and(after.map { "(date, id) < (\($0.date), \($0.id))" })
          return try PostStore.list(filter, limit: limit, for: viewer, in: db)
        }, key: { Cursor(date: $0.date, id: $0.id) }
      ).page
    }
  }

  /// A date and the id of a post on that date.
  private struct Cursor: PageCursor {
    var date: CalendarDate
    var id: PostID

    init(date: CalendarDate, id: PostID) { (self.date, self.id) = (date, id) }

    init?(cursor: String) {
      let parts = cursor.split(separator: "_", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, let date = CalendarDate(parts[0]), let id = PostID(parts[1]) else { return nil }
      self.init(date: date, id: id)
    }

    var cursor: String { "\(date)_\(id)" }
  }

  private func create(_ request: CatalogAPI.CreatePost, _ call: Call) async throws -> Post {
    let id: PostID = core.ids.make()
    let change = request.media.map { Patch.set($0) } ?? .keep
    try await core.media.require(PostMedia.wanted(change), of: call.user.id, for: id.topic)
    return try await core.database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        let post = Post(
          id: id,
          title: request.title,
          date: request.date ?? CalendarDate(tx.now),
          mediaLink: request.mediaLink,
          media: request.media,
          description: request.description,
          likeCount: 0,
          commentCount: 0,
          isLiked: false,
          createdAt: tx.now,
          version: 1
        )
        try PostStore.insert(post, in: tx)
        try PostMedia.report(post, in: tx)
        try tx.audit("post.created", object: "post:\(id)", by: call.auditActor)
        return post
      }
    }
  }

  private func update(_ request: CatalogAPI.UpdatePost, _ call: Call) async throws -> Post {
    let user = try call.user.id
    let known = try await core.database.read { db in try PostStore.get(request.id, in: db).media }
    try await core.media.require(PostMedia.wanted(request.media, from: known), of: user, for: request.id.topic)
    return try await core.database.write { tx in
      var post = try PostStore.get(request.id, for: user, in: tx)
      try request.ifMatch?.require(post.version)
      let patch = request
      post.title = patch.title ?? post.title
      post.date = patch.date ?? post.date
      post.mediaLink = patch.mediaLink.applied(to: post.mediaLink)
      post.media = patch.media.applied(to: post.media)
      post.description = patch.description.applied(to: post.description)
      post.version += 1
      try PostStore.update(post, in: tx)
      try PostMedia.report(post, in: tx)
      try tx.audit("post.changed", object: "post:\(request.id)", by: call.auditActor)
      return post
    }
  }
}
