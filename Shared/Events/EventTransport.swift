package import Contracts
package import Persistence

/// Carries events from a service's outbox to a subscriber: directly over HTTP, or to a message broker.
///
/// The relay decides what is sent when, and what an outcome means; a transport only sends. It is called concurrently,
/// but never twice at a time for a lane of the same subscriber. What it reports as delivered is never sent again, except
/// after the process was killed or an operator replays it, so it must be durable where it arrived.
package protocol EventTransport: Sendable {
  /// Delivers events in their order. Those of one subject must take effect in this order: when one of them fails, the
  /// later ones of its subject are not applied but reported as ``EventOutcome/unavailable(_:retryAfter:)``.
  ///
  /// - Parameters:
  ///   - events: 1 to 100 events of one lane, which the events name in `lane` (``CloudEvent``).
  ///   - subscriber: Its name and, for the transport that needs it, the URL of its subscription.
  /// - Returns: One outcome per event, in the same order. A missing one counts as unavailable.
  func deliver(_ events: [CloudEvent], to subscriber: EventSubscription) async -> [EventOutcome]
}

/// The outcome of one event.
package enum EventOutcome: Sendable, Equatable {
  /// It has taken effect, had done so before, or is stored where it arrived.
  case delivered
  /// The subscriber works, but does not accept this event: it is set aside, so that only its subject waits for it, and
  /// becomes a dead letter when it is still rejected after some minutes.
  case rejected(String)
  /// The subscriber cannot be reached or cannot work, or has not come to this event: no fault of the event. Deliveries
  /// to the subscriber pause, as long as it asks (in seconds) or longer each time, and are repeated forever.
  case unavailable(String, retryAfter: Double?)
}
