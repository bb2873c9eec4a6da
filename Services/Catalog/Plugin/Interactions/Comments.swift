import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// Comments on listings and posts.
struct Comments: Feature {
  private let core: CatalogCore

  private static let editSeconds = 15.0 * 60
  /// Comments of one user.
  private static let limit = RateLimit(20, per: 60, pause: .untilAllAreForgotten)

  init(_ core: CatalogCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.ListListingComments.self) { request, call in
      try await list(.listing(request.id), request.page(by: CommentID.self), for: call.user)
    }
    routes.on(CatalogAPI.ListPostComments.self) { request, call in
      try await list(.post(request.id), request.page(by: CommentID.self), for: call.identifiedUser)
    }
    routes.on(CatalogAPI.CommentOnListing.self) { request, call in
      try await comment(request.text, on: .listing(request.id), call)
    }
    routes.on(CatalogAPI.CommentOnPost.self) { request, call in
      try await comment(request.text, on: .post(request.id), call)
    }
    routes.on(CatalogAPI.ListReplies.self) { request, call in try await replies(request, for: call.user) }
    routes.on(CatalogAPI.ReplyToComment.self) { request, call in try await reply(request, call) }
    routes.on(CatalogAPI.UpdateComment.self) { request, call in try await edit(request, by: call.user.id) }
    routes.on(CatalogAPI.DeleteComment.self) { request, call in try await delete(request.id, call) }
  }

  // MARK: reading

  private func list(_ subject: CommentTarget, _ page: PageRequest<CommentID>, for viewer: UserCaller?) async throws
    -> Page<Comment>
  {
    let found = try await core.database.read { db in
      if let viewer, !viewer.isModerator {
        try subject.requireAccess(by: viewer.id, in: db)
      } else {
        try subject.requireExistence(in: db)
      }
      let condition: SQL = "c.subject = \(subject.text) AND c.parent_id IS NULL"
      return try Self.fetch(page, .and(condition, Self.visibility(to: viewer)), for: viewer?.id, in: db)
    }
    return await withAuthors(found)
  }

  private func replies(_ request: CatalogAPI.ListReplies, for viewer: UserCaller) async throws -> Page<Comment> {
    let page = try request.page(by: CommentID.self)
    let found = try await core.database.read { db in
      let comment = try CommentStore.get(request.id, for: viewer.id, in: db)
      try comment.requireTarget(in: db)
      if !viewer.isModerator { try CommentStore.requireAccess(to: request.id, by: viewer.id, in: db) }
      let condition: SQL = "c.parent_id = \(request.id)"
      return try Self.fetch(page, .and(condition, Self.visibility(to: viewer)), for: viewer.id, in: db)
    }
    return await withAuthors(found)
  }

  /// Moderators see what users say who have blocked them.
  private static func visibility(to viewer: UserCaller?) -> SQL? {
    guard let viewer, !viewer.isModerator else { return nil }
    return CommentStore.isVisible(to: viewer.id)
  }

  private static func fetch(
    _ page: PageRequest<CommentID>, _ condition: SQL, for viewer: UserID?, in db: any Connection
  ) throws -> FetchedPage<Comment> {
    try page.fetch(
      { after, limit in
        let filter = SQL.and(condition, after.map { "c.id < \($0)" })
        return try CommentStore.list(filter, "c.id DESC", limit: limit, for: viewer, in: db).map(\.comment)
      }, key: \.id)
  }

  private func withAuthors(_ found: FetchedPage<Comment>) async -> Page<Comment> {
    var items = found.rows
    let authors = await core.names.of(items.compactMap(\.authorID))
    for index in items.indices { items[index].author = items[index].authorID.flatMap { authors[$0] } }
    return found.with(items)
  }

  // MARK: writing

  private func comment(_ text: CommentText, on subject: CommentTarget, _ call: Call) async throws -> Comment {
    let user = try call.user.id
    return try await write(text, call) { db in
      try subject.requireAccess(by: user, in: db)
      return (subject.text, nil)
    }
  }

  private func reply(_ request: CatalogAPI.ReplyToComment, _ call: Call) async throws -> Comment {
    let user = try call.user.id
    return try await write(request.text, call) { db in
      let comment = try CommentStore.present(request.id, for: user, in: db)
      try comment.requireTarget(in: db)
      try CommentStore.requireAccess(to: request.id, by: user, in: db)
      guard let owner = try CommentTarget(comment.subject)?.owner(in: db),
        try ReportedBlocks.exist(between: user, and: owner, in: db)
      else { return (comment.subject, comment.comment.parentID ?? comment.comment.id) }
      throw Problem(.commentNotFound)
    }
  }

  private func write(
    _ text: CommentText,
    _ call: Call,
    _ target: @escaping @Sendable (any Connection) throws -> (subject: String, parent: CommentID?)
  ) async throws -> Comment {
    let author = try call.user
    guard !author.roles.contains(.guest) else { throw Problem(.forbidden, detail: "Guests must sign up to comment.") }
    let id: CommentID = core.ids.make()
    var written = try await core.database.write { tx in
      try tx.idempotent(call.idempotencyKey) {
        try StoredLimit(Self.limit, of: author.id.rawValue, for: "comment", core.keys).require(in: tx)
        let (subject, parent) = try target(tx)
        let comment = Comment(
          id: id,
          parentID: parent,
          authorID: author.id,
          text: text,
          likeCount: 0,
          replyCount: 0,
          isLiked: false,
          createdAt: tx.now,
          editedAt: nil,
          version: 1
        )
        let stored = StoredComment(comment: comment, subject: subject)
        try CommentStore.insert(stored, in: tx)
        try ListingTopic.comment(stored, "added", in: tx)
        return comment
      }
    }
    written.author = await core.names.of([author.id])[author.id]
    return written
  }

  private func edit(_ request: CatalogAPI.UpdateComment, by user: UserID) async throws -> Comment {
    var changed = try await core.database.write { tx in
      var stored = try CommentStore.present(request.id, for: user, in: tx)
      guard stored.comment.authorID == user else {
        try CommentStore.requireAccess(to: request.id, by: user, in: tx)
        throw Problem(.forbidden, detail: "Only the author can change a comment.")
      }
      guard tx.now.seconds(since: stored.comment.createdAt) <= Self.editSeconds else { throw Problem(.editWindowOver) }
      try request.ifMatch?.require(stored.comment.version)
      stored.comment.text = request.text
      stored.comment.editedAt = tx.now
      stored.comment.version += 1
      try CommentStore.update(stored.comment, in: tx)
      try ListingTopic.comment(stored, "changed", in: tx)
      return stored.comment
    }
    changed.author = await core.names.of([user])[user]
    return changed
  }

  private func delete(_ id: CommentID, _ call: Call) async throws {
    let user = try call.user
    try await core.database.write { tx in
      let stored = try CommentStore.present(id, for: user.id, in: tx)
      let isHost = try Self.owns(user.id, stored.subject, in: tx)
      guard stored.comment.authorID == user.id || isHost || user.isModerator else {
        try CommentStore.requireAccess(to: id, by: user.id, in: tx)
        throw Problem(.forbidden, detail: "The comment belongs to another user.")
      }
      try CommentStore.delete(stored, in: tx)
      try ListingTopic.comment(stored, "deleted", in: tx)
      try tx.audit("comment.deleted", object: "comment:\(id)", by: call.auditActor)
    }
  }

  private static func owns(_ user: UserID, _ subject: String, in db: any Connection) throws -> Bool {
    guard case .listing(let id) = CommentTarget(subject) else { return false }
    return try ListingStore.isOwned(id, by: user, in: db)
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let comments = try CommentStore.list("c.author_id = \(user)", "c.id", limit: 10_000, for: user, in: db)
    return [
      (
        "comments",
        .array(
          comments.map { stored in
            [
              "id": .string(stored.comment.id.rawValue), "about": .string(stored.subject),
              "text": .string(stored.comment.text?.rawValue ?? ""),
            ]
          }
        )
      )
    ]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    while true {
      let some = try CommentStore.list("c.author_id = \(user)", "c.id DESC", limit: 200, for: user, in: tx)
      if some.isEmpty { return }
      for stored in some {
        try CommentStore.delete(stored, in: tx)
        try ListingTopic.comment(stored, "deleted", in: tx)
      }
    }
  }
}
