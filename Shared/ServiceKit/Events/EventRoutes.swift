import Contracts
import Persistence

extension Routes {
  /// Takes events for this service's consumers: applied in one transaction with the inbox entry.
  mutating func addEventDelivery(to database: any Database) {
    let consumers = consumers
    on(EventsAPI.Deliver.self) { request, call in
      let event = request.body
      guard case .service(let sender) = call.caller, event.source == "/\(sender)" else { throw Problem(.forbidden) }
      // A type nobody here wants any more is done, not an error.
      guard let consumer = consumers[event.type] else { return Empty() }
      let effect = try consumer.effect(event.data)
      let isNew = try await database.write { tx in
        guard try tx.receive(source: event.source, id: event.id) else { return false }
        try effect.apply(tx)
        return true
      }
      if isNew { effect.afterwards() }
      return Empty()
    }
  }

  /// Takes subscriptions to this service's events.
  mutating func addSubscriptions(in database: any Database) {
    on(EventsAPI.Subscribe.self) { request, call in
      // A service subscribes itself and nobody else.
      guard case .service(request.subscriber) = call.caller else { throw Problem(.forbidden) }
      try await Outbox(database: database).subscribe(
        EventSubscription(subscriber: request.subscriber, url: request.body.url, types: request.body.types)
      )
      return Empty()
    }
  }
}
