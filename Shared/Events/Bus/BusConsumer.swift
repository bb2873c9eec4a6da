package import Contracts
package import Logging
import NATSClient
import Observability
import Persistence
import ServiceLifecycle
import Synchronization

/// Takes the events of one source from the stream, for one service; its instances share the durable consumer.
///
/// An event is acknowledged when it has had its effect or is set aside. What follows a gap waits: either
/// another instance is applying what is missing, or the stream has lost it, and then its source is asked for it.
package final class BusConsumer: Service {
  private typealias Lanes = BusLanes<NATSMessage>

  private let bus: EventBus
  private let service: String
  private let source: String
  private let receiver: BusReceiver
  private let consumer: NATSConsumer
  private let time: TimeSource
  private let logger: Logger
  /// The pause when the source does not answer, in seconds.
  private static let pause = 5.0
  /// The positions that the source has announced.
  private let announced = Mutex<[Int: Int]>([:])

  /// How many events are fetched at once, and how many may wait for a gap to close.
  private static let batch = 200
  private static let maxWaiting = 1000
  /// How long a message may remain without an answer, and after which time one that waits is kept from being delivered
  /// again, in seconds.
  private static let acknowledgeSeconds = 30.0
  private static let keepSeconds = 10.0
  /// After how many seconds without a message the consumer's existence is checked: the library cannot distinguish a
  /// deleted one from one without messages.
  private static let quietSeconds = 5.0
  /// How long a gap may be before the source is asked, in seconds.
  private static let graceSeconds = 3.0
  /// How long the stream may bring nothing of a lane although the source has announced more, in seconds.
  private static let announcedGraceSeconds = 10.0

  package init(
    _ bus: EventBus, service: String, source: String, receiver: BusReceiver, time: TimeSource, logger: Logger
  ) {
    (self.bus, self.service, self.source, self.receiver) = (bus, service, source, receiver)
    (self.time, self.logger) = (time, logger)
    consumer = NATSConsumer(
      BusSubjects.consumer(of: service, from: source), of: BusSubjects.stream, bus.client)
  }

  package func run() async throws {
    await cancelWhenGracefulShutdown { [self] in
      await withDiscardingTaskGroup { group in
        group.addTask { await self.listen() }
        await Workload.events { await self.loop() }
        group.cancelAll()
      }
    }
  }

  /// Notes how far the source says that the stream is.
  private func listen() async {
    for await message in bus.client.messages(on: BusSubjects.positions(of: source)) {
      guard let positions = try? WireJSON.decode(BusPositions.self, from: message.data) else { continue }
      announced.withLock { $0 = positions.byLane }
    }
  }

  private func loop() async {
    var lastFailure = ""
    var lanes = Lanes()
    while !Task.isCancelled {
      do {
        try await ensure()
        if !lastFailure.isEmpty { logger.info("events arrive again", metadata: ["source": "\(source)"]) }
        lastFailure = ""
        try await follow(&lanes)
      } catch {
        if Task.isCancelled { break }
        if let error = error as? NATSError, error.kind == .notFound { bus.distrust() }
        if "\(error)" != lastFailure {
          logger.warning("events cannot be taken from NATS", metadata: ["source": "\(source)", "error": "\(error)"])
        }
        lastFailure = "\(error)"
        try? await Task.sleep(for: .seconds(1))
      }
    }
    // Another instance need not wait for them.
    try? await bus.client.settle(lanes.tickets, .again(seconds: 0))
  }

  /// Makes sure that the stream and the durable consumer exist.
  private func ensure() async throws {
    try await bus.prepare()
    try await bus.client.ensure(
      ConsumerConfiguration(
        name: BusSubjects.consumer(of: service, from: source), filter: BusSubjects.events(of: source),
        acknowledgeSeconds: Self.acknowledgeSeconds, maxUnsettled: 10 * Self.maxWaiting),
      of: BusSubjects.stream)
  }

  private func follow(_ lanes: inout Lanes) async throws {
    var positions = try await receiver.positions(of: source)
    var seen = (at: time.now(), reconnects: bus.client.reconnects)
    var keptAt = time.now()
    var pausedUntil: Timestamp?
    while !Task.isCancelled {
      let room = min(Self.batch, Self.maxWaiting - lanes.count)
      if room > 0 {
        let messages = try await consumer.fetch(upTo: room, seconds: lanes.isEmpty ? 1 : 0.05)
        bus.received.increment(by: messages.count)
        try await add(messages, to: &lanes)
        let now = (at: time.now(), reconnects: bus.client.reconnects)
        let isQuiet = messages.isEmpty && now.at.seconds(since: seen.at) >= Self.quietSeconds
        if isQuiet || now.reconnects != seen.reconnects {
          try await ensure()
          seen = now
        } else if !messages.isEmpty {
          seen.at = now.at
        }
      } else {
        try await Task.sleep(for: .seconds(0.05))
      }
      var ready = lanes.ready(after: positions)
      if ready.isEmpty, !lanes.isEmpty {
        positions = try await receiver.positions(of: source)
        ready = lanes.ready(after: positions)
      }
      if !ready.isEmpty {
        positions = try await receiver.apply(ready, from: source)
        // None of those that turn out to follow a gap.
        let applied = ready.filter { $0.position <= positions[$0.lane] ?? 0 }
        try await bus.client.settle(lanes.take(applied), .acknowledged)
      }
      let now = time.now()
      if pausedUntil.map({ $0 <= now }) ?? true {
        pausedUntil = nil
        let gaps = try await gaps(&lanes, &positions, at: now)
        if try await !close(gaps, &positions) { pausedUntil = now.advanced(bySeconds: Self.pause) }
      }
      if now.seconds(since: keptAt) >= Self.keepSeconds {
        try await bus.client.settle(lanes.tickets, .inProgress)
        keptAt = now
      }
    }
  }

  private func add(_ messages: [NATSMessage], to lanes: inout Lanes) async throws {
    var unreadable: [NATSMessage] = []
    for message in messages {
      guard let event = try? WireJSON.decode(CloudEvent.self, from: message.data), let lane = event.lane,
        let position = event.position, BusSubjects.source(of: message.subject) == source
      else {
        unreadable.append(message)
        continue
      }
      lanes.add(event, lane: lane, position: position, message)
    }
    guard !unreadable.isEmpty else { return }
    // The gap makes the source send it again.
    logger.error(
      "messages of the stream are not events", metadata: ["source": "\(source)", "count": "\(unreadable.count)"])
    try await bus.client.settle(unreadable, .abandoned)
  }

  // MARK: what the stream has lost

  /// The gaps that have been there for too long. Another instance may have closed those that seem to be.
  private func gaps(
    _ lanes: inout Lanes, _ positions: inout [Int: Int], at now: Timestamp
  ) async throws -> [Lanes.Gap] {
    let announced = announced.withLock { $0 }
    func find() -> [Lanes.Gap] {
      lanes.gaps(
        after: positions, announced: announced, at: now, graceSeconds: Self.graceSeconds,
        announcedGraceSeconds: Self.announcedGraceSeconds)
    }
    guard !find().isEmpty else { return [] }
    positions = try await receiver.positions(of: source)
    return find()
  }

  /// Takes from the source's outbox what the stream does not have.
  ///
  /// - Returns: Whether the source has answered.
  private func close(_ gaps: [Lanes.Gap], _ positions: inout [Int: Int]) async throws -> Bool {
    for gap in gaps {
      var last = gap.after
      var count = 0
      while last < gap.before - 1 {
        let question = BusReplay.Question(lane: gap.lane, after: last, before: gap.before)
        guard let answer = try await ask(question) else { return false }
        positions = try await receiver.apply(answer.stretch(after: last, lane: gap.lane), from: source)
        count += answer.events.count
        guard answer.through > last else { return false }
        last = answer.through
      }
      bus.replayed.increment(by: count)
      logger.notice(
        "events were missing in the stream, and came from their outbox",
        metadata: [
          "source": "\(source)", "lane": "\(gap.lane)", "after": "\(gap.after)", "through": "\(last)",
          "count": "\(count)",
        ])
    }
    return true
  }

  /// - Returns: `nil` when the source does not answer.
  private func ask(_ question: BusReplay.Question) async throws -> BusReplay.Answer? {
    do {
      let message = try await bus.client.request(
        Array(try WireJSON.encode(question)), to: BusSubjects.replay(of: source), seconds: 10)
      return try WireJSON.decode(BusReplay.Answer.self, from: message.data)
    } catch let error as NATSError {
      logger.warning(
        "events are missing in the stream, and their source does not answer",
        metadata: ["source": "\(source)", "error": "\(error)"])
      return nil
    }
  }
}
