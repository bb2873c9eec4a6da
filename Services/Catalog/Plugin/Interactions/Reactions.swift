import Contracts
import Persistence
import ServiceKit

/// Likes and archived listings. Each exists at most once per user and object, and the object's counter changes only
/// when a row was inserted or deleted, so that it stays exact under concurrent requests.
struct Reactions: Feature {
  private let database: any Database
  private let ids: IDGenerator

  enum Kind: String, CaseIterable {
    case listingLike = "listing-like"
    case archive
    case commentLike = "comment-like"
    case postLike = "post-like"
  }

  init(_ environment: ServiceEnvironment) throws {
    database = try environment.database
    ids = environment.ids
  }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.LikeListing.self) { request, call in
      try await set(.listingLike, request.id.rawValue, true, .listingNotFound, call)
    }
    routes.on(CatalogAPI.UnlikeListing.self) { request, call in
      try await set(.listingLike, request.id.rawValue, false, .listingNotFound, call)
    }
    routes.on(CatalogAPI.ArchiveListing.self) { request, call in
      try await set(.archive, request.id.rawValue, true, .listingNotFound, call)
    }
    routes.on(CatalogAPI.UnarchiveListing.self) { request, call in
      try await set(.archive, request.id.rawValue, false, .listingNotFound, call)
    }
    routes.on(CatalogAPI.LikeComment.self) { request, call in
      try await set(.commentLike, request.id.rawValue, true, .commentNotFound, call)
    }
    routes.on(CatalogAPI.UnlikeComment.self) { request, call in
      try await set(.commentLike, request.id.rawValue, false, .commentNotFound, call)
    }
    routes.on(CatalogAPI.LikePost.self) { request, call in
      try await set(.postLike, request.id.rawValue, true, .postNotFound, call)
    }
    routes.on(CatalogAPI.UnlikePost.self) { request, call in
      try await set(.postLike, request.id.rawValue, false, .postNotFound, call)
    }
    routes.on(CatalogAPI.ListArchive.self) { request, call in try await archive(request, of: call.user.id) }
  }

  private func set(_ kind: Kind, _ object: String, _ isSet: Bool, _ missing: Problem.Kind, _ call: Call) async throws {
    let (user, id) = (try call.user.id, ids.text())
    try await database.write { tx in
      guard try Self.count(kind, object, by: 0, in: tx) else { throw Problem(missing) }
      let changed =
        isSet
        ? try tx.execute(
          """
          INSERT INTO marks (kind, object_id, user_id, id) VALUES (\(kind), \(object), \(user), \(id))
          ON CONFLICT DO NOTHING
          """
        )
        : try tx.execute(
          "DELETE FROM marks WHERE kind = \(kind) AND object_id = \(object) AND user_id = \(user)"
        )
      if changed > 0 { _ = try Self.count(kind, object, by: isSet ? 1 : -1, in: tx) }
    }
  }

  /// Changes the counter of the object.
  /// - Returns: `false` when the object does not exist.
  private static func count(_ kind: Kind, _ object: String, by change: Int, in tx: Transaction) throws -> Bool {
    let changed =
      switch kind {
      case .listingLike:
        try tx.execute(
          "UPDATE listings SET like_count = like_count + \(change) WHERE id = \(object) AND deleted_at IS NULL"
        )
      case .archive:
        try tx.execute(
          "UPDATE listings SET archive_count = archive_count + \(change) WHERE id = \(object) AND deleted_at IS NULL"
        )
      case .commentLike:
        try tx.execute(
          "UPDATE comments SET like_count = like_count + \(change) WHERE id = \(object) AND text IS NOT NULL"
        )
      case .postLike: try tx.execute("UPDATE posts SET like_count = like_count + \(change) WHERE id = \(object)")
      }
    return changed > 0
  }

  private func archive(_ request: CatalogAPI.ListArchive, of user: UserID) async throws -> Page<ListingSummary> {
    let page = try request.page(by: ID<Reactions>.self)
    return try await database.read { db in
      let found = try page.fetch(
        { after, limit in
          let condition = SQL.and("kind = 'archive' AND user_id = \(user)", after.map { "id < \($0)" })
          return try db.all(
            "SELECT object_id, id FROM marks WHERE \(condition) ORDER BY id DESC LIMIT \(limit)"
          ) { row -> (listing: ListingID, mark: ID<Reactions>) in (try row["object_id"], try row["id"]) }
        }, key: \.mark)
      let ids: SQL = "l.id IN \(list: found.rows.map(\.listing))"
      let listings = try ListingStore.rows(ids, "l.id", limit: page.limit, for: user, in: db)
      let byID = Dictionary(listings.map { ($0.id, $0) }) { first, _ in first }
      return found.with(found.rows.compactMap { byID[$0.listing] })
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let marks = try db.all(
      "SELECT kind, object_id FROM marks WHERE kind IN \(list: Kind.allCases) AND user_id = \(user) ORDER BY id"
    ) { row -> JSONValue in ["kind": .string(try row["kind"]), "object": .string(try row["object_id"])] }
    return [("marks", .array(marks))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    for kind in Kind.allCases {
      let objects = try tx.values(
        "SELECT object_id FROM marks WHERE kind = \(kind) AND user_id = \(user)",
        as: String.self
      )
      for object in objects { _ = try Self.count(kind, object, by: -1, in: tx) }
      try tx.execute("DELETE FROM marks WHERE kind = \(kind) AND user_id = \(user)")
    }
  }
}
