import Contracts
import TestKit
import Testing

@testable import Persistence

/// The outcomes of dead letters that are retried.
@Suite(.serialized)
struct DeadLetterTests {
  /// The only batch that is claimed.
  private func next(_ test: OutboxFixture, after settled: SettledBatch? = nil) async throws -> EventBatch {
    let batches = try await test.exchange(settled.map { [$0] } ?? [])
    #expect(batches.count == 1)
    return try #require(batches.first)
  }

  /// The first event is rejected, the others of its subject were not tried.
  private func rejected(_ batch: EventBatch, after seconds: Double, _ test: OutboxFixture) -> SettledBatch {
    let time = test.time.source.now().advanced(bySeconds: seconds)
    let others = batch.events.dropFirst().map { _ in DeliveryOutcome.postponed(until: time) }
    return SettledBatch(batch, [.retry(at: time, failure: "status 422")] + others)
  }

  private func dead(_ batch: EventBatch) -> SettledBatch { SettledBatch(batch, [.dead(failure: "status 422")]) }

  @Test(arguments: TestDatabase.allCases)
  func noLaterEventOvertakesARevivedOne(on kind: TestDatabase) async throws {
    try await OutboxFixture.run(on: kind) { test async throws in
      try await test.record("a", 1)
      #expect(try await test.exchange([dead(next(test))]).isEmpty)
      try await test.record("a", 2)
      #expect(try await test.exchange([rejected(next(test), after: 10, test)]).isEmpty)
      try await test.record("a", 3)
      let third = try await next(test)
      #expect(third.behind.map(\.sequence) == [3])
      #expect(try await test.exchange([OutboxFixture.delivered(third)]).isEmpty)

      #expect(try await test.outbox.reviveDeadLetters() == 1)
      let revived = try await next(test)
      #expect(revived.events.map(\.sequence) == [1, 2, 3])
      // The time of the second one comes before that of the first one, for which it waits.
      #expect(try await test.exchange([rejected(revived, after: 20, test)]).isEmpty)
      test.time.advance(seconds: 11)
      #expect(try await test.exchange().isEmpty)
      test.time.advance(seconds: 10)
      var batch = try await next(test)
      #expect(batch.events.map(\.sequence) == [1])
      batch = try await next(test, after: OutboxFixture.delivered(batch))
      #expect(batch.events.map(\.sequence) == [2])
      #expect(batch.events.map(\.attempts) == [1])
      batch = try await next(test, after: OutboxFixture.delivered(batch))
      #expect(batch.events.map(\.sequence) == [3])
      #expect(try await test.exchange([OutboxFixture.delivered(batch)]).isEmpty)
      #expect(try await test.outbox.counts().waiting == 0)
    }
  }

  /// A later event is on its way when the dead letter is revived: once of its lane, once as a retry.
  @Test(arguments: TestDatabase.allCases)
  func whatIsRejectedMeanwhileWaits(on kind: TestDatabase) async throws {
    try await OutboxFixture.run(on: kind) { test async throws in
      try await test.record("a", 1)
      #expect(try await test.exchange([dead(next(test))]).isEmpty)
      try await test.record("a", 2)
      var second = try await next(test)
      for attempts in 1...2 {
        #expect(second.events.map(\.sequence) == [2])
        #expect(try await test.outbox.reviveDeadLetters() == 1)
        var first = try await next(test, after: rejected(second, after: 10, test))
        #expect(first.events.map(\.sequence) == [1, 2])
        #expect(first.events.map(\.attempts) == [0, attempts])
        #expect(try await test.exchange([rejected(first, after: 20, test)]).isEmpty)
        test.time.advance(seconds: 11)
        #expect(try await test.exchange().isEmpty)
        test.time.advance(seconds: 10)
        first = try await next(test)
        #expect(first.events.map(\.sequence) == [1])
        second = try await next(test, after: dead(first))
      }
      #expect(try await test.exchange([OutboxFixture.delivered(second)]).isEmpty)
      #expect(try await test.outbox.counts().dead == 1)
    }
  }

  // MARK: many

  /// The most rows that one statement reads, of 10,000: those of a batch of dead letters.
  private static let maxRows = SubjectOrder.batchSize + 100

  /// 5,000 of one subject, and one of each of 5,000 others.
  private static let many: SQL = """
    WITH RECURSIVE n (i, subject) AS (
      SELECT 1, 'one' UNION ALL SELECT i + 1, CASE WHEN i < 5000 THEN 'one' ELSE 's' || i END FROM n WHERE i < 10000)
    """

  /// Every row is found by its subject or its event, or is a dead letter. Afterwards, no letter is dead.
  private func expectIndices(_ statements: [SQL], of table: StaticString, in database: any Database) async throws {
    if database.dialect == .postgresql { try await database.write { tx in try tx.execute("ANALYZE \(raw: table)") } }
    for sql in statements {
      // Judged here, because what a thread of the database records belongs to no test.
      if database.dialect == .postgresql {
        let rows = try await database.write { tx in try QueryPlan.rowsRead(by: sql, in: tx) }
        #expect(rows <= Self.maxRows, "\(sql.text.prefix(300))")
        continue
      }
      let (whole, plan) = try await database.write { tx in
        (
          try QueryPlan.wholeReads(of: sql, in: tx).filter { $0.hasPrefix("SCAN") },
          try tx.all("EXPLAIN QUERY PLAN \(sql)") { row -> String in try row["detail"] }
        )
      }
      #expect(whole == [], "\(sql.text.prefix(300))")
      for search in plan where search.hasPrefix("SEARCH \(table)") {
        let isFound = ["subject=?", "event_id=?", "_dead "].contains { search.contains($0) }
        #expect(isFound, "\(search): \(sql.text.prefix(300))")
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func manyAreRevivedByIndices(on kind: TestDatabase) async throws {
    try await OutboxFixture.run(on: kind) { test async throws in
      try await test.database.write { tx in
        try tx.execute(
          """
          \(Self.many)
          INSERT INTO outbox (id, type, subject, data, recorded_at, sequence, lane, position)
          SELECT 'e' || i, \(Happened.type), subject, '{}', 0, i, 0, i FROM n
          """)
        try tx.execute(
          """
          \(Self.many)
          INSERT INTO event_retries (subscriber, event_id, subject, sequence, attempts, due_at, is_dead)
          SELECT 'x', 'e' || i, subject, i, 24, 0, 1 FROM n
          """)
      }
      let recorder = RecordingDatabase(test.database)
      let outbox = Outbox(database: recorder)
      let statements = try await recorder.statements { () async throws in
        #expect(try await outbox.reviveDeadLetters(.type("another")) == 0)
        #expect(try await outbox.reviveDeadLetters(.type(Happened.type)) == 10_000)
        #expect(try await outbox.reviveDeadLetters() == 0)
        #expect(try await outbox.deadLetters().isEmpty)
        #expect(try await recorder.read { db in try Outbox.deadLetterCounts(in: db) }.isEmpty)
      }
      let order = EventRetries.order
      let changes = order.lineUp(["one", "s6000"], of: "x", at: test.time.source.now())
      try await expectIndices(
        statements + changes + [order.revival(of: ["e1", "e7000"], "x")], of: "event_retries", in: test.database)
      let due = try await test.database.read { db in
        try db.values(
          "SELECT subject FROM event_retries WHERE due_at < \(SubjectOrder.behind) ORDER BY sequence", as: String.self)
      }
      #expect(due == ["one"] + (5000..<10_000).map { "s\($0)" })
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func manyOfABrokerAreRevivedByIndices(on kind: TestDatabase) async throws {
    try await OutboxFixture.run(on: kind) { test async throws in
      try await test.database.write { tx in
        try tx.execute(
          """
          \(Self.many)
          INSERT INTO bus_asides
            (source, event_id, type, subject, lane, position, event, attempts, due_at, is_dead)
          SELECT 'shop', 'e' || i, \(Happened.type), subject, 0, i, '{}', 11, 0, 1 FROM n
          """)
      }
      let recorder = RecordingDatabase(test.database)
      let statements = try await recorder.statements { () async throws in
        #expect(try await BusInbox.revive(.type("another"), in: recorder) == 0)
        #expect(try await BusInbox.revive(in: recorder) == 10_000)
        #expect(try await recorder.read { db in try BusInbox.deadLetters(of: "x", limit: 100, in: db) }.isEmpty)
        #expect(try await recorder.read { db in try BusInbox.deadLetterCounts(of: "x", in: db) }.isEmpty)
      }
      let order = BusInbox.order
      let changes = order.lineUp(["one", "s6000"], of: "shop", at: test.time.source.now())
      try await expectIndices(
        statements + changes + [order.revival(of: ["e1", "e7000"], "shop")], of: "bus_asides", in: test.database)
      let due = try await test.database.read { db in
        try db.values(
          "SELECT subject FROM bus_asides WHERE due_at < \(SubjectOrder.behind) ORDER BY position", as: String.self)
      }
      #expect(due == ["one"] + (5000..<10_000).map { "s\($0)" })
    }
  }
}
