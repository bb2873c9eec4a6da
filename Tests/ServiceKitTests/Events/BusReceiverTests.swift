import Contracts
import Observability
import Persistence
import Synchronization
import TestKit
import Testing

@testable import Events
@testable import ServiceKit

/// How events of the bus take effect, on both databases.
@Suite(.serialized)
struct BusReceiverTests {
  private func run(
    on kind: TestDatabase, _ body: (BusReceiver, any Database, ManualTime) async throws -> Void
  ) async throws {
    let time = ManualTime()
    try await kind.run(time: time.source) { database async throws in
      try await database.prepareForCounting()
      try await body(countingReceiver(of: database, time: time.source), database, time)
    }
  }

  @Test("events take effect once, up to a gap, whatever is delivered again", arguments: TestDatabase.allCases)
  func onceAndInOrder(on kind: TestDatabase) async throws {
    try await run(on: kind) { receiver, database, _ async throws in
      let events = try (1...5).map { try counted("a", $0, lane: 3, position: $0) }
      #expect(try await receiver.apply([events[0], events[1], events[3]], from: "shop") == [3: 2])
      #expect(try await receiver.apply(Array(events[..<2]), from: "shop") == [3: 2])
      #expect(try await receiver.apply(events, from: "shop") == [3: 5])
      #expect(try await database.seen() == ["a": [1, 2, 3, 4, 5]])
      // Another source has positions of its own.
      #expect(try await receiver.positions(of: "other") == [:])
    }
  }

  @Test("what the outbox no longer has is passed", arguments: TestDatabase.allCases)
  func purgedEvents(on kind: TestDatabase) async throws {
    try await run(on: kind) { receiver, database, _ async throws in
      let events = try [7, 9].map { try #require(try counted("a", $0, lane: 0, position: $0).event) }
      let answer = BusReplay.Answer(events: events, through: 11)
      #expect(try await receiver.apply(answer.stretch(after: 0, lane: 0), from: "shop") == [0: 11])
      #expect(try await receiver.apply([counted("a", 12, lane: 0, position: 12)], from: "shop") == [0: 12])
      #expect(try await database.seen() == ["a": [7, 9, 12]])
    }
  }

  @Test("a rejected event waits with its subject; the others of its lane go on", arguments: TestDatabase.allCases)
  func rejectedEvent(on kind: TestDatabase) async throws {
    try await run(on: kind) { receiver, database, time async throws in
      try await database.refuse(2)
      let events = try [("a", 1), ("a", 2), ("b", 3), ("a", 4), ("b", 5)].enumerated().map {
        try counted($1.0, $1.1, lane: 0, position: $0 + 1)
      }
      #expect(try await receiver.apply(events, from: "shop") == [0: 5])
      // Delivered again, it is still set aside.
      #expect(try await receiver.apply(events, from: "shop") == [0: 5])
      #expect(try await database.seen() == ["a": [1], "b": [3, 5]])
      #expect(try await receiver.retryDeferred() == 0)
      time.advance(seconds: BusReceiver.pauses[0])
      #expect(try await receiver.retryDeferred() == 1)
      #expect(try await database.seen() == ["a": [1], "b": [3, 5]])
      try await database.refuse(2, false)
      time.advance(seconds: BusReceiver.pauses[1])
      #expect(try await receiver.retryDeferred() == 1)
      #expect(try await receiver.retryDeferred() == 1)
      #expect(try await receiver.retryDeferred() == 0)
      #expect(try await database.seen() == ["a": [1, 2, 4], "b": [3, 5]])
    }
  }

  @Test("after the last pause, an event is a dead letter that an operator can revive", arguments: TestDatabase.allCases)
  func deadLetter(on kind: TestDatabase) async throws {
    try await run(on: kind) { receiver, database, time async throws in
      try await database.refuse(1)
      let events = try [1, 2].map { try counted("a", $0, lane: 0, position: $0) }
      try await receiver.apply(events, from: "shop")
      for pause in BusReceiver.pauses {
        #expect(try await database.seen() == [:])
        time.advance(seconds: pause)
        #expect(try await receiver.retryDeferred() == 1)
      }
      #expect(try await receiver.retryDeferred() == 1)
      #expect(try await database.seen() == ["a": [2]])
      let letters = try await database.read { db in try BusInbox.deadLetters(of: "desk", limit: 10, in: db) }
      #expect(letters.map(\.eventID) == ["0-1-1"])
      #expect(letters.map(\.attempts) == [BusReceiver.pauses.count + 1])
      #expect(letters.map(\.failure) == ["status 409: The number is refused."])
      try await database.refuse(1, false)
      #expect(try await BusInbox.revive(in: database) == 1)
      #expect(try await receiver.retryDeferred() == 1)
      #expect(try await database.seen() == ["a": [2, 1]])
    }
  }

  @Test("revived dead letters have their effect in the order of their subject", arguments: TestDatabase.allCases)
  func revivedInOrder(on kind: TestDatabase) async throws {
    try await run(on: kind) { receiver, database, time async throws in
      for number in 1...2 { try await database.refuse(number) }
      try await receiver.apply((1...2).map { try counted("a", $0, lane: 0, position: $0) }, from: "shop")
      func isDead(_ count: Int) async throws -> Bool {
        try await database.read { db in try db.count("SELECT COUNT(*) FROM bus_asides WHERE is_dead = 1") } == count
      }
      while try await !isDead(2) {
        time.advance(seconds: BusReceiver.pauses.max() ?? 0)
        #expect(try await receiver.retryDeferred() == 1)
      }
      #expect(try await BusInbox.revive(in: database) == 2)
      // The first one is rejected again: the second one waits.
      try await database.refuse(2, false)
      #expect(try await receiver.retryDeferred() == 1)
      #expect(try await database.seen() == [:])
      try await database.refuse(1, false)
      time.advance(seconds: BusReceiver.pauses.max() ?? 0)
      #expect(try await receiver.retryDeferred() == 1)
      #expect(try await receiver.retryDeferred() == 1)
      #expect(try await database.seen() == ["a": [1, 2]])
    }
  }

  @Test("one dead letter is revived without those before it", arguments: TestDatabase.allCases)
  func revivedAlone(on kind: TestDatabase) async throws {
    try await run(on: kind) { receiver, database, time async throws in
      for number in 1...2 { try await database.refuse(number) }
      try await receiver.apply((1...2).map { try counted("a", $0, lane: 0, position: $0) }, from: "shop")
      while try await database.read({ try BusInbox.deadLetters(of: "desk", limit: 10, in: $0) }).count < 2 {
        time.advance(seconds: BusReceiver.pauses.max() ?? 0)
        #expect(try await receiver.retryDeferred() == 1)
      }
      let letters = try await database.read { db in try BusInbox.deadLetters(of: "desk", limit: 10, in: db) }
      let counts = try await database.read { db in try BusInbox.deadLetterCounts(of: "desk", in: db) }
      #expect(counts == [DeadLetterCount(type: letters[0].type, subscriber: "desk", count: 2)])
      for number in 1...2 { try await database.refuse(number, false) }
      let last = DeadLetterSelection.event(letters[0].eventID)
      #expect(try await BusInbox.revive(last, in: database) == 1)
      #expect(try await receiver.retryDeferred() == 1)
      #expect(try await receiver.retryDeferred() == 0)
      #expect(try await database.seen() == ["a": [2]])
      let rest = DeadLetterSelection.type(letters[0].type)
      #expect(try await BusInbox.revive(rest, in: database) == 1)
      #expect(try await receiver.retryDeferred() == 1)
      #expect(try await database.seen() == ["a": [2, 1]])
    }
  }

  @Test("a revived dead letter is not overtaken by what is tried again", arguments: TestDatabase.allCases)
  func revivedBeforeLiveOnes(on kind: TestDatabase) async throws {
    try await run(on: kind) { receiver, database, time async throws in
      for number in 1...2 { try await database.refuse(number) }
      let events = try (1...3).map { try counted("a", $0, lane: 0, position: $0) }
      try await receiver.apply([events[0]], from: "shop")
      for pause in BusReceiver.pauses {
        time.advance(seconds: pause)
        #expect(try await receiver.retryDeferred() == 1)
      }
      try await receiver.apply(Array(events[1...]), from: "shop")
      #expect(try await BusInbox.revive(in: database) == 1)
      #expect(try await receiver.retryDeferred() == 1)
      // The second one would have its effect now. It waits for the first one.
      try await database.refuse(2, false)
      time.advance(seconds: BusReceiver.pauses[0])
      #expect(try await receiver.retryDeferred() == 1)
      #expect(try await database.seen() == [:])
      try await database.refuse(1, false)
      time.advance(seconds: BusReceiver.pauses[1])
      for _ in 1...3 { #expect(try await receiver.retryDeferred() == 1) }
      #expect(try await database.seen() == ["a": [1, 2, 3]])
    }
  }

  @Test("an event without its data is a dead letter that keeps nothing waiting", arguments: TestDatabase.allCases)
  func tooLarge(on kind: TestDatabase) async throws {
    try await run(on: kind) { receiver, database, _ async throws in
      let events = try (1...2).map { try #require(try counted("a", $0, lane: 0, position: $0).event) }
      let answer = try #require(BusReplay.Answer(events: events, through: 5).shortened?.shortened)
      #expect(answer.shortened == nil)
      #expect(try await receiver.apply(answer.stretch(after: 0, lane: 0), from: "shop") == [0: 1])
      try await receiver.apply([counted("a", 2, lane: 0, position: 2)], from: "shop")
      #expect(try await database.seen() == ["a": [2]])
      let letters = try await database.read { db in try BusInbox.deadLetters(of: "desk", limit: 10, in: db) }
      #expect(letters.map(\.failure) == ["the event is larger than max_payload of NATS"])
    }
  }

  @Test("a dead letter that is delivered again keeps no later event of its subject", arguments: TestDatabase.allCases)
  func redeliveredDeadLetter(on kind: TestDatabase) async throws {
    try await run(on: kind) { receiver, database, time async throws in
      var events = try (1...3).map { try counted("a", $0, lane: 0, position: $0) }
      // It cannot be decoded, which no transaction is needed to see.
      events[0].event?.data = .null
      try await receiver.apply([events[0]], from: "shop")
      for pause in BusReceiver.pauses {
        time.advance(seconds: pause)
        #expect(try await receiver.retryDeferred() == 1)
      }
      // The acknowledgment of the first one was lost.
      try await receiver.apply(Array(events[..<2]), from: "shop")
      try await receiver.apply([events[2]], from: "shop")
      #expect(try await database.seen() == ["a": [2, 3]])
    }
  }

  @Test("what an event causes belongs to the trace of its cause", arguments: TestDatabase.allCases)
  func traces(on kind: TestDatabase) async throws {
    try await run(on: kind) { _, database, time async throws in
      let consumer = EventConsumer { event, _ in
        EventConsumer.Effect(apply: { tx in try tx.record(Ignored(subject: event.subject)) }, afterwards: {})
      }
      let receiver = BusReceiver(
        events: EventReceiver(consumers: [Counted.type: consumer], isConsumed: { _, _ in true }, database: database),
        database: database, time: time.source, logger: silent,
        deadLetters: Metrics().counter("dead_total", help: "Dead letters."))
      let causes = [TraceContext(), TraceContext()]
      let events = try causes.enumerated().map { index, cause in
        var item = try counted("a", index, lane: 0, position: index + 1)
        item.event?.traceparent = cause.traceparent
        return item
      }
      try await receiver.apply(events, from: "shop")
      let stored = try await database.read { db in
        try db.values("SELECT traceparent FROM outbox ORDER BY sequence", as: String.self)
      }
      #expect(stored.map { TraceContext(traceparent: $0)?.traceID } == causes.map(\.traceID))
    }
  }

  private final class Attempts: Sendable {
    let count = Atomic(0)
  }

  @Test("effects that are guarded wait for each other's rows instead of being repeated")
  func guardedEffects() async throws {
    try await run(on: .postgresql) { _, database, time async throws in
      try await database.write { tx in
        try tx.execute("CREATE TABLE numbers (last BIGINT NOT NULL)")
        try tx.execute("INSERT INTO numbers (last) VALUES (0)")
      }
      let attempts = Attempts()
      let consumer = EventConsumer { _, _ in
        EventConsumer.Effect(
          purpose: .readCommitted,
          apply: { tx in
            attempts.count.add(1, ordering: .relaxed)
            try tx.execute("UPDATE numbers SET last = last + 1")
          }, afterwards: {})
      }
      let receiver = BusReceiver(
        events: EventReceiver(consumers: [Counted.type: consumer], isConsumed: { _, _ in true }, database: database),
        database: database, time: time.source, logger: silent,
        deadLetters: Metrics().counter("dead_total", help: "Dead letters."))
      // Two instances for each of four sources.
      _ = try await concurrently(0..<8) { number in
        let source = "source\(number % 4)"
        for position in 1...30 {
          var item = try counted("a", position, lane: position % 3, position: (position + 2) / 3)
          item.event?.source = "/\(source)"
          try await receiver.apply([item], from: source)
        }
      }
      #expect(attempts.count.load(ordering: .relaxed) == 120)
      #expect(try await database.read { db in try db.count("SELECT last FROM numbers") } == 120)
    }
  }

  @Test("instances that apply the same lanes at once do nothing twice", arguments: TestDatabase.allCases)
  func severalInstances(on kind: TestDatabase) async throws {
    try await run(on: kind) { receiver, database, _ async throws in
      let events = try (1...40).map { try counted("s\($0 % 4)", $0, lane: $0 % 4, position: ($0 + 3) / 4) }
      _ = try await concurrently(0..<4) { _ in
        for start in stride(from: 0, to: events.count, by: 8) {
          try await eventually("no other transaction is in the way") {
            do {
              try await receiver.apply(Array(events[start..<start + 8]), from: "shop")
              return true
            } catch let error as DatabaseError {
              #expect(error.kind == .conflict)
              return false
            }
          }
        }
      }
      let expected = (0..<4).map { subject in ("s\(subject)", (1...40).filter { $0 % 4 == subject }) }
      #expect(try await database.seen() == Dictionary(uniqueKeysWithValues: expected))
      #expect(try await receiver.positions(of: "shop") == [0: 10, 1: 10, 2: 10, 3: 10])
    }
  }
}
