/// The internal API by which media-index asks a service who may see an object, and with it the media that are used in it.
public enum ReadersAPI {
  /// Get which of the objects someone may see, as the service decides at this moment.
  public struct Authorize: Endpoint {
    public typealias Response = ReadableObjects
    public static let operation = Operation.post(
      "/internal/v1/readers/authorize", "List the objects that a reader may see", access: .services(MediaAPI.self),
      idempotency: .safe,
      limits: .init(seconds: 5)
    )
    /// Absent for callers who have not signed in.
    public var user: UserID?
    public var roles: [Role]
    /// Named like realtime topics; at most 50.
    public var objects: [Topic]
    public init(user: UserID?, roles: [Role], objects: [Topic]) {
      (self.user, self.roles, self.objects) = (user, roles, objects)
    }
  }

  public struct ReadableObjects: Codable, Sendable, Equatable {
    public var objects: [Topic]
    public init(objects: [Topic]) { self.objects = objects }
  }
}
