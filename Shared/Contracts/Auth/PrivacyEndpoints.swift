extension AuthAPI {
  public struct GetSettings: Endpoint {
    public typealias Response = VersionedSettings
    public static let operation = Operation.get("/v1/users/me/settings", "Get the caller's settings")
    public init() {}
  }

  public struct PutSettings: Endpoint {
    public typealias Response = VersionedSettings
    public static let operation = Operation.put(
      "/v1/users/me/settings", "Replace the caller's settings", limits: .init(bodyBytes: 4096)
    )
    public var ifMatch: EntityTag?
    public var body: UserSettings
    public init(ifMatch: EntityTag? = nil, _ body: UserSettings) { (self.ifMatch, self.body) = (ifMatch, body) }
  }

  public struct GetConsents: Endpoint {
    public typealias Response = Consents
    public static let operation = Operation.get("/v1/users/me/consents", "Get the caller's consents")
    public init() {}
  }

  /// A purpose is listed at most once; those that are not listed keep their current decision. What is held by a consent is deleted when it is withdrawn:
  /// weight and height, the weights of workouts, the newsletter subscription.
  public struct PutConsents: Endpoint {
    public typealias Response = Consents
    public static let operation = Operation.put(
      "/v1/users/me/consents", "Record consent decisions", limits: .init(bodyBytes: 8192)
    )

    public struct Decision: Codable, Sendable {
      public var purpose: ConsentPurpose
      public var textVersion: ShortText
      public var isGiven: Bool
      public init(purpose: ConsentPurpose, textVersion: ShortText, isGiven: Bool) {
        (self.purpose, self.textVersion, self.isGiven) = (purpose, textVersion, isGiven)
      }
    }

    public var decisions: [Decision]
    public init(decisions: [Decision]) { self.decisions = decisions }
  }

  /// Includes the data of all services. Requires a recent proof, except of guests.
  public struct ExportMe: Endpoint {
    public typealias Response = JSONValue
    public static let operation = Operation.get(
      "/v1/users/me/export", "Export the caller's personal data", problems: [.recentSignInRequired],
      limits: .init(seconds: 60), cost: .costly
    )
    public init() {}
  }

  /// Every service erases its personal data of the user. Requires a recent proof, except of guests.
  public struct DeleteMe: Endpoint {
    public static let operation = Operation.delete(
      "/v1/users/me", "Delete the caller's account", success: 204,
      problems: [.lastAdministrator, .recentSignInRequired]
    )
    public init() {}
  }
}
