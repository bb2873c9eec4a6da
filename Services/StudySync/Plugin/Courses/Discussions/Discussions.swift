import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// Discussions of the members of a course. Instructors moderate.
struct Discussions: Feature {
  static let maxCount = 10_000
  /// Texts that a user writes.
  static let rate = RateLimit(30, per: 60, pause: .untilOneIsForgotten)

  private let core: CourseCore
  private let store: DiscussionStore

  init(_ core: CourseCore) { (self.core, store) = (core, DiscussionStore(keys: core.keys)) }

  func register(in routes: inout Routes) {
    routes.on(StudyAPI.ListDiscussions.self) { request, call in try await list(request, for: core.caller(call)) }
    routes.on(StudyAPI.StartDiscussion.self) { request, call in
      try await start(request, by: core.caller(call), call.idempotencyKey)
    }
    routes.on(StudyAPI.GetDiscussion.self) { request, call in
      let user = try core.caller(call)
      return try await show(
        try await core.database.read { db in
          _ = try CourseAccess(request.course, of: user, in: db)
          return try DiscussionStore.get(request.id, of: request.course, in: db)
        })
    }
    routes.on(StudyAPI.UpdateDiscussion.self) { request, call in try await update(request, by: core.caller(call)) }
    routes.on(StudyAPI.DeleteDiscussion.self) { request, call in try await delete(request, by: core.caller(call)) }
  }

  static func take(_ core: CourseCore, _ user: UserID, in tx: Transaction) throws {
    try StoredLimit(rate, of: user.rawValue, for: "course-discussion", core.keys).require(in: tx)
  }

  private func list(_ request: StudyAPI.ListDiscussions, for user: UserID) async throws -> Page<Discussion> {
    let page = try request.page(by: DiscussionID.self)
    let found = try await core.database.read { db in
      _ = try CourseAccess(request.course, of: user, in: db)
      return try page.fetch(
        { try DiscussionStore.list(of: request.course, before: $0, limit: $1, in: db) }, key: { $0.id })
    }
    return found.with(try await show(found.rows))
  }

  private func show(_ rows: [StoredDiscussion]) async throws -> [Discussion] {
    let names = await core.names.of(rows.compactMap(\.author))
    return try rows.map { stored in
      var discussion = try store.open(stored)
      discussion.author = stored.author.flatMap { names[$0] }
      return discussion
    }
  }

  private func show(_ stored: StoredDiscussion) async throws -> Discussion {
    guard let discussion = try await show([stored]).first else { throw Problem(.notFound) }
    return discussion
  }

  private func start(_ request: StudyAPI.StartDiscussion, by user: UserID, _ key: IdempotentRequest?) async throws
    -> Discussion
  {
    let content = DiscussionStore.Content(title: request.title, text: request.text)
    let stored = try await core.database.write { tx in
      let access = try CourseAccess(request.course, of: user, in: tx)
      let id = try tx.idempotent(key) {
        try access.requireActive()
        try Self.take(core, user, in: tx)
        guard try DiscussionStore.count(of: request.course, in: tx) < Self.maxCount else {
          throw Problem(.courseLimit)
        }
        let id: DiscussionID = core.ids.make()
        try DiscussionStore.insert(
          StoredDiscussion(
            id: id, course: request.course, author: user, sealed: store.seal(content, of: id), isLocked: false,
            replyCount: 0, createdAt: tx.now, version: 1), in: tx)
        try CourseEvents.changed("discussion.started", id.rawValue, in: request.course, tx)
        return id
      }
      return try DiscussionStore.get(id, of: request.course, in: tx)
    }
    return try await show(stored)
  }

  private func update(_ request: StudyAPI.UpdateDiscussion, by user: UserID) async throws -> Discussion {
    let stored = try await core.database.write { tx in
      let access = try CourseAccess(request.course, of: user, in: tx)
      var discussion = try DiscussionStore.get(request.id, of: request.course, in: tx)
      if request.isLocked != nil, !access.role.teaches { throw Problem(.forbidden) }
      let isEdit = request.title != nil || request.text != nil
      if isEdit, discussion.author != user { throw Problem(.forbidden) }
      try access.requireActive()
      try request.ifMatch?.require(discussion.version)
      if isEdit {
        if discussion.isLocked, !access.role.teaches { throw Problem(.discussionLocked) }
        guard var content = try store.content(discussion) else { throw Problem(.notFound) }
        try Self.take(core, user, in: tx)
        content.title = request.title ?? content.title
        content.text = request.text ?? content.text
        discussion.sealed = try store.seal(content, of: discussion.id)
        discussion.editedAt = tx.now
      }
      discussion.isLocked = request.isLocked ?? discussion.isLocked
      try change(&discussion, in: tx)
      return discussion
    }
    return try await show(stored)
  }

  private func delete(_ request: StudyAPI.DeleteDiscussion, by user: UserID) async throws {
    try await core.database.write { tx in
      let access = try CourseAccess(request.course, of: user, in: tx)
      var discussion = try DiscussionStore.get(request.id, of: request.course, in: tx)
      guard access.role.teaches || discussion.author == user else { throw Problem(.forbidden) }
      try access.requireActive()
      if discussion.sealed == nil { return }
      discussion.sealed = nil
      try change(&discussion, in: tx)
    }
  }

  private func change(_ discussion: inout StoredDiscussion, in tx: Transaction) throws {
    discussion.version += 1
    try DiscussionStore.update(discussion, in: tx)
    try CourseEvents.changed("discussion.changed", discussion.id.rawValue, in: discussion.course, tx)
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let own = try DiscussionStore.list(by: user, in: db).map { try JSONValue(store.open($0)) }
    return [("courseDiscussions", .array(own))]
  }

  /// The replies of others stay.
  func erase(_ user: UserID, in tx: Transaction) throws { try DiscussionStore.erase(user, in: tx) }
}
