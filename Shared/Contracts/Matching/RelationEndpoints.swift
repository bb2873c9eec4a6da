extension MatchingAPI {
  static let relations: [any Endpoint.Type] = [
    ListBlocks.self, BlockUser.self, UnblockUser.self,
    ListConnections.self, RequestConnection.self, AcceptConnection.self, DeclineConnection.self, RemoveConnection.self,
    ListMutualConnections.self,
    ListFollows.self, FollowUser.self, UnfollowUser.self,
    GetRelationship.self, ListRelationships.self, CheckRelations.self,
  ]

  // MARK: - blocks

  /// Most recently blocked first.
  public struct ListBlocks: PagedEndpoint {
    public typealias Response = Page<RelatedUser>
    public static let operation = Operation.get("/v1/blocks", "List the users that the caller has blocked")
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }

  /// Ends the match, connection, requests, follows, conversations and presence between the two users. The other user is
  /// not notified. Any id is accepted, also that of an unknown user.
  public struct BlockUser: Endpoint {
    public static let operation = Operation.put("/v1/blocks/{userID}", "Block a user", success: 204)
    public var userID: UserID
    public init(userID: UserID) { self.userID = userID }
  }

  /// Restores nothing of what the block has ended.
  public struct UnblockUser: Endpoint {
    public static let operation = Operation.delete("/v1/blocks/{userID}", "Unblock a user", success: 204)
    public var userID: UserID
    public init(userID: UserID) { self.userID = userID }
  }

  // MARK: - connections

  /// Newest first; an inbox shows the first page of accepted connections as the recent ones.
  public struct ListConnections: PagedEndpoint {
    public typealias Response = Page<UserConnection>
    public static let operation = Operation.get("/v1/connections", "List the caller's connections or requests")
    /// `accepted` by default.
    public var status: ConnectionStatus?
    public var limit: PageSize?
    public var cursor: String?
    public init(status: ConnectionStatus? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      (self.status, self.limit, self.cursor) = (status, limit, cursor)
    }
  }

  /// When the other user has already asked the caller, the two are connected at once. While a connection or request
  /// exists, it is returned unchanged.
  public struct RequestConnection: Endpoint {
    public typealias Response = UserConnection
    public static let operation = Operation.post(
      "/v1/connections", "Request a connection with a user", publishes: true, idempotency: .idempotent,
      problems: [.userNotFound]
    )
    public var userID: UserID
    public var note: ConnectionNote?
    public init(userID: UserID, note: ConnectionNote? = nil) { (self.userID, self.note) = (userID, note) }
  }

  public struct AcceptConnection: Endpoint {
    public typealias Response = UserConnection
    public static let operation = Operation.post(
      "/v1/connections/{id}/accept", "Accept a connection request", publishes: true, idempotency: .idempotent,
      problems: [.connectionNotFound]
    )
    public var id: ConnectionID
    public init(id: ConnectionID) { self.id = id }
  }

  /// The request ends; the requester is not notified.
  public struct DeclineConnection: Endpoint {
    public static let operation = Operation.post(
      "/v1/connections/{id}/decline", "Decline a connection request", success: 204,
      problems: [.connectionNotFound]
    )
    public var id: ConnectionID
    public init(id: ConnectionID) { self.id = id }
  }

  public struct RemoveConnection: Endpoint {
    public static let operation = Operation.delete(
      "/v1/connections/{id}", "Remove a connection, or withdraw a request", success: 204,
      problems: [.connectionNotFound]
    )
    public var id: ConnectionID
    public init(id: ConnectionID) { self.id = id }
  }

  /// `since` is when the caller became connected to each.
  public struct ListMutualConnections: PagedEndpoint {
    public typealias Response = RelatedUsers
    public static let operation = Operation.get(
      "/v1/connections/mutual/{userID}", "List and count the caller's connections who are connected to a user"
    )
    public var userID: UserID
    public var limit: PageSize?
    public var cursor: String?
    public init(userID: UserID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.userID, self.limit, self.cursor) = (userID, limit, cursor)
    }
  }

  // MARK: - follows

  /// Newest first. Exactly one of `followers` and `following` is given. Users who have blocked the caller, or are blocked
  /// by the caller, are neither listed nor counted.
  public struct ListFollows: PagedEndpoint {
    public typealias Response = RelatedUsers
    public static let operation = Operation.get("/v1/follows", "List and count a user's followers or followed users")
    /// The user whose followers are listed.
    public var followers: UserID?
    /// The user whose followed users are listed.
    public var following: UserID?
    public var limit: PageSize?
    public var cursor: String?
    public init(
      followers: UserID? = nil, following: UserID? = nil, limit: PageSize? = nil, cursor: String? = nil
    ) {
      (self.followers, self.following, self.limit, self.cursor) = (followers, following, limit, cursor)
    }
  }

  public struct FollowUser: Endpoint {
    public static let operation = Operation.put(
      "/v1/follows/{userID}", "Follow a user", success: 204, problems: [.userNotFound]
    )
    public var userID: UserID
    public init(userID: UserID) { self.userID = userID }
  }

  public struct UnfollowUser: Endpoint {
    public static let operation = Operation.delete("/v1/follows/{userID}", "Unfollow a user", success: 204)
    public var userID: UserID
    public init(userID: UserID) { self.userID = userID }
  }

  // MARK: - relationships

  public struct GetRelationship: Endpoint {
    public typealias Response = Relationship
    public static let operation = Operation.get("/v1/relations/{userID}", "Get the caller's relationship to a user")
    public var userID: UserID
    public init(userID: UserID) { self.userID = userID }
  }

  public struct ListRelationships: Endpoint {
    public typealias Response = Page<Relationship>
    public static let operation = Operation.get(
      "/v1/relations", "List the caller's relationships to several users, in the order given"
    )
    public var users: UserList
    public init(users: UserList) { self.users = users }
  }

  /// Internal, for services that show users something of each other.
  public struct CheckRelations: Endpoint {
    public typealias Response = Page<UserRelation>
    public static let operation = Operation.post(
      "/internal/v1/relationships", "List a user's relationships to other users",
      access: .services(CatalogAPI.self, MediaAPI.self, StudyAPI.self),
      idempotency: .safe, limits: .init(seconds: 5)
    )
    public var user: UserID
    public var others: UserList
    public init(user: UserID, others: UserList) { (self.user, self.others) = (user, others) }
  }
}

extension Problem.Kind {
  public static let connectionNotFound = Self(
    "connection-not-found", status: 404, "There is no such connection",
    meaning: "The users are not connected, and there is no open request between them.",
    remedy: "Load the connections again.")
}
