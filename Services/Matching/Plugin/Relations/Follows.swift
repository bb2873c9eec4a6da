import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The followers of users; they see new content and shared progress.
struct Follows: Feature {
  private let core: MatchingCore

  /// New follows of one user.
  static let limit = RateLimit(400, per: 3600, pause: .untilOneIsForgotten)

  init(_ core: MatchingCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(MatchingAPI.ListFollows.self) { request, call in try await list(request, for: call.user.id) }
    routes.on(MatchingAPI.FollowUser.self) { request, call in
      try await follow(request.userID, by: MatchingCore.member(call, "connect with others").id)
    }
    routes.on(MatchingAPI.UnfollowUser.self) { request, call in try await unfollow(request.userID, by: call.user.id) }
  }

  private func list(_ request: MatchingAPI.ListFollows, for viewer: UserID) async throws -> RelatedUsers {
    let (user, side) = try Self.wanted(request)
    let page = try request.page(by: ID<FollowStore.Stored>.self)
    let (found, count) = try await core.database.read { db -> (FetchedPage<FollowStore.Stored>, Int) in
      // The response is the same as for an unknown user.
      let isHidden = try BlockStore.exists(between: viewer, and: user, in: db)
      let found = try page.fetch(
        { before, limit -> [FollowStore.Stored] in
          if isHidden { return [] }
          return try FollowStore.list(side, of: user, for: viewer, before: before, limit: limit, in: db)
        }, key: \.id)
      let count = isHidden ? 0 : try FollowStore.counts(side, of: [user], for: viewer, in: db)[user] ?? 0
      return (found, count)
    }
    let known = await core.names.of(found.rows.map(\.userID))
    let items = found.rows.map { RelatedUser(userID: $0.userID, user: known[$0.userID], since: $0.since) }
    return RelatedUsers(items: items, count: count, nextCursor: found.nextCursor)
  }

  private static func wanted(_ request: MatchingAPI.ListFollows) throws -> (user: UserID, side: FollowStore.Side) {
    switch (request.followers, request.following) {
    case (let user?, nil): return (user, .followers)
    case (nil, let user?): return (user, .following)
    case (nil, nil), (_?, _?):
      throw Problem(
        .invalidRequest,
        errors: [.init(location: "query.followers", message: "or query.following is required, but not both")]
      )
    }
  }

  private func follow(_ other: UserID, by user: UserID) async throws {
    let other = try await OtherUser(other, at: "path.userID", for: user, core.names)
    let id: ID<FollowStore.Stored> = core.ids.make()
    try await core.database.write { tx in
      guard try FollowStore.followed(by: user, among: [other.id], in: tx).isEmpty else { return }
      try StoredLimit(Self.limit, of: user.rawValue, for: "follow", core.keys).require(in: tx)
      try other.requireVisible(to: user, in: tx)
      _ = try FollowStore.insert(id, user, of: other.id, in: tx)
    }
  }

  private func unfollow(_ other: UserID, by user: UserID) async throws {
    try await core.database.write { tx in
      guard try FollowStore.delete(user, of: other, in: tx) else { return }
      try RelationEvents.unfollowed(other, by: user, in: tx)
    }
  }

  // MARK: privacy

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    func list(_ side: FollowStore.Side) throws -> JSONValue {
      let rows = try FollowStore.list(side, of: user, for: user, before: nil, limit: 1_000_000, in: db)
      return try JSONValue(rows.map { RelatedUser(userID: $0.userID, since: $0.since) })
    }
    return [("follows", ["following": try list(.following), "followers": try list(.followers)])]
  }

  func erase(_ user: UserID, in tx: Transaction) throws { try FollowStore.delete(of: user, in: tx) }
}
