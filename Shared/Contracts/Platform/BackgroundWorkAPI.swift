/// The internal API through which auth shows administrators what services do in the background, and what of it has failed
/// for good. The host implements it for every service with a database.
public enum BackgroundWorkAPI {
  public struct ListDeadLetters: Endpoint {
    public typealias Response = ServiceDeadLetters
    public static let operation = Operation.get(
      "/internal/v1/dead-letters", "List dead letters", access: .services(AuthAPI.self))
    public init() {}
  }

  /// Delivers dead letters again: one, those of a type, or all.
  public struct RetryDeadLetters: Endpoint {
    public typealias Response = RetriedWork
    public static let operation = Operation.post(
      "/internal/v1/dead-letters/retry", "Retry dead letters", access: .services(AuthAPI.self))
    public var type: String?
    public var eventID: String?
    public init(type: String? = nil, eventID: String? = nil) { (self.type, self.eventID) = (type, eventID) }
  }

  public struct ListJobs: Endpoint {
    public typealias Response = ServiceJobs
    public static let operation = Operation.get(
      "/internal/v1/jobs", "List background jobs", access: .services(AuthAPI.self))
    public init() {}
  }

  /// Makes dropped jobs due again: one, those of a kind, or all.
  public struct RetryJobs: Endpoint {
    public typealias Response = RetriedWork
    public static let operation = Operation.post(
      "/internal/v1/jobs/retry", "Retry dropped jobs", access: .services(AuthAPI.self))
    public var kind: String?
    public var id: String?
    public init(kind: String? = nil, id: String? = nil) { (self.kind, self.id) = (kind, id) }
  }
}
