import Contracts
import Foundation
import NATSClient
import Observability
import Persistence
import ServiceLifecycle
import TestKit
import Testing

@testable import Events
@testable import ServiceKit

/// Events from an outbox through a real `nats-server` into the databases of consumers.
@Suite(.serialized)
struct BusTests {
  /// A source and a consumer with several instances, each with a connection of its own.
  private final class Stage: Sendable {
    let server: NATSServer
    let source: any Database
    let consumer: any Database

    init(_ server: NATSServer, source: any Database, consumer: any Database) {
      (self.server, self.source, self.consumer) = (server, source, consumer)
    }

    func bus() throws -> EventBus {
      EventBus(try #require(NATSAddress(server.url)), name: "test", replicas: 1, metrics: Metrics())
    }

    /// Runs an instance of the source until the task is canceled.
    func runSource() async throws {
      let bus = try bus()
      defer { bus.close() }
      let outbox = Outbox(database: source)
      try await outbox.deliverToBus()
      let replies = BusSource(bus: bus, source: "shop", outbox: outbox, logger: silent)
      let relay = EventRelay(
        source: "shop", database: source, transport: BusTransport(source: "shop", bus: bus),
        ids: IDGenerator(time: .system), time: .system, logger: silent,
        deadLetters: Metrics().counter("dead_total", help: "Dead letters."))
      try await together([
        replies, relay, PeriodicTask("announce", every: .seconds(1), logger: silent) { try await replies.announce() },
      ])
    }

    /// Runs an instance of the consumer until the task is canceled.
    func runConsumer() async throws {
      let bus = try bus()
      defer { bus.close() }
      let receiver = countingReceiver(of: consumer)
      try await together([
        BusConsumer(bus, service: "desk", source: "shop", receiver: receiver, time: .system, logger: silent),
        PeriodicTask("retry", every: .seconds(0.1), logger: silent) { _ = try await receiver.retryDeferred() },
      ])
    }

    private func together(_ services: [any Service]) async throws {
      try await withThrowingDiscardingTaskGroup { group in
        for service in services { group.addTask { try await service.run() } }
      }
    }

    /// Waits until every number of each subject has had its effect, and requires that it had it once and in order.
    func expect(_ numbers: Range<Int>, of subjects: [String]) async throws {
      let expected = Dictionary(uniqueKeysWithValues: subjects.map { ($0, Array(numbers)) })
      try await eventually("all events have their effect") {
        try await consumer.seen().values.reduce(0) { $0 + $1.count } >= numbers.count * subjects.count
      }
      #expect(try await consumer.seen() == expected)
    }
  }

  private static let subjects = (0..<12).map { "order:\($0)" }

  private func run(
    on kind: TestDatabase = .sqlite, consumers: Int = 1, configuration: String = "",
    _ body: (Stage) async throws -> Void
  ) async throws {
    try await withNATS(configuration: { _ in configuration }) { server async throws in
      try await kind.run { source async throws in
        try await source.prepareForCounting()
        try await kind.run { consumer async throws in
          try await consumer.prepareForCounting()
          let stage = Stage(server, source: source, consumer: consumer)
          let tasks =
            [Task { try await stage.runSource() }]
            + (0..<consumers).map { _ in Task { try await stage.runConsumer() } }
          try await attempt {
            try await body(stage)
          } finally: {
            for task in tasks { task.cancel() }
            for task in tasks { _ = await task.result }
          }
        }
      }
    }
  }

  private func record(_ numbers: Range<Int>, at stage: Stage) async throws {
    for number in numbers {
      try await stage.source.record(Self.subjects.map { Counted(subject: $0, number: number) })
    }
  }

  @Test("events take effect once, in the order of their subject, with two instances", arguments: TestDatabase.allCases)
  func delivery(on kind: TestDatabase) async throws {
    try await run(on: kind, consumers: kind == .sqlite ? 1 : 2) { stage async throws in
      try await stage.source.record([Ignored(subject: "order:0")])
      try await record(0..<40, at: stage)
      try await stage.expect(0..<40, of: Self.subjects)
    }
  }

  @Test("NATS is killed and started again under load: nothing is lost, nothing has its effect twice")
  func killedServer() async throws {
    try await run { stage async throws in
      let recording = Task { try await record(0..<60, at: stage) }
      for share in 1...3 {
        try await eventually("events arrive") {
          try await stage.consumer.seen().values.reduce(0) { $0 + $1.count } >= share * 120
        }
        await stage.server.kill()
        try stage.server.start()
      }
      try await recording.value
      try await stage.expect(0..<60, of: Self.subjects)
    }
  }

  @Test("what the stream has lost before a consumer took it comes from the outbox")
  func lostStream() async throws {
    try await run(consumers: 0) { stage async throws in
      try await record(0..<20, at: stage)
      try await eventually("the stream has stored the events") {
        let positions = try await Outbox(database: stage.source).positionsOnBus()
        return positions.values.reduce(0, +) == 20 * Self.subjects.count
      }
      await stage.server.kill()
      try FileManager.default.removeItem(atPath: "\(stage.server.folder)/jetstream")
      try stage.server.start()
      let consumer = Task { try await stage.runConsumer() }
      try await attempt {
        try await stage.expect(0..<20, of: Self.subjects)
        try await record(20..<30, at: stage)
        try await stage.expect(0..<30, of: Self.subjects)
      } finally: {
        consumer.cancel()
        _ = await consumer.result
      }
    }
  }

  @Test("a consumer or stream that is deleted while it is used is made again")
  func deletedConsumer() async throws {
    try await run { stage async throws in
      let bus = try stage.bus()
      defer { bus.close() }
      func ask(_ command: String) async throws -> String {
        let reply = try await bus.client.request([], to: "$JS.API.\(command)", seconds: Waiting.limit)
        return String(decoding: reply.data, as: UTF8.self)
      }
      let consumer = "\(BusSubjects.stream).\(BusSubjects.consumer(of: "desk", from: "shop"))"
      for (round, command) in ["CONSUMER.DELETE.\(consumer)", "STREAM.DELETE.\(BusSubjects.stream)"].enumerated() {
        try await record(10 * round..<10 * round + 10, at: stage)
        try await stage.expect(0..<10 * round + 10, of: Self.subjects)
        #expect(try await ask(command).contains("\"success\":true"))
        try await eventually("the consumer is there again") {
          try await !ask("CONSUMER.INFO.\(consumer)").contains("\"error\"")
        }
      }
      try await record(20..<30, at: stage)
      try await stage.expect(0..<30, of: Self.subjects)
    }
  }

  @Test("a consumer that was restored to an earlier state takes what it has lost again")
  func restoredConsumer() async throws {
    try await run { stage async throws in
      try await record(0..<10, at: stage)
      try await stage.expect(0..<10, of: Self.subjects)
      // As a backup from before the first event.
      try await stage.consumer.write { tx in
        for table in ["seen", "inbox", "bus_lanes"] as [SQL] { try tx.execute("DELETE FROM \(table)") }
      }
      try await record(10..<12, at: stage)
      try await stage.expect(0..<12, of: Self.subjects)
    }
  }

  @Test("an event that the consumer rejects delays its subject only")
  func rejectedEvent() async throws {
    try await run { stage async throws in
      try await stage.consumer.refuse(1000)
      try await stage.source.record([
        Counted(subject: "order:0", number: 1000), Counted(subject: "order:0", number: 1001),
      ])
      try await record(0..<5, at: stage)
      try await eventually("the other subjects go on") {
        try await stage.consumer.seen().values.reduce(0) { $0 + $1.count } == 5 * (Self.subjects.count - 1)
      }
      #expect(try await stage.consumer.seen()["order:0"] == nil)
      try await stage.consumer.refuse(1000, false)
      try await eventually("the subject follows") { try await stage.consumer.seen()["order:0"]?.count == 7 }
      #expect(try await stage.consumer.seen()["order:0"] == [1000, 1001, 0, 1, 2, 3, 4])
    }
  }

  @Test("a source answers for an event that NATS does not accept, too")
  func largeEvent() async throws {
    try await run(consumers: 0, configuration: "max_payload: 8192") { stage async throws in
      let large = Counted(subject: "order:0", number: 1, text: String(repeating: "x", count: 10_000))
      try await stage.source.record([large])
      var gap: BusReplay.Question?
      try await eventually("the event has its position") {
        gap = try await stage.source.read { db in
          try db.first("SELECT lane FROM outbox WHERE position = 1") { row in
            BusReplay.Question(lane: try row["lane"], after: 0, before: 2)
          }
        }
        return gap != nil
      }
      let question = Array(try WireJSON.encode(try #require(gap)))
      let bus = try stage.bus()
      defer { bus.close() }
      var answer: BusReplay.Answer?
      try await eventually("the source answers") {
        guard let reply = try? await bus.client.request(question, to: BusSubjects.replay(of: "shop"), seconds: 5) else {
          return false
        }
        answer = try WireJSON.decode(BusReplay.Answer.self, from: reply.data)
        return true
      }
      #expect(answer?.isTooLarge == true)
      #expect(answer?.through == 1)
      #expect(answer?.events.map(\.subject) == ["order:0"])
    }
  }

  @Test("an event of auth that a session has ended wakes every process, and signals name their service")
  func announcements() async throws {
    try await withNATS { server async throws in
      let bus = EventBus(try #require(NATSAddress(server.url)), name: "test", replicas: 1, metrics: Metrics())
      defer { bus.close() }
      var wakeUps = bus.endedSessions().makeAsyncIterator()
      // It listens from now on.
      await wakeUps.next()
      let ended = CloudEvent(
        id: "1", source: "/auth", type: SessionEnded.type, subject: "user", time: Timestamp(microseconds: 0),
        traceparent: nil, lane: 5, position: 1, data: .null)
      let outcomes = await BusTransport(source: AuthAPI.name, bus: bus).deliver([ended], to: Outbox.bus)
      #expect(outcomes == [.delivered])
      await wakeUps.next()
      let sender: UserID = IDGenerator(time: .system).make()
      let sending = Task {
        while !Task.isCancelled {
          try await bus.send(SignalsAPI.Send(Topic("room", "1"), "typing", [:], from: sender), of: "matching")
          try await Task.sleep(for: .seconds(0.05))
        }
      }
      for await (service, signal) in bus.signals() {
        #expect(service == "matching")
        #expect(signal.name == "typing")
        #expect(signal.sender == sender)
        break
      }
      sending.cancel()
    }
  }

  @Test("NATS that is not there is named with its setting at the start, and is a warning of /readyz later")
  func unreachable() async throws {
    let url = "nats://secret@127.0.0.1:\(try reservedPort())"
    let bus = EventBus(try #require(NATSAddress(url)), name: "test", replicas: 1, metrics: Metrics())
    defer { bus.close() }
    let error = await #expect(throws: SettingError.self) { try await bus.start() }
    let text = "\(try #require(error))"
    #expect(text.contains("bus.url"))
    #expect(text.contains("127.0.0.1"))
    #expect(!text.contains("secret"))
    let check = Health.Check.bus(bus)
    try await check.run()
    #expect(check.warning() == "NATS cannot be reached: events wait until it is there again")
  }
}
