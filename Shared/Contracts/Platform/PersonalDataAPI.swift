/// The internal API through which auth collects personal data. Every service that stores personal data must subscribe
/// to ``UserDeleted``; auth calls the subscribers of that event.
public enum PersonalDataAPI {
  public struct Export: Endpoint {
    public typealias Response = JSONValue
    public static let operation = Operation.get(
      "/internal/v1/personal-data/{user}", "Export a user's personal data", access: .services(AuthAPI.self),
      limits: .init(seconds: 30)
    )
    public var user: UserID
    public init(user: UserID) { self.user = user }
  }
}
