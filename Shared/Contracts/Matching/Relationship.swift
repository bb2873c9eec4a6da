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

/// How a user is related to another, as services see it.
public struct UserRelation: Codable, Sendable, Equatable {
  public var userID: UserID
  /// Whether the user in question follows this one.
  public var isFollowing: Bool
  /// Whether this one follows the user in question.
  public var isFollowedBy: Bool
  /// Whether either has blocked the other; they then do not follow each other.
  public var isBlocked: Bool
  /// Whether the two are connected; absent from versions of the service that do not report it.
  public var isConnected: Bool?
  public init(
    userID: UserID, isFollowing: Bool, isFollowedBy: Bool, isBlocked: Bool, isConnected: Bool? = nil
  ) {
    (self.userID, self.isFollowing) = (userID, isFollowing)
    (self.isFollowedBy, self.isBlocked, self.isConnected) = (isFollowedBy, isBlocked, isConnected)
  }
}
