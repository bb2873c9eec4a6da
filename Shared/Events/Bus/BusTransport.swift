package import Contracts
import NATSClient
import Observability
package import Persistence

/// Publishes events to NATS, one message each, by the id that they have in the outbox. An event counts as delivered when
/// the stream has stored it; consumers take it from there (``BusConsumer``).
package struct BusTransport: EventTransport {
  let source: String
  let bus: EventBus

  package init(source: String, bus: EventBus) { (self.source, self.bus) = (source, bus) }

  package func deliver(_ events: [CloudEvent], to subscriber: EventSubscription) async -> [EventOutcome] {
    var outcomes: [EventOutcome] = []
    for event in events {
      outcomes.append(await publish(event))
      // Later events follow when it is stored: the missing outcomes mean the same.
      if case .unavailable = outcomes.last { break }
    }
    return outcomes
  }

  private func publish(_ event: CloudEvent) async -> EventOutcome {
    let data: [UInt8]
    do { data = Array(try WireJSON.encode(event)) } catch { return .rejected("the event cannot be encoded") }
    let subject = BusSubjects.event(from: source, lane: event.lane ?? 0, type: event.type)
    while true {
      let outcome = await publish(data, to: subject, id: event.id)
      if let outcome { return outcome }
      // Events go on as soon as NATS is there again, and not after a pause of the relay. When its claim lapses meanwhile,
      // another relay publishes them by the same ids.
      do { try await Task.sleep(for: .seconds(0.1)) } catch {
        return .unavailable("NATS: the process stops", retryAfter: nil)
      }
    }
  }

  /// - Returns: `nil` while there is no connection, or no stream: after a restart, the server is there before its streams.
  private func publish(_ data: [UInt8], to subject: String, id: String) async -> EventOutcome? {
    do throws(NATSError) {
      try await bus.prepare()
      _ = try await bus.client.publish(data, to: subject, id: id)
      bus.published.increment()
      return .delivered
    } catch {
      switch error.kind {
      case .disconnected: return nil
      case .tooLarge: return .rejected("the event is larger than max_payload of NATS")
      case .notFound:
        bus.distrust()
        return nil
      case .refusedByStream:
        bus.distrust()
        return .unavailable("NATS: \(error)", retryAfter: nil)
      default: return .unavailable("NATS: \(error)", retryAfter: nil)
      }
    }
  }
}
