/// The internal API through which services exchange events. Services that emit events implement ``Subscribe``; services
/// that consume events implement ``Deliver``.
public enum EventsAPI {
  /// Subscribe to events of the given types: new events and those that the service still stores.
  public struct Subscribe: Endpoint {
    public static let operation = Operation.put(
      "/events/subscriptions/{subscriber}", "Subscribe to events", access: .anyService, success: 204
    )
    public var subscriber: String
    /// Scheme, host and port of the subscriber.
    public var url: String
    public var types: [String]
    public init(subscriber: String, url: String, types: [String]) {
      (self.subscriber, self.url, self.types) = (subscriber, url, types)
    }
  }

  /// Deliver an event as a structured CloudEvent. Delivering it again has no further effect.
  public struct Deliver: Endpoint {
    public static let operation = Operation.post(
      "/events", "Deliver an event", access: .anyService, idempotency: .idempotent, success: 204,
      limits: .init(bodyBytes: 1 << 20)
    )
    public var body: CloudEvent
    public init(body: CloudEvent) { self.body = body }
  }

  /// Deliver events of one lane, in their order, in CloudEvents' batched content mode
  /// (`application/cloudevents-batch+json`). The response has a result for each, in the same order; delivering them again
  /// has no further effect.
  public struct DeliverBatch: Endpoint {
    public static let operation = Operation.post(
      "/events/batch", "Deliver events", access: .anyService, idempotency: .idempotent,
      limits: .init(bodyBytes: 8 << 20, seconds: 20)
    )
    public struct Response: Codable, Sendable {
      public var results: [Result]
      public init(results: [Result]) { self.results = results }
    }
    /// The outcome of an event.
    public struct Result: Codable, Sendable, Equatable {
      public var id: String
      /// The status that the response to the event alone would have had; 424 when an earlier event of its subject has
      /// failed, so that it was not applied.
      public var status: Int
      public init(id: String, status: Int) { (self.id, self.status) = (id, status) }
    }
    public var body: [CloudEvent]
    public init(body: [CloudEvent]) { self.body = body }
  }
}
