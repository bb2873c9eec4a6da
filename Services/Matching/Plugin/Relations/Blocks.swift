import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// Users whom the caller has blocked. Blocked users are not notified: requests that concern the blocker are
/// answered as if there were no such user.
struct Blocks: Feature {
  private let core: MatchingCore

  /// New blocks of one user. Any id can be blocked, so that a block reveals nothing about the account and does not need
  /// auth; this bounds what is stored.
  private static let limit = RateLimit(200, per: 3600, pause: .untilOneIsForgotten)

  init(_ core: MatchingCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(MatchingAPI.ListBlocks.self) { request, call in try await list(request, of: call.user.id) }
    routes.on(MatchingAPI.BlockUser.self) { request, call in try await block(request.userID, by: call.user.id) }
    routes.on(MatchingAPI.UnblockUser.self) { request, call in try await unblock(request.userID, by: call.user.id) }
  }

  private func list(_ request: MatchingAPI.ListBlocks, of user: UserID) async throws -> Page<RelatedUser> {
    let page = try request.page(by: ID<BlockStore.Stored>.self)
    let found = try await core.database.read { db in
      try page.fetch({ try BlockStore.list(of: user, before: $0, limit: $1, in: db) }, key: \.id)
    }
    // A name would show that the user still exists, which must not be revealed to users whom they have blocked.
    let known = await core.names.of(found.rows.filter { !$0.isMutual }.map(\.blocked))
    return found.with(
      found.rows.map { RelatedUser(userID: $0.blocked, user: $0.isMutual ? nil : known[$0.blocked], since: $0.since) }
    )
  }

  private func block(_ other: UserID, by user: UserID) async throws {
    try OtherUser.refuse(user, other, at: "path.userID")
    let id: ID<BlockStore.Stored> = core.ids.make()
    try await core.database.write { tx in
      guard try BlockStore.insert(id, by: user, of: other, in: tx) else { return }
      try StoredLimit(Self.limit, of: user.rawValue, for: "block", core.keys).require(in: tx)
      try Self.separate(user, other, in: tx)
      try RelationEvents.blocked(other, by: user, in: tx)
    }
  }

  /// Ends everything between two users.
  private static func separate(_ user: UserID, _ other: UserID, in tx: Transaction) throws {
    try MatchStore.end(between: user, and: other, in: tx)
    if try ConnectionStore.delete(between: user, and: other, in: tx) {
      try tx.record(ConnectionChanged(user, other, isConnected: false))
    }
    try ConnectionRequestStore.delete(between: user, and: other, in: tx)
    try FollowStore.delete(between: user, and: other, in: tx)
    try ConversationEnding.end(between: user, and: other, in: tx)
  }

  private func unblock(_ other: UserID, by user: UserID) async throws {
    try await core.database.write { tx in
      guard try BlockStore.delete(by: user, of: other, in: tx) else { return }
      try tx.record(BlockChanged(blocker: user, blocked: other, isBlocked: false))
    }
  }

  // MARK: privacy

  /// The users whom the user has blocked; who has blocked the user is left out.
  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let blocks = try BlockStore.list(of: user, before: nil, limit: 100_000, in: db)
    return [("blocks", try JSONValue(blocks.map { RelatedUser(userID: $0.blocked, since: $0.since) }))]
  }

  /// Other services may receive the deletion before a block, so each block is ended as well.
  func erase(_ user: UserID, in tx: Transaction) throws {
    for block in try BlockStore.delete(of: user, in: tx) {
      try tx.record(BlockChanged(blocker: block.blocker, blocked: block.blocked, isBlocked: false))
    }
  }
}
