import Contracts
import Persistence

extension Routes {
  /// Receives events for this service's consumers; each is applied in one transaction with its inbox entry.
  mutating func addEventDelivery(to database: any Database) {
    let consumers = consumers
    let isConsumed = { @Sendable [manifest] (type: String, sender: String) in
      let events = manifest.consumes.filter { $0.service == sender }.flatMap(\.events) + manifest.consumesFromAll
      return events.contains { $0.type == type }
    }
    on(EventsAPI.Deliver.self) { request, call in
      let event = request.body
      guard case .service(let sender) = call.caller, event.source == "/\(sender)" else {
        throw Problem(.serviceNotAllowed, detail: "A service delivers only its own events.")
      }
      // An event type that is no longer consumed is acknowledged, not an error.
      guard let consumer = consumers[event.type] else { return }
      guard isConsumed(event.type, sender) else {
        throw Problem(.serviceNotAllowed, detail: "The event is not one that the calling service emits.")
      }
      let effect = try consumer.effect(event, sender)
      let isNew = try await database.write { tx in
        guard try tx.receive(source: event.source, id: event.id) else { return false }
        try effect.apply(tx)
        return true
      }
      if isNew { effect.afterwards() }
    }
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
