import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The replies of a discussion.
struct DiscussionReplies: Feature {
  static let maxCount = 10_000

  private let core: CourseCore
  private let store: DiscussionReplyStore

  init(_ core: CourseCore) { (self.core, store) = (core, DiscussionReplyStore(keys: core.keys)) }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.ListDiscussionReplies.self) { request, call in
      try await list(request, for: core.caller(call))
    }
    routes.on(StudyAPI.ReplyToDiscussion.self) { request, call in
      try await reply(request, by: core.caller(call), call.idempotencyKey)
    }
    routes.on(StudyAPI.UpdateDiscussionReply.self) { request, call in
      try await update(request, by: core.caller(call))
    }
    routes.on(StudyAPI.DeleteDiscussionReply.self) { request, call in
      try await delete(request, by: core.caller(call))
    }
  }

  private func list(_ request: StudyAPI.ListDiscussionReplies, for user: UserID) async throws -> Page<DiscussionReply> {
    let page = try request.page(by: DiscussionReplyID.self)
    let found = try await core.database.read { db in
      _ = try CourseAccess(request.course, of: user, in: db)
      let discussion = try DiscussionStore.get(request.discussion, of: request.course, in: db)
      return try page.fetch(
        { try DiscussionReplyStore.list(of: discussion.id, after: $0, limit: $1, in: db) }, key: { $0.id })
    }
    return found.with(try await show(found.rows))
  }

  private func show(_ rows: [StoredDiscussionReply]) async throws -> [DiscussionReply] {
    let names = await core.names.of(rows.compactMap(\.author))
    return try rows.map { stored in
      var reply = try store.open(stored)
      reply.author = stored.author.flatMap { names[$0] }
      return reply
    }
  }

  private func show(_ stored: StoredDiscussionReply) async throws -> DiscussionReply {
    guard let reply = try await show([stored]).first else { throw Problem(.notFound) }
    return reply
  }

  private func reply(_ request: StudyAPI.ReplyToDiscussion, by user: UserID, _ key: IdempotentRequest?) async throws
    -> DiscussionReply
  {
    let stored = try await core.database.write { tx in
      let access = try CourseAccess(request.course, of: user, in: tx)
      let discussion = try DiscussionStore.get(request.discussion, of: request.course, in: tx)
      let id = try tx.idempotent(key) {
        try requireOpen(discussion, access)
        try Discussions.take(core, user, in: tx)
        guard discussion.replyCount < Self.maxCount else { throw Problem(.courseLimit) }
        let id: DiscussionReplyID = core.ids.make()
        try DiscussionReplyStore.insert(
          StoredDiscussionReply(
            id: id, discussion: discussion.id, author: user, sealed: store.seal(request.text, of: id),
            createdAt: tx.now, version: 1), in: tx)
        try DiscussionStore.countReply(to: discussion.id, in: tx)
        try changed(discussion, tx)
        return id
      }
      return try DiscussionReplyStore.get(id, of: discussion.id, in: tx)
    }
    return try await show(stored)
  }

  private func update(_ request: StudyAPI.UpdateDiscussionReply, by user: UserID) async throws -> DiscussionReply {
    let stored = try await core.database.write { tx in
      let access = try CourseAccess(request.course, of: user, in: tx)
      let discussion = try DiscussionStore.get(request.discussion, of: request.course, in: tx)
      var reply = try DiscussionReplyStore.get(request.id, of: discussion.id, in: tx)
      guard reply.author == user else { throw Problem(.forbidden) }
      guard reply.sealed != nil else { throw Problem(.notFound) }
      try requireOpen(discussion, access)
      try request.ifMatch?.require(reply.version)
      try Discussions.take(core, user, in: tx)
      (reply.sealed, reply.editedAt) = (try store.seal(request.text, of: reply.id), tx.now)
      reply.version += 1
      try DiscussionReplyStore.update(reply, in: tx)
      try changed(discussion, tx)
      return reply
    }
    return try await show(stored)
  }

  private func delete(_ request: StudyAPI.DeleteDiscussionReply, by user: UserID) async throws {
    try await core.database.write { tx in
      let access = try CourseAccess(request.course, of: user, in: tx)
      let discussion = try DiscussionStore.get(request.discussion, of: request.course, in: tx)
      var reply = try DiscussionReplyStore.get(request.id, of: discussion.id, in: tx)
      guard access.role.teaches || reply.author == user else { throw Problem(.forbidden) }
      try access.requireActive()
      if reply.sealed == nil { return }
      reply.sealed = nil
      reply.version += 1
      try DiscussionReplyStore.update(reply, in: tx)
      try changed(discussion, tx)
    }
  }

  private func requireOpen(_ discussion: StoredDiscussion, _ access: CourseAccess) throws {
    try access.requireActive()
    if discussion.isLocked, !access.role.teaches { throw Problem(.discussionLocked) }
  }

  private func changed(_ discussion: StoredDiscussion, _ tx: Transaction) throws {
    try CourseEvents.changed("replies.changed", discussion.id.rawValue, in: discussion.course, tx)
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let own = try DiscussionReplyStore.list(by: user, in: db).map { try JSONValue(store.open($0)) }
    return [("courseReplies", .array(own))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try DiscussionReplyStore.erase(user, in: tx) }
}
