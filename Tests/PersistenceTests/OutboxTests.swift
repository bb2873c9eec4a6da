import Contracts
import Logging
import TestKit
import Testing

@testable import Persistence

struct Happened: Event {
  static let type = "app.quintet.test.happened"
  var subject: String
  var number: Int
}

@Suite(.serialized)
struct OutboxTests {
  private func run(on kind: TestDatabase, _ body: (any Database, Outbox, ManualTime) async throws -> Void) async throws
  {
    let time = ManualTime()
    try await kind.run(time: time.source) { database async throws in
      try await database.migrate(PlatformMigrations.all, logger: Logger(label: "t") { _ in SwiftLogNoOpLogHandler() })
      try await body(database, Outbox(database: database), time)
    }
  }

  private func record(_ database: any Database, _ subject: String, _ number: Int) async throws {
    try await database.write { tx in try tx.record(Happened(subject: subject, number: number)) }
  }

  @Test(arguments: TestDatabase.allCases)
  func eventsExistOnlyWithTheirEffect(on kind: TestDatabase) async throws {
    struct Stop: Error {}
    try await run(on: kind) { database, outbox, _ async throws in
      try await outbox.subscribe(EventSubscription(subscriber: "x", url: "http://x", types: [Happened.type]))
      await #expect(throws: Stop.self) {
        try await database.write { tx in
          try tx.record(Happened(subject: "s", number: 1))
          throw Stop()
        }
      }
      #expect(try await outbox.exchange([], limit: 10).isEmpty)
      try await record(database, "s", 2)
      let delivery = try #require(try await outbox.exchange([], limit: 10).first)
      #expect(delivery.type == Happened.type)
      #expect(delivery.data.contains("\"number\":2"))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func oneSubjectInOrderOthersBeside(on kind: TestDatabase) async throws {
    try await run(on: kind) { database, outbox, time async throws in
      try await outbox.subscribe(EventSubscription(subscriber: "x", url: "http://x", types: [Happened.type]))
      for number in 1...3 { try await record(database, "a", number) }
      try await record(database, "b", 4)
      let first = try await outbox.exchange([], limit: 10)
      #expect(first.map(\.subject) == ["a", "b"])
      // Claimed deliveries are not returned again, and their subjects wait.
      #expect(try await outbox.exchange([], limit: 10).isEmpty)
      let later = time.source.now().advanced(bySeconds: 5)
      let next = try await outbox.exchange(
        [(first[0], .retry(at: later, failure: "down")), (first[1], .delivered)],
        limit: 10
      )
      #expect(next.isEmpty)
      #expect(try await outbox.nextDue() == later)
      time.advance(seconds: 6)
      let again = try await outbox.exchange([], limit: 10)
      #expect(again.map(\.eventID) == [first[0].eventID])
      #expect(again[0].attempts == 1)
      // A dead-lettered event unblocks its subject.
      let after = try await outbox.exchange([(again[0], .dead(failure: "status 410"))], limit: 10)
      #expect(after.map(\.subject) == ["a"])
      #expect(after[0].eventID > again[0].eventID)
      #expect(try await outbox.deadLetters().map(\.eventID) == [again[0].eventID])
      #expect(try await outbox.counts().dead == 1)
      #expect(try await outbox.reviveDeadLetters() == 1)
      #expect(try await outbox.counts().dead == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func claimsLapseAndLateSubscribersCatchUp(on kind: TestDatabase) async throws {
    try await run(on: kind) { database, outbox, time async throws in
      try await record(database, "a", 1)
      #expect(try await outbox.exchange([], limit: 10).isEmpty)
      try await outbox.subscribe(EventSubscription(subscriber: "late", url: "http://late", types: [Happened.type]))
      try await outbox.subscribe(EventSubscription(subscriber: "late", url: "http://late", types: [Happened.type]))
      try await outbox.subscribe(EventSubscription(subscriber: "other", url: "http://other", types: ["something.else"]))
      #expect(try await outbox.exchange([], limit: 10).map(\.subscriber) == ["late"])
      time.advance(seconds: Outbox.claimSeconds + 1)
      let delivery = try await outbox.exchange([], limit: 10)
      #expect(delivery.count == 1)
      _ = try await outbox.exchange([(delivery[0], .delivered)], limit: 10)
      #expect(try await outbox.counts().waiting == 0)
      time.advance(seconds: Outbox.retentionSeconds + 1)
      try await outbox.purge()
      try await outbox.subscribe(EventSubscription(subscriber: "too late", url: "http://x", types: [Happened.type]))
      #expect(try await outbox.exchange([], limit: 10).isEmpty)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func inboxTellsRepetitions(on kind: TestDatabase) async throws {
    try await run(on: kind) { database, _, _ async throws in
      func receive(_ id: String) async throws -> Bool {
        try await database.write { tx in try tx.receive(source: "/a", id: id) }
      }
      #expect(try await receive("1"))
      #expect(try await !receive("1"))
      #expect(try await receive("2"))
    }
  }
}
