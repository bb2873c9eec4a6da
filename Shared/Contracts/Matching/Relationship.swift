/// The caller's relationship to a user. When either has blocked the other, everything except `isBlocked` is as
/// for an unknown user: blocked users cannot find out.
public struct Relationship: Codable, Sendable, Equatable {
  public enum Connection: String, WireEnum {
    case none
    /// The caller has asked the user.
    case requested
    /// The user has asked the caller.
    case incoming
    case connected
  }

  public var userID: UserID
  public var isFollowing: Bool
  public var isFollowedBy: Bool
  /// How many users follow the user.
  public var followers: Int
  /// How many users the user follows.
  public var following: Int
  public var connection: Connection
  /// The id of the connection or of the request.
  public var connectionID: ConnectionID?
  /// How many of the caller's connections are also connected to the user.
  public var mutualConnections: Int
  /// Whether the caller has blocked the user.
  public var isBlocked: Bool
  /// Whether the two like each other as roommates.
  public var isMatched: Bool
  public init(
    userID: UserID, isFollowing: Bool = false, isFollowedBy: Bool = false, followers: Int = 0, following: Int = 0,
    connection: Connection = .none, connectionID: ConnectionID? = nil, mutualConnections: Int = 0,
    isBlocked: Bool = false, isMatched: Bool = false
  ) {
    (self.userID, self.isFollowing, self.isFollowedBy) = (userID, isFollowing, isFollowedBy)
    (self.followers, self.following, self.connection) = (followers, following, connection)
    (self.connectionID, self.mutualConnections) = (connectionID, mutualConnections)
    (self.isBlocked, self.isMatched) = (isBlocked, isMatched)
  }
}
