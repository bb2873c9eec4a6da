import Contracts
import Persistence
import ServiceKit

/// The caller's relationships to other users, in one transaction with one query of each kind, for any number of users.
struct Relationships: Feature {
  private let core: MatchingCore

  init(_ core: MatchingCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(MatchingAPI.GetRelationship.self) { request, call in
      let viewer = try call.user.id
      return try await core.database.read { db in
        try Self.list([request.userID], for: viewer, in: db).first ?? Relationship(userID: request.userID)
      }
    }
    routes.on(MatchingAPI.ListRelationships.self) { request, call in
      let viewer = try call.user.id
      return try await core.database.read { db in Page(items: try Self.list(request.users.ids, for: viewer, in: db)) }
    }
    routes.on(MatchingAPI.CheckRelations.self) { request, _ in
      try await core.database.read { db in
        Page(items: try Self.relations(of: request.user, to: request.others.ids, in: db))
      }
    }
  }

  private static func relations(of user: UserID, to others: [UserID], in db: any Connection) throws -> [UserRelation] {
    let followed = try FollowStore.followed(by: user, among: others, in: db)
    let followers = try FollowStore.followers(of: user, among: others, in: db)
    let blocked = try BlockStore.others(of: user, among: others, in: db)
    let connected = try ConnectionStore.connected(to: user, among: others, in: db)
    return others.map {
      UserRelation(
        userID: $0, isFollowing: followed.contains($0), isFollowedBy: followers.contains($0),
        isBlocked: blocked.contains($0), isConnected: connected[$0] != nil)
    }
  }

  private static func list(_ users: [UserID], for viewer: UserID, in db: any Connection) throws -> [Relationship] {
    let blocked = try BlockStore.blocked(by: viewer, among: users, in: db)
    let hidden = try BlockStore.others(of: viewer, among: users, in: db)
    let visible = users.filter { !hidden.contains($0) }
    let followed = try FollowStore.followed(by: viewer, among: visible, in: db)
    let following = try FollowStore.followers(of: viewer, among: visible, in: db)
    let followerCounts = try FollowStore.counts(.followers, of: visible, for: viewer, in: db)
    let followingCounts = try FollowStore.counts(.following, of: visible, for: viewer, in: db)
    let connected = try ConnectionStore.connected(to: viewer, among: visible, in: db)
    let pending = try ConnectionRequestStore.pending(of: viewer, among: visible, in: db)
    let mutual = try ConnectionStore.mutualCounts(of: viewer, and: visible.filter { $0 != viewer }, in: db)
    let matched = try MatchStore.matched(to: viewer, among: visible, in: db)
    return users.map { user in
      let request = pending[user]
      return Relationship(
        userID: user,
        isFollowing: followed.contains(user),
        isFollowedBy: following.contains(user),
        followers: followerCounts[user] ?? 0,
        following: followingCounts[user] ?? 0,
        connection: connected[user] != nil ? .connected : request.map { $0.status.relationship } ?? .none,
        connectionID: connected[user] ?? request?.id,
        mutualConnections: mutual[user] ?? 0,
        isBlocked: blocked.contains(user),
        isMatched: matched.contains(user)
      )
    }
  }
}

extension ConnectionStatus {
  fileprivate var relationship: Relationship.Connection {
    switch self {
    case .accepted: .connected
    case .incoming: .incoming
    case .outgoing: .requested
    }
  }
}
