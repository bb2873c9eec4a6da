import Contracts
import Events
import HTTPServing
import Observability
import Persistence

extension Routes {
  /// Applies events with the registered handlers, however they arrive.
  func eventReceiver(in database: any Database, _ tracer: Tracer?) -> EventReceiver {
    EventReceiver(
      consumers: consumers,
      isConsumed: { [manifest] type, sender in
        let events = manifest.consumes.filter { $0.service == sender }.flatMap(\.events) + manifest.consumesFromAll
        return events.contains { $0.type == type }
      },
      database: database,
      spans: tracer.map { SpanScope(tracer: $0, service: manifest.name) })
  }

  /// Receives events for this service's consumers; each is applied in one transaction with its inbox entry.
  mutating func addEventDelivery(to database: any Database, _ tracer: Tracer?) {
    let receiver = eventReceiver(in: database, tracer)
    on(EventsAPI.Deliver.self) { request, call in
      try await receiver.receive(request.body, from: try Self.sender(of: call))
    }
    on(EventsAPI.DeliverBatch.self) { request, call in
      let events = request.body
      let statuses = try await receiver.receive(events, from: try Self.sender(of: call)) { error in
        Dispatcher.problem(of: error, call.context).status
      }
      return .init(results: zip(events, statuses).map { .init(id: $0.id, status: $1) })
    }
  }

  private static func sender(of call: Call) throws -> String {
    guard case .service(let sender) = call.caller else {
      throw Problem(.serviceNotAllowed, detail: "Only services deliver events.")
    }
    return sender
  }

  /// Accepts subscriptions to this service's events.
  mutating func addSubscriptions(in database: any Database) {
    on(EventsAPI.Subscribe.self) { request, call -> Void in
      // A service can subscribe only itself.
      guard case .service(request.subscriber) = call.caller else {
        throw Problem(.serviceNotAllowed, detail: "A service subscribes only itself.")
      }
      try await Outbox(database: database).subscribe(
        EventSubscription(subscriber: request.subscriber, url: request.url, types: request.types)
      )
    }
  }
}
