/// What services say to each other about events. Every service that emits answers ``Subscribe``, every one that consumes
/// answers ``Deliver``; both are internal.
public enum EventsAPI {
  /// Ask a service to deliver events of these types from now on, and those it still keeps.
  public struct Subscribe: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .put,
      "/events/subscriptions/{subscriber}",
      "Have events delivered",
      access: .service,
      success: 204
    )

    public struct Body: Codable, Sendable {
      /// Scheme, host and port of the subscriber.
      public var url: String
      public var types: [String]

      public init(url: String, types: [String]) {
        self.url = url
        self.types = types
      }
    }

    public var subscriber: String
    public var body: Body

    public init(subscriber: String, body: Body) {
      self.subscriber = subscriber
      self.body = body
    }
  }

  /// Take one event: a structured CloudEvent. Repeating it has no further effect.
  public struct Deliver: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .post,
      "/events",
      "Take an event",
      access: .service,
      idempotency: .idempotent,
      success: 204,
      limits: .init(bodyBytes: 1 << 20)
    )
    public var body: CloudEvent
    public init(body: CloudEvent) { self.body = body }
  }
}
