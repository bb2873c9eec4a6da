import Contracts
import TestKit
import Testing

@testable import Persistence

/// What becomes of dead letters that are tried again.
@Suite(.serialized)
struct DeadLetterTests {
  /// The events of the only batch that is claimed.
  private func next(
    _ test: OutboxFixture, after settled: SettledBatch? = nil
  ) async throws -> (batch: EventBatch, sequences: [Int]) {
    let batches = try await test.exchange(settled.map { [$0] } ?? [])
    #expect(batches.count == 1)
    let batch = try #require(batches.first)
    return (batch, batch.events.map(\.sequence))
  }

  @Test(arguments: TestDatabase.allCases)
  func noLaterEventOvertakesARevivedOne(on kind: TestDatabase) async throws {
    try await OutboxFixture.run(on: kind) { test async throws in
      func time(_ seconds: Double) -> Timestamp { test.time.source.now().advanced(bySeconds: seconds) }
      try await test.record("a", 1)
      let first = try await next(test).batch
      #expect(try await test.exchange([SettledBatch(first, [.dead(failure: "status 422")])]).isEmpty)
      try await test.record("a", 2)
      let second = try await next(test).batch
      #expect(try await test.exchange([SettledBatch(second, [.retry(at: time(10), failure: "status 422")])]).isEmpty)
      try await test.record("a", 3)
      let third = try await next(test).batch
      #expect(third.behind.map(\.sequence) == [3])
      #expect(try await test.exchange([OutboxFixture.delivered(third)]).isEmpty)

      #expect(try await test.outbox.reviveDeadLetters() == 1)
      let revived = try await next(test)
      #expect(revived.sequences == [1])
      // It is rejected once more. The second one would be due before it, and waits.
      #expect(
        try await test.exchange([SettledBatch(revived.batch, [.retry(at: time(20), failure: "status 422")])]).isEmpty)
      test.time.advance(seconds: 11)
      #expect(try await test.exchange().isEmpty)
      test.time.advance(seconds: 10)
      let again = try await next(test)
      #expect(again.sequences == [1])
      let later = try await next(test, after: OutboxFixture.delivered(again.batch))
      #expect(later.sequences == [2])
      #expect(later.batch.events.map(\.attempts) == [1])
      let last = try await next(test, after: OutboxFixture.delivered(later.batch))
      #expect(last.sequences == [3])
      #expect(try await test.exchange([OutboxFixture.delivered(last.batch)]).isEmpty)
      #expect(try await test.outbox.counts().waiting == 0)
    }
  }

  /// A later event is on its way when the dead letter is revived; it is of a lane, or a retry.
  @Test(arguments: TestDatabase.allCases)
  func whatIsRejectedMeanwhileWaits(on kind: TestDatabase) async throws {
    try await OutboxFixture.run(on: kind) { test async throws in
      func rejected(_ batch: EventBatch, after seconds: Double) -> SettledBatch {
        let time = test.time.source.now().advanced(bySeconds: seconds)
        return SettledBatch(batch, [.retry(at: time, failure: "status 422")])
      }
      func dead(_ batch: EventBatch) -> SettledBatch { SettledBatch(batch, [.dead(failure: "status 422")]) }
      try await test.record("a", 1)
      let first = try await next(test).batch
      #expect(try await test.exchange([dead(first)]).isEmpty)
      try await test.record("a", 2)
      let ofLane = try await next(test).batch
      #expect(try await test.outbox.reviveDeadLetters() == 1)
      let revived = try await next(test, after: rejected(ofLane, after: 0))
      #expect(revived.sequences == [1])
      let second = try await next(test, after: dead(revived.batch))
      #expect(second.sequences == [2])
      #expect(second.batch.place == .retries)
      #expect(try await test.outbox.reviveDeadLetters() == 1)
      let again = try await next(test, after: rejected(second.batch, after: 0))
      #expect(again.sequences == [1])
      let last = try await next(test, after: OutboxFixture.delivered(again.batch))
      #expect(last.sequences == [2])
      #expect(last.batch.events.map(\.attempts) == [2])
    }
  }

  // MARK: many

  /// The most rows that one statement reads, of 10,000: those of a batch of dead letters.
  private static let mostRows = SubjectOrder.batchSize + 100

  /// 5,000 of one subject, and one of each of 5,000 others.
  private static let many: SQL = """
    WITH RECURSIVE n (i, subject) AS (
      SELECT 1, 'one' UNION ALL SELECT i + 1, CASE WHEN i < 5000 THEN 'one' ELSE 's' || i END FROM n WHERE i < 10000)
    """

  /// Every row is found by its subject or its event, or is a dead letter. Afterwards, no letter is dead.
  private func expectIndices(_ statements: [SQL], of table: StaticString, in database: any Database) async throws {
    if database.dialect == .postgresql { try await database.write { tx in try tx.execute("ANALYZE \(raw: table)") } }
    for sql in statements {
      try await database.write { tx in
        guard tx.dialect == .sqlite else {
          let rows = try QueryPlan.rowsRead(by: sql, in: tx)
          #expect(rows <= Self.mostRows, "\(sql.text.prefix(300))")
          return
        }
        let whole = try QueryPlan.wholeReads(of: sql, in: tx).filter { $0.hasPrefix("SCAN") }
        #expect(whole == [], "\(sql.text.prefix(300))")
        let searches = try tx.all("EXPLAIN QUERY PLAN \(sql)") { row -> String in try row["detail"] }
        for search in searches where search.hasPrefix("SEARCH \(table)") {
          #expect(
            ["subject=?", "event_id=?", "_dead "].contains { search.contains($0) }, "\(search): \(sql.text.prefix(300))")
        }
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
          INSERT INTO outbox (id, type, subject, data, recorded_at, is_distributed, sequence, lane, position)
          SELECT 'e' || i, \(Happened.type), subject, '{}', 0, 1, i, 0, i FROM n
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
      let statements = try await recorder.statements {
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
      let statements = try await recorder.statements {
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
