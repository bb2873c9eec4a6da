import Contracts
import Logging
import Observability
import Persistence
import Synchronization

/// Delivers events to one subscriber; performs the I/O that ``RelayMachine`` decides on.
final class EventDelivery: Sendable {
  private enum Message: Sendable {
    case woken
    case subscription(EventSubscription)
    case sent(EventBatch, [EventOutcome])
  }

  /// The dependencies that the deliveries of a relay share.
  struct Relay: Sendable {
    /// Identifies the relay among those of the database.
    let id: String
    let source: String
    let outbox: Outbox
    let transport: any EventTransport
    let time: TimeSource
    let logger: Logger
    let deadLetters: Metrics.Counter
  }

  private let relay: Relay
  /// Messages that the machine has not seen yet.
  private let mailbox = Mutex<[Message]>([])
  private let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  init(_ relay: Relay) { self.relay = relay }

  /// New events may be there.
  func wake() { post(.woken) }

  /// The subscriber has changed its URL or types.
  func update(_ subscription: EventSubscription) { post(.subscription(subscription)) }

  /// The subscriber has departed.
  func end() { signal.finish() }

  private func post(_ message: Message) {
    mailbox.withLock { mailbox in
      if case .woken = message, case .woken? = mailbox.last { return }
      mailbox.append(message)
    }
    signal.yield()
  }

  private func drain() -> [Message] {
    mailbox.withLock { mailbox in
      defer { mailbox = [] }
      return mailbox
    }
  }

  /// Runs until ``end()`` or until the task is canceled.
  func run(_ subscription: EventSubscription) async {
    await withDiscardingTaskGroup { group in
      var (subscription, machine) = (subscription, RelayMachine())
      var iterator = signals.makeAsyncIterator()
      while !Task.isCancelled {
        switch machine.next(at: relay.time.now()) {
        case .exchange(let settled, let capacity):
          for batch in await exchange(settled, capacity, with: subscription, &machine) {
            group.addTask { [subscription] in
              let outcomes = await self.send(batch, to: subscription)
              self.post(.sent(batch, outcomes))
            }
          }
        case .wait(let until):
          let alarm = until.map { time in
            Task {
              try await Task.sleep(for: .seconds(max(0, time.seconds(since: relay.time.now()))))
              wake()
            }
          }
          let isRunning = await iterator.next() != nil
          alarm?.cancel()
          guard isRunning else {
            group.cancelAll()
            return
          }
        }
        for message in drain() {
          switch message {
          case .woken: machine.woken()
          case .subscription(let changed):
            subscription = changed
            machine.moved()
          case .sent(let batch, let outcomes): machine.sent(batch, outcomes, at: relay.time.now())
          }
        }
      }
      group.cancelAll()
    }
  }

  private func exchange(
    _ settled: [SettledBatch], _ capacity: Outbox.Capacity, with subscription: EventSubscription,
    _ machine: inout RelayMachine
  ) async -> [EventBatch] {
    do {
      let (batches, nextRetry) = try await relay.outbox.exchange(
        settled, with: subscription, claim: relay.id, capacity: capacity, at: relay.time.now())
      report(settled)
      machine.exchanged(batches, room: capacity.lanes, nextRetry: nextRetry, at: relay.time.now())
      return batches.filter { !$0.events.isEmpty }
    } catch {
      relay.logger.error("the outbox is unavailable", metadata: ["error": "\(error)"])
      machine.exchangeFailed(at: relay.time.now())
      return []
    }
  }

  private func report(_ settled: [SettledBatch]) {
    for item in settled {
      for (event, outcome) in zip(item.batch.events, item.outcomes) {
        let metadata: Logger.Metadata = [
          "event": "\(event.id)", "type": "\(event.type)", "subscriber": "\(item.batch.subscriber)",
        ]
        switch outcome {
        case .delivered, .postponed: break
        case .retry(_, let failure):
          relay.logger.warning(
            "an event was rejected", metadata: metadata.merging(["failure": "\(failure)"]) { $1 })
        case .dead(let failure):
          relay.deadLetters.increment()
          relay.logger.error(
            "an event was moved to the dead-letter queue",
            metadata: metadata.merging(["failure": "\(failure)"]) { $1 })
        }
      }
    }
  }

  private func send(_ batch: EventBatch, to subscription: EventSubscription) async -> [EventOutcome] {
    do {
      let events = try batch.events.map { try CloudEvent($0, from: relay.source) }
      return await relay.transport.deliver(events, to: subscription)
    } catch {
      return Array(repeating: .rejected("the stored event is not valid"), count: batch.events.count)
    }
  }
}

extension CloudEvent {
  /// An event of a service's outbox as it is sent.
  init(_ stored: StoredEvent, from source: String) throws {
    self.init(
      id: stored.id,
      source: "/\(source)",
      type: stored.type,
      subject: stored.subject,
      time: stored.recordedAt,
      traceparent: stored.traceparent,
      lane: stored.lane,
      position: stored.position,
      data: try WireJSON.decode(JSONValue.self, from: stored.data.utf8)
    )
  }
}
