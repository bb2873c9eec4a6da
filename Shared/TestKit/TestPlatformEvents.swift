public import Contracts
import Persistence
import ServiceKit

extension TestPlatform {
  /// Delivers an event as the relay of its service does.
  ///
  /// - Parameters:
  ///   - id: The event's id; a new one by default.
  ///   - sender: The name of the service that reports it.
  public func deliver<E: Event>(
    _ event: E, id: String? = nil, from sender: String, to receiver: any ServiceAPI.Type
  ) async throws {
    let envelope = CloudEvent(
      id: id ?? ids.text(), source: "/\(sender)", type: E.type, subject: event.subject, time: time.source.now(),
      traceparent: nil, data: try JSONValue(event)
    )
    _ = try await platform.client(of: receiver, as: sender).send(EventsAPI.Deliver(body: envelope))
  }

  /// Delivers an event as the relay of its service does.
  public func deliver(
    _ event: some Event, from sender: any ServiceAPI.Type, to receiver: any ServiceAPI.Type
  ) async throws {
    try await deliver(event, from: sender.name, to: receiver)
  }

  /// The events of a type that a service has recorded, oldest first.
  public func recorded<E: Event>(_ type: E.Type, by service: any ServiceAPI.Type) async throws -> [E] {
    let texts = try await database(of: service).read { db in
      try db.values("SELECT data FROM outbox WHERE type = \(E.type) ORDER BY id", as: String.self)
    }
    return try texts.map { try WireJSON.decode(E.self, from: $0.utf8) }
  }
}
