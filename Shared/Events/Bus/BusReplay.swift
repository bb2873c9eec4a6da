import Contracts
package import Logging
import NATSClient
package import Persistence
import ServiceLifecycle

/// The messages between consumers and sources about events that the stream does not have.
enum BusReplay {
  /// A consumer has the events of a lane up to `after`, and from `before` on.
  struct Question: Codable {
    var lane: Int
    var after: Int
    var before: Int
  }

  struct Answer: Codable {
    /// The events that the outbox still has, in their order.
    var events: [CloudEvent]
    /// The position up to which these are all.
    var through: Int
    /// Whether the only event has no data, because it is too large for NATS.
    var isTooLarge = false

    /// The shortened answer when it is too large; `nil` when it cannot be shorter.
    var shortened: Answer? {
      guard var first = events.first, let position = first.position, !isTooLarge else { return nil }
      if events.count > 1 { return Answer(events: [first], through: position) }
      first.data = .null
      return Answer(events: [first], through: position, isTooLarge: true)
    }

    /// The events in the place of the gap, and what lies between and behind them.
    func stretch(after start: Int, lane: Int) -> [BusEvent] {
      var previous = start
      var stretch = events.compactMap { event -> BusEvent? in
        guard let position = event.position else { return nil }
        defer { previous = position }
        return BusEvent(lane: lane, position: position, previous: previous, event: event, isTooLarge: isTooLarge)
      }
      if through > previous {
        stretch.append(BusEvent(lane: lane, position: through, previous: previous, event: nil))
      }
      return stretch
    }
  }
}

/// How far a source's lanes are stored in the stream.
struct BusPositions: Codable {
  struct Lane: Codable {
    var lane: Int
    var position: Int
  }

  var lanes: [Lane]

  init(_ positions: [Int: Int]) {
    lanes = positions.sorted { $0.key < $1.key }.map { Lane(lane: $0.key, position: $0.value) }
  }

  var byLane: [Int: Int] { Dictionary(lanes.map { ($0.lane, $0.position) }) { first, _ in first } }
}

/// Answers consumers that have missed events, from the outbox, and announces how far the stream is: a consumer cannot see
/// by itself that the end of a lane was lost.
package struct BusSource: Service {
  let bus: EventBus
  let source: String
  let outbox: Outbox
  let logger: Logger

  package init(bus: EventBus, source: String, outbox: Outbox, logger: Logger) {
    (self.bus, self.source, self.outbox, self.logger) = (bus, source, outbox, logger)
  }

  package func run() async throws {
    await cancelWhenGracefulShutdown {
      // One of the source's instances answers.
      for await message in bus.client.messages(on: BusSubjects.replay(of: source), queue: source) {
        guard let reply = message.reply else { continue }
        do {
          try await Workload.events { try await send(try await answer(message.data), to: reply) }
        } catch {
          logger.warning("missed events cannot be sent again", metadata: ["error": "\(error)"])
        }
      }
    }
  }

  private func send(_ answer: BusReplay.Answer, to reply: String) async throws {
    do {
      try await bus.client.send(Array(try WireJSON.encode(answer)), to: reply)
    } catch let error as NATSError where error.kind == .tooLarge {
      // Otherwise the consumers would ask for it again and again, and receive nothing that follows.
      guard let shortened = answer.shortened else { throw error }
      try await send(shortened, to: reply)
    }
  }

  private func answer(_ data: [UInt8]) async throws -> BusReplay.Answer {
    let question = try WireJSON.decode(BusReplay.Question.self, from: data)
    let missed = try await outbox.missed(
      lane: question.lane, after: question.after, before: question.before,
      bytes: Outbox.maxEventBytes)
    let events = try missed.events.map { try CloudEvent($0, from: source) }
    return BusReplay.Answer(events: events, through: missed.through)
  }

  /// Called at intervals.
  package func announce() async throws {
    let positions = BusPositions(try await outbox.positionsOnBus())
    await bus.announce(Array(try WireJSON.encode(positions)), on: BusSubjects.positions(of: source))
  }
}
