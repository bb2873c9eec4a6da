import Contracts
import Persistence
import ServiceKit

/// Likes and archived listings. Each exists at most once per user and object, and the object's counter changes only
/// when a row was inserted or deleted, so that it stays exact under concurrent requests.
struct Reactions: Feature {
  private let core: CatalogCore

  init(_ core: CatalogCore) { self.core = core }

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
    routes.on(CatalogAPI.ListArchive.self) { request, call in try await archive(request, of: call.user) }
  }

  private func set(_ kind: ReactionKind, _ object: String, _ isSet: Bool, _ missing: Problem.Kind, _ call: Call)
    async throws
  {
    let (user, id) = (try call.user.id, core.ids.text())
    try await core.database.write { tx in
      guard try Self.count(kind, object, by: 0, in: tx) else { throw Problem(missing) }
      // A like can be taken back after a block, and after what the comment is about was deleted.
      if isSet { try Self.requireAccess(to: kind, object, by: user, in: tx) }
      let isChanged =
        isSet
        ? try ReactionStore.insert(kind, object, by: user, id: id, in: tx)
        : try ReactionStore.delete(kind, object, by: user, in: tx)
      if isChanged { _ = try Self.count(kind, object, by: isSet ? 1 : -1, in: tx) }
    }
  }

  /// Requires that there is no block between the user and the owner of what the user likes or archives. Posts are the
  /// shop's.
  private static func requireAccess(to kind: ReactionKind, _ object: String, by user: UserID, in db: any Connection)
    throws
  {
    switch kind {
    case .listingLike, .archive: try CommentTarget.listing(ListingID(trusted: object)).requireAccess(by: user, in: db)
    case .commentLike:
      let id = CommentID(trusted: object)
      try CommentStore.get(id, for: user, in: db).requireTarget(in: db)
      try CommentStore.requireAccess(to: id, by: user, in: db)
    case .postLike: break
    }
  }

  /// Changes the counter of the object.
  /// - Returns: `false` when the object does not exist.
  private static func count(_ kind: ReactionKind, _ object: String, by change: Int, in tx: Transaction) throws -> Bool {
    switch kind {
    case .listingLike: try ListingStore.countLikes(of: ListingID(trusted: object), by: change, in: tx)
    case .archive: try ListingStore.countArchived(ListingID(trusted: object), by: change, in: tx)
    case .commentLike: try CommentStore.countLikes(of: CommentID(trusted: object), by: change, in: tx)
    case .postLike: try PostStore.countLikes(of: PostID(trusted: object), by: change, in: tx)
    }
  }

  private func archive(_ request: CatalogAPI.ListArchive, of user: UserCaller) async throws -> Page<ListingSummary> {
    let page = try request.page(by: ID<Reactions>.self)
    let archive = try await core.database.read { db in
      let found = try page.fetch({ try ReactionStore.archive(of: user.id, before: $0, limit: $1, in: db) }, key: \.mark)
      let ids: SQL = "l.id IN \(list: found.rows.map(\.listing))"
      let listings = try ListingStore.list(ids, "l.id", limit: page.limit, for: ListingViewer(user), in: db)
      let byID = Dictionary(listings.map { ($0.id, $0) }) { first, _ in first }
      return found.with(found.rows.compactMap { byID[$0.listing] })
    }
    return await core.owners.named(archive)
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    [("marks", .array(try ReactionStore.list(of: user, in: db)))]
  }

  func erase(_ user: UserID, in tx: Transaction) throws {
    for kind in ReactionKind.allCases {
      for object in try ReactionStore.objects(kind, of: user, in: tx) {
        _ = try Self.count(kind, object, by: -1, in: tx)
      }
      try ReactionStore.delete(kind, by: user, in: tx)
    }
  }
}
