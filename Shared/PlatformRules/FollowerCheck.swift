public import Contracts
import Logging
public import ServiceKit

/// Asks matching who follows whom. A platform without it has no followers.
public struct FollowerCheck: Sendable {
  private let matching: APIClient
  private let upstreams: Upstreams
  private let logger: Logger

  public init(_ environment: ServiceEnvironment) {
    (matching, upstreams) = (environment.client(of: MatchingAPI.self), environment.upstreams)
    logger = environment.logger
  }

  /// Whether the viewer may see what a user shows to followers.
  /// - Throws: ``Problem`` 503 when matching does not respond.
  public func allows(_ viewer: UserID, toSee user: UserID) async throws -> Bool {
    if viewer == user { return true }
    guard upstreams.find(MatchingAPI.name) != nil else { return false }
    do {
      let relations = try await matching.send(MatchingAPI.CheckRelations(user: viewer, others: UserList([user])))
      return relations.items.contains { $0.userID == user && $0.isFollowing && !$0.isBlocked }
    } catch {
      logger.warning("followers could not be checked", metadata: ["error": "\(error)"])
      throw Problem(.unavailable, retryAfter: 5)
    }
  }
}
