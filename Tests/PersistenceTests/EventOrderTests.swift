import Contracts
import Foundation
import Logging
import TestKit
import Testing

@testable import Persistence

/// No event is passed over, whatever the order in which transactions begin, write and commit.
@Suite(.serialized)
struct EventOrderTests {
  /// A transaction that has written its events may commit long after later ones. A reader that continues after the last
  /// id, or after the last number of the database, passes over it; a lane does not.
  @Test func uncommittedEventsAreNotPassedOver() async throws {
    try await OutboxFixture.run(on: .postgresql) { test async throws in
      let (hasWritten, mayCommit) = (Counter(), Gate())
      async let slow: Void = test.database.write { tx in
        try tx.record(Happened(subject: "slow", number: 1))
        try tx.writeEvents()
        hasWritten.add()
        mayCommit.wait()
      }
      try await eventually("the first event is written, but not committed") { hasWritten.value > 0 }
      try await test.record("fast", 2)
      func after(_ id: String) async throws -> [String] {
        try await test.database.read { db in
          try db.values("SELECT id FROM outbox WHERE id > \(id) ORDER BY id", as: String.self)
        }
      }
      let naive = try await after("")
      #expect(try await test.deliverAll().map(\.subject) == ["fast"])
      mayCommit.open()
      try await slow
      // The naive reader has missed it for good.
      #expect(naive.count == 1)
      #expect(try await after(naive[0]).isEmpty)
      #expect(try await test.deliverAll().map(\.subject) == ["slow"])
    }
  }

  /// 64 writers whose transactions stay open for random times, and a relay beside them.
  ///
  /// `QUINTET_EVENTS` is how many events they record, 1,280 by default. From 64,000 on, transactions have 500 events and
  /// stay open for up to five seconds.
  @Test(arguments: TestDatabase.allCases)
  func everyEventOnceAndInOrder(on kind: TestDatabase) async throws {
    let total = ProcessInfo.processInfo.environment["QUINTET_EVENTS"].flatMap { Int($0) } ?? 1280
    let (writers, events, seconds) = total < 64_000 ? (64, 5, 0.5) : (64, 500, 5.0)
    let transactions = total / writers / events
    try await OutboxFixture.run(on: kind) { test async throws in
      let url = kind == .postgresql ? try TestDatabase.postgresURL() : nil
      let schema = try await test.schema()
      let many: any Database =
        try url.map { try PostgresDatabase(url: $0, schema: schema, connections: writers, time: test.time.source) }
        ?? test.database
      async let written: [Void] = concurrently(0..<writers) { writer in
        for transaction in 0..<transactions {
          try await many.write { tx in
            for number in 0..<events {
              try tx.record(Happened(subject: "w\(writer)", number: transaction * events + number))
            }
            try tx.writeEvents()
            guard tx.dialect == .postgresql else { return }
            _ = try tx.all("SELECT pg_sleep(\(Double.random(in: 0...seconds)))") { _ in }
          }
        }
      }
      var numbers: [String: [Int]] = [:]
      var count = 0
      while count < writers * transactions * events {
        try await eventually("further events are delivered") {
          let delivered = try await test.deliverAll()
          for event in delivered { numbers[event.subject, default: []].append(try #require(try event.number)) }
          count += delivered.count
          return !delivered.isEmpty
        }
      }
      _ = try await written
      if url != nil { await many.close() }
      #expect(numbers.count == writers)
      for (subject, seen) in numbers { #expect(seen == Array(0..<transactions * events), "\(subject)") }
      // The positions of each lane have no gap.
      #expect(
        try await test.count(
          """
          SELECT COUNT(*) FROM event_lanes l
          WHERE l.head <> (SELECT COUNT(DISTINCT o.position) FROM outbox o WHERE o.lane = l.lane)
          """
        ) == 0)
    }
  }

  /// Transactions that run beside each other and emit events of one subject take effect in some order; the events have
  /// the same one.
  @Test(arguments: TestDatabase.allCases)
  func theOrderOfEventsIsThatOfTheirTransactions(on kind: TestDatabase) async throws {
    try await OutboxFixture.run(on: kind) { test async throws in
      try await test.database.write { tx in
        try tx.execute("CREATE TABLE counters (id BIGINT PRIMARY KEY, value BIGINT NOT NULL)")
        try tx.execute("INSERT INTO counters VALUES (1, 0)")
      }
      _ = try await concurrently(0..<40) { _ in
        try await retryingConflicts {
          try await test.database.write { tx in
            let value = try tx.count("SELECT value FROM counters WHERE id = 1") + 1
            try tx.record(Happened(subject: "counter", number: value))
            try tx.execute("UPDATE counters SET value = \(value) WHERE id = 1")
          }
        }
      }
      #expect(try await test.deliverAll().map { try $0.number } == Array(1...40))
    }
  }

  /// Several relays share the lanes of one database: every event is claimed by one of them at a time.
  @Test(arguments: TestDatabase.allCases)
  func relaysShareTheWork(on kind: TestDatabase) async throws {
    try await OutboxFixture.run(on: kind) { test async throws in
      try await test.database.write { tx in
        for number in 0..<2000 { try tx.record(Happened(subject: "s\(number % 97)", number: number)) }
      }
      let delivered = try await concurrently(["1", "2", "3", "4"]) { relay in
        try await test.deliverAll(claim: relay)
      }
      let ids = delivered.flatMap { $0.map(\.id) }
      #expect(ids.count == 2000)
      #expect(Set(ids).count == 2000)
      #expect(try await test.outbox.counts().waiting == 0)
    }
  }
}

extension OutboxFixture {
  /// PostgreSQL's schema of this database.
  fileprivate func schema() async throws -> String {
    guard database.dialect == .postgresql else { return "" }
    return try await database.read { db in try db.value("SELECT current_schema()::text", as: String.self) ?? "" }
  }
}
