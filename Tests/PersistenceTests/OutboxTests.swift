import Contracts
import TestKit
import Testing

@testable import Persistence

@Suite(.serialized)
struct OutboxTests {
  @Test(arguments: TestDatabase.allCases)
  func anEventThatIsTooLargeFailsItsTransaction(on kind: TestDatabase) async throws {
    try await OutboxFixture.run(on: kind) { test async throws in
      let error = await #expect(throws: DatabaseError.self) {
        try await test.record(String(repeating: "x", count: Outbox.maxEventBytes), 1)
      }
      #expect(error?.detail.contains(Happened.type) == true)
      #expect(try await test.count("SELECT COUNT(*) FROM outbox") == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func eventsExistOnlyWithTheirEffect(on kind: TestDatabase) async throws {
    struct Stop: Error {}
    try await OutboxFixture.run(on: kind) { test async throws in
      await #expect(throws: Stop.self) {
        try await test.database.write { tx in
          try tx.record(Happened(subject: "s", number: 1))
          throw Stop()
        }
      }
      #expect(try await test.exchange().isEmpty)
      try await test.record("s", 2)
      let events = try await test.deliverAll()
      #expect(try events.map { try $0.number } == [2])
      #expect(events.map(\.sequence) == [1])
      #expect(events.map(\.type) == [Happened.type])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func oneSubjectInOrderOthersBeside(on kind: TestDatabase) async throws {
    try await OutboxFixture.run(on: kind) { test async throws in
      try await test.record("a", 1, 2)
      try await test.record("a", 3)
      try await test.record("b", 4)
      let batches = try await test.exchange()
      #expect(batches.count == 2)
      let first = try #require(batches.first { $0.events[0].subject == "a" })
      #expect(first.events.map(\.sequence) == [1, 2, 3])
      #expect(first.events.map(\.position) == [1, 2, 3])
      // Claimed lanes are not returned again, and new events of theirs wait.
      try await test.record("a", 5)
      #expect(try await test.exchange().isEmpty)
      let next = try await test.exchange(batches.map(OutboxFixture.delivered))
      #expect(try next.flatMap(\.events).map { try $0.number } == [5])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aRejectedEventDelaysItsSubjectOnly(on kind: TestDatabase) async throws {
    try await OutboxFixture.run(on: kind) { test async throws in
      // One batch of one lane: the subjects differ.
      let other = try #require((0...).lazy.map { "o\($0)" }.first { EventLane.of($0) == EventLane.of("a") })
      try await test.record("a", 1, 2)
      try await test.record(other, 3)
      let later = test.time.source.now().advanced(bySeconds: 5)
      let batch = try #require(try await test.exchange().first)
      #expect(batch.events.map(\.subject) == ["a", other, "a"])
      let settled = SettledBatch(
        batch, [.retry(at: later, failure: "status 422"), .delivered, .postponed(until: later)])
      #expect(try await test.exchange([settled]).isEmpty)
      #expect(try await test.outbox.nextRetry(for: "x") == later)

      // The lane goes on; what follows in the subject waits.
      try await test.record("a", 4)
      try await test.record(other, 5)
      let next = try #require(try await test.exchange().first)
      #expect(try next.events.map { try $0.number } == [5])
      #expect(try next.behind.map { try $0.number } == [4])
      #expect(try await test.exchange([OutboxFixture.delivered(next)]).isEmpty)
      #expect(try await test.outbox.counts().waiting == 3)

      // The first one is tried alone. Once it is dead, the others follow in their order.
      test.time.advance(seconds: 6)
      let retry = try #require(try await test.exchange().first)
      #expect(retry.queue == .retries)
      #expect(retry.events.map(\.sequence) == [1])
      #expect(retry.events.map(\.attempts) == [1])
      let rest = try #require(try await test.exchange([SettledBatch(retry, [.dead(failure: "status 422")])]).first)
      #expect(rest.events.map(\.sequence) == [2, 3])
      #expect(try await test.exchange([OutboxFixture.delivered(rest)]).isEmpty)
      #expect(try await test.outbox.deadLetters().map(\.failure) == ["status 422"])
      let counts = try await test.outbox.counts()
      #expect(counts.waiting == 0)
      #expect(counts.dead == 1)

      #expect(try await test.outbox.reviveDeadLetters() == 1)
      #expect(try await test.deliverAll().map(\.sequence) == [1])
      #expect(try await test.outbox.counts().dead == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func oneDeadLetterIsRevivedWithoutThoseBefore(on kind: TestDatabase) async throws {
    try await OutboxFixture.run(on: kind) { test async throws in
      try await test.record("a", 1, 2)
      let batch = try #require(try await test.exchange().first)
      let settled = SettledBatch(batch, [.dead(failure: "status 422"), .dead(failure: "status 409")])
      #expect(try await test.exchange([settled]).isEmpty)
      let letters = try await test.outbox.deadLetters()
      let later = try #require(letters.first { $0.failure == "status 409" })
      let counts = try await test.database.read { db in try Outbox.deadLetterCounts(in: db) }
      #expect(counts == [DeadLetterCount(type: Happened.type, subscriber: "x", count: 2)])

      #expect(try await test.outbox.reviveDeadLetters(.event("unknown")) == 0)
      #expect(try await test.outbox.reviveDeadLetters(.event(later.eventID)) == 1)
      #expect(try await test.deliverAll().map(\.sequence) == [2])
      #expect(try await test.outbox.reviveDeadLetters(.type("another")) == 0)
      #expect(try await test.outbox.counts().dead == 1)
      #expect(try await test.outbox.reviveDeadLetters(.type(Happened.type)) == 1)
      #expect(try await test.deliverAll().map(\.sequence) == [1])
    }
  }

  /// A rejected event is never tried before its time, and one that the subscriber was not available for is never
  /// forgotten.
  @Test(arguments: TestDatabase.allCases)
  func anUnavailableSubscriberLosesNothing(on kind: TestDatabase) async throws {
    try await OutboxFixture.run(on: kind) { test async throws in
      try await test.record("a", 1, 2, 3)
      let batch = try #require(try await test.exchange().first)
      let later = test.time.source.now().advanced(bySeconds: 5)
      let settled = SettledBatch(batch, [.delivered, .postponed(until: later), .postponed(until: later)])
      let again = try await test.exchange([settled])
      #expect(again.flatMap(\.events).map(\.sequence) == [2, 3])
      #expect(try await test.count("SELECT COUNT(*) FROM event_retries") == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func claimsLapse(on kind: TestDatabase) async throws {
    try await OutboxFixture.run(on: kind) { test async throws in
      try await test.record("a", 1)
      let lost = try await test.exchange(claim: "killed")
      #expect(lost.count == 1)
      #expect(try await test.exchange().isEmpty)
      test.time.advance(seconds: Outbox.claimSeconds + 1)
      let taken = try await test.exchange()
      #expect(taken.flatMap(\.events).map(\.sequence) == [1])
      // Outcomes that the first relay reports now are no longer recorded.
      _ = try await test.exchange(
        lost.map { SettledBatch($0, [.dead(failure: "late")]) }, claim: "killed", capacity: .init(lanes: 0))
      #expect(try await test.outbox.counts().dead == 0)
      _ = try await test.exchange(taken.map(OutboxFixture.delivered))
      #expect(try await test.outbox.counts().waiting == 0)
      // A relay that stops releases its lanes at once.
      try await test.record("a", 2)
      #expect(try await test.exchange(claim: "stopping").count == 1)
      try await test.outbox.release("stopping")
      #expect(try await test.exchange().count == 1)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func lateSubscribersCatchUpAndReplay(on kind: TestDatabase) async throws {
    try await OutboxFixture.run(on: kind) { test async throws in
      try await test.record("a", 1, 2)
      _ = try await test.deliverAll()
      test.time.advance(seconds: 60)
      let since = test.time.source.now()
      try await test.record("a", 3)
      try await test.database.write { tx in try tx.record(Flickered(subject: "a", number: 4)) }
      _ = try await test.deliverAll()

      let late = EventSubscription(subscriber: "late", url: "http://late", types: [Happened.type])
      let other = EventSubscription(subscriber: "other", url: "http://other", types: ["something.else"])
      let all = EventSubscription(subscriber: "all", url: "http://all", types: EventSubscription.everything)
      for subscription in [late, late, other, all] { try await test.outbox.subscribe(subscription) }
      #expect(try await test.deliverAll(to: late).map(\.sequence) == [1, 2, 3])
      #expect(try await test.deliverAll(to: other).isEmpty)
      #expect(try await test.deliverAll(to: all).map(\.sequence) == [1, 2, 3, 4])
      #expect(try await test.deliverAll().isEmpty)

      // Restored from a backup of that time; a batch on its way does not undo it.
      try await test.record("a", 5)
      let sent = try await test.exchange(with: late)
      let replayed = try await test.outbox.replay(since: since, to: "late")
      #expect(replayed.map(\.subscriber) == ["late"])
      #expect(replayed.map(\.events) == [2])
      let again = try await test.exchange(sent.map(OutboxFixture.delivered), with: late)
      #expect(again.flatMap(\.events).map(\.sequence) == [3, 5])
      #expect(try await test.deliverAll().map(\.sequence) == [5])
      #expect(try await test.outbox.replay(since: since).map(\.subscriber) == ["all", "late", "other", "x"])
      #expect(try await test.outbox.replay(since: since, to: "unknown").isEmpty)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aReplayGoesToTheBrokerWhenThereIsOne(on kind: TestDatabase) async throws {
    try await OutboxFixture.run(on: kind) { test async throws in
      let since = test.time.source.now()
      try await test.outbox.deliverToBus()
      try await test.record("a", 1, 2)
      #expect(try await test.deliverAll(to: Outbox.bus).count == 2)
      let replayed = try await test.outbox.replay(since: since, to: test.subscription.subscriber)
      #expect(replayed.map(\.subscriber) == [Outbox.bus.subscriber])
      #expect(replayed.map(\.events) == [2])
      #expect(try await test.deliverAll(to: Outbox.bus).count == 2)
      #expect(try await test.outbox.replay(since: since).map(\.subscriber) == [Outbox.bus.subscriber])
      #expect(try await test.outbox.replay(since: since, to: "unknown").isEmpty)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func whatIsReceivedAndOldIsPurged(on kind: TestDatabase) async throws {
    try await OutboxFixture.run(on: kind) { test async throws in
      func stored(_ type: String) async throws -> Int {
        try await test.count("SELECT COUNT(*) FROM outbox WHERE type = \(type)")
      }
      let emitted = [Happened.type: Happened.retentionSeconds, Flickered.type: Flickered.retentionSeconds]
      try await test.record("a", 1)
      try await test.database.write { tx in
        for number in 0..<2500 { try tx.record(Flickered(subject: "f\(number % 40)", number: number)) }
        _ = try tx.receive(source: "/b", id: "1")
      }
      test.time.advance(seconds: 7200)
      // No subscriber has received them.
      try await test.outbox.purge(emitted: emitted)
      #expect(try await stored(Flickered.type) == 2500)
      _ = try await test.deliverAll()
      try await test.outbox.purge(emitted: emitted)
      #expect(try await stored(Flickered.type) == 0)
      #expect(try await stored(Happened.type) == 1)
      test.time.advance(seconds: 8 * 86_400)
      try await test.outbox.purge(emitted: emitted)
      #expect(try await stored(Happened.type) == 0)
      #expect(try await test.count("SELECT COUNT(*) FROM event_subjects") == 0)
      #expect(try await test.count("SELECT COUNT(*) FROM inbox") == 1)
      test.time.advance(seconds: 8 * 86_400)
      try await test.outbox.purge(emitted: emitted)
      #expect(try await test.count("SELECT COUNT(*) FROM inbox") == 0)
      // A new subscriber begins behind what was removed.
      try await test.record("a", 2)
      let late = EventSubscription(subscriber: "late", url: "http://late", types: [Happened.type])
      try await test.outbox.subscribe(late)
      #expect(try await test.deliverAll(to: late).count == 1)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func inboxDetectsRepetitions(on kind: TestDatabase) async throws {
    try await OutboxFixture.run(on: kind) { test async throws in
      func receive(_ id: String) async throws -> Bool {
        try await test.database.write { tx in try tx.receive(source: "/a", id: id) }
      }
      #expect(try await receive("1"))
      #expect(try await !receive("1"))
      #expect(try await receive("2"))
    }
  }
}
