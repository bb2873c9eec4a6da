extension AuthAPI {
  public struct GetMe: Endpoint {
    public typealias Response = Account
    public static let operation = Operation.get("/v1/users/me", "Get the caller's account")
    public init() {}
  }

  /// A changed username requires a recent proof, because it is what its user signs in with; the old one cannot be taken
  /// by anyone else for 30 days.
  public struct UpdateMe: Endpoint {
    public typealias Response = Account
    public static let operation = Operation.patch(
      "/v1/users/me", "Update the caller's account (JSON merge patch)",
      problems: [
        .usernameTaken, .mediaNotFound, .mediaNotReady, .consentRequired, .guardianConsentRequired,
        .recentSignInRequired,
      ],
      limits: .init(bodyBytes: 16_384)
    )
    public var ifMatch: EntityTag?
    public var displayName: DisplayName?
    public var username: Username?
    public var details: ProfilePatch?
    public var visibility: ProfileVisibility?
    public init(
      ifMatch: EntityTag? = nil, displayName: DisplayName? = nil, username: Username? = nil,
      details: ProfilePatch? = nil, visibility: ProfileVisibility? = nil
    ) {
      (self.ifMatch, self.displayName, self.username, self.details) = (ifMatch, displayName, username, details)
      self.visibility = visibility
    }
  }

  /// The response contains only the fields that are visible to the caller. A user who has blocked the caller is unknown
  /// to them.
  public struct GetUser: Endpoint {
    public typealias Response = Profile
    public static let operation = Operation.get("/v1/users/{id}", "Get a user's profile", problems: [.userNotFound])
    public var id: UserID
    public init(id: UserID) { self.id = id }
  }

  /// Matches prefixes of usernames and display names and tolerates small typos; without a query, returns the newest
  /// users. Users who have blocked the caller, or are blocked by the caller, are not found.
  public struct SearchUsers: PagedEndpoint {
    public typealias Response = Page<Profile>
    public static let operation = Operation.get("/v1/users", "Search users by username and display name")
    public var query: String?
    public var limit: PageSize?
    public var cursor: String?
    public init(query: String? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      (self.query, self.limit, self.cursor) = (query, limit, cursor)
    }
  }

  public struct GetCloudRecord: Endpoint {
    public typealias Response = CloudRecord
    public static let operation = Operation.get(
      "/v1/users/me/cloud-record", "Get the caller's record in LetuStudy's cloud format"
    )
    public init() {}
  }

  public struct GetDeviceRecord: Endpoint {
    public typealias Response = DeviceRecord
    public static let operation = Operation.get(
      "/v1/users/me/device-record", "Get the caller's record in LetuStudy's device format"
    )
    public init() {}
  }

  public struct ListFitnessLevels: Endpoint {
    public typealias Response = Page<FitnessLevelChoice>
    public static let operation = Operation.get(
      "/v1/fitness-levels", "List the fitness levels with their labels", access: .anyone, caching: .shared
    )
    public init() {}
  }
}

extension Problem.Kind {
  public static let userNotFound = Self(
    "user-not-found", status: 404, "There is no such user",
    meaning: "The user does not exist, has deleted the account, or is not visible to the caller.",
    remedy: "Remove the user from the screen.")
}
