extension AuthAPI {
  /// Internal, for services that display the authors of content or actions. Unknown users are omitted.
  public struct GetPublicNames: Endpoint {
    public typealias Response = Page<PublicName>
    public static let operation = Operation.post(
      "/internal/v1/public-names", "Get the public names of several users",
      access: .services(CatalogAPI.self, MatchingAPI.self, MediaAPI.self, OrdersAPI.self, StudyAPI.self),
      idempotency: .safe
    )
    public var users: [UserID]
    /// Users that are known by their usernames.
    public var usernames: [Username]?
    public init(users: [UserID], usernames: [Username]? = nil) { (self.users, self.usernames) = (users, usernames) }
  }

  /// Internal, for the service that sends the newsletter: which accounts have which verified e-mail addresses. Accounts
  /// without one and unknown addresses are omitted.
  public struct GetVerifiedAddresses: Endpoint {
    public typealias Response = Page<VerifiedAddress>
    public static let operation = Operation.post(
      "/internal/v1/verified-addresses", "Get the verified e-mail addresses of accounts",
      access: .services(CatalogAPI.self),
      idempotency: .safe
    )
    /// At most 100, like `emails`.
    public var users: [UserID]
    public var emails: [EmailAddress]
    public init(users: [UserID] = [], emails: [EmailAddress] = []) { (self.users, self.emails) = (users, emails) }
  }

  /// Internal, called by the service that stores subscriptions. Unknown users are ignored.
  public struct SetSubscribed: Endpoint {
    public static let operation = Operation.put(
      "/internal/v1/users/{user}/subscribed", "Set whether a user is subscribed to the newsletter",
      access: .services(CatalogAPI.self),
      success: 204
    )
    public var user: UserID
    public var isSubscribed: Bool
    public init(user: UserID, isSubscribed: Bool) { (self.user, self.isSubscribed) = (user, isSubscribed) }
  }
}
