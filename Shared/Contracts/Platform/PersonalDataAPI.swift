/// What auth asks every service that knows people; internal. A service answers it by subscribing to ``UserDeleted``,
/// which every service that keeps something of a person does.
public enum PersonalDataAPI {
  /// Everything that the service keeps about a user.
  public struct Export: Endpoint {
    public typealias Response = JSONValue
    public static let operation = Operation(
      .get,
      "/internal/v1/personal-data/{user}",
      "Everything about a user",
      access: .service,
      limits: .init(seconds: 30)
    )
    public var user: UserID
    public init(user: UserID) { self.user = user }
  }
}
