package import Contracts
package import Logging
package import Observability
package import Persistence
import ServiceLifecycle

/// Delivers a service's events from its outbox: gives the committed ones their positions, and runs one
/// ``EventDelivery`` per subscriber, so that none waits for another. Several relays share the work of a database.
package struct EventRelay: Service {
  let source: String
  let database: any Database
  let transport: any EventTransport
  let ids: IDGenerator
  let time: TimeSource
  let logger: Logger
  let deadLetters: Metrics.Counter

  package init(
    source: String, database: any Database, transport: any EventTransport, ids: IDGenerator, time: TimeSource,
    logger: Logger, deadLetters: Metrics.Counter
  ) {
    (self.source, self.database, self.transport, self.ids) = (source, database, transport, ids)
    (self.time, self.logger, self.deadLetters) = (time, logger, deadLetters)
  }

  /// How often a relay looks for what it was not notified of: events that another process has committed before it was
  /// killed, claims that have lapsed, changed subscriptions.
  private static let interval = Duration.seconds(5)

  /// The least time between two rounds: under load, one round serves the events of several transactions.
  private static let pause = Duration.milliseconds(20)

  private struct Running {
    var subscription: EventSubscription
    let delivery: EventDelivery
  }

  package func run() async throws {
    try await Workload.events { try await deliver() }
  }

  private func deliver() async throws {
    let relay = EventDelivery.Relay(
      id: ids.text(), source: source, outbox: Outbox(database: database), transport: transport, time: time,
      logger: logger, deadLetters: deadLetters)
    await cancelWhenGracefulShutdown {
      let (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      await withDiscardingTaskGroup { group in
        group.addTask { for await _ in database.committedEvents { wakeUp.yield() } }
        group.addTask {
          while !Task.isCancelled {
            wakeUp.yield()
            try? await Task.sleep(for: Self.interval)
          }
        }
        await loop(relay, wakeUps, &group)
        group.cancelAll()
      }
    }
    // Otherwise the lanes would wait until the claims lapse.
    try? await relay.outbox.release(relay.id)
  }

  private func loop(
    _ relay: EventDelivery.Relay, _ wakeUps: AsyncStream<Void>, _ group: inout DiscardingTaskGroup
  ) async {
    var running: [String: Running] = [:]
    var hasReleasedClaims = database.dialect != .sqlite
    var wakeUps = wakeUps.makeAsyncIterator()
    while await wakeUps.next() != nil, !Task.isCancelled {
      let next = ContinuousClock.now + Self.pause
      do {
        // A SQLite file belongs to one process: release the claims of a process that was killed.
        if !hasReleasedClaims { try await relay.outbox.releaseClaims() }
        hasReleasedClaims = true
        try await follow(relay, &running, &group)
        while !Task.isCancelled {
          let (types, isMoreWaiting) = try await relay.outbox.assignPositions()
          for (subscription, delivery) in running.values.map({ ($0.subscription, $0.delivery) })
          // None were left: another relay has taken them, and may have more than it can deliver.
          where types.isEmpty || types.contains(where: subscription.receives) {
            delivery.wake()
          }
          if !isMoreWaiting { break }
        }
      } catch {
        logger.error("the outbox is unavailable", metadata: ["error": "\(error)"])
        try? await Task.sleep(for: .seconds(1))
      }
      try? await Task.sleep(until: next)
    }
    for item in running.values { item.delivery.end() }
  }

  /// Starts and ends deliveries as services subscribe and depart.
  private func follow(
    _ relay: EventDelivery.Relay, _ running: inout [String: Running], _ group: inout DiscardingTaskGroup
  ) async throws {
    let subscriptions = try await relay.outbox.subscriptions()
    for subscription in subscriptions {
      let name = subscription.subscriber
      if let known = running[name] {
        guard known.subscription != subscription else { continue }
        known.delivery.update(subscription)
        running[name]?.subscription = subscription
      } else {
        let delivery = EventDelivery(relay)
        running[name] = Running(subscription: subscription, delivery: delivery)
        group.addTask { await delivery.run(subscription) }
      }
    }
    let names = Set(subscriptions.map(\.subscriber))
    for (name, item) in running where !names.contains(name) {
      item.delivery.end()
      running[name] = nil
    }
  }
}
