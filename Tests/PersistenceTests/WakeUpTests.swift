import Contracts
import Logging
import TestKit
import Testing

@testable import Persistence

/// Work that waits for commits, in the same process and in others.
@Suite(.serialized)
struct WakeUpTests {
  private struct Refused: Error {}

  @Test(arguments: TestDatabase.allCases)
  func aCommitWakesWhoWaits(on kind: TestDatabase) async throws {
    try await kind.run { database async throws in
      let wakeUp = database.wakeUps.make(on: "things")
      let waiting = Task { await wakeUp.wait(atMost: .seconds(Waiting.limit)) }
      try await database.write { tx in tx.wake("things") }
      await waiting.value
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aSignalBeforeTheWaitIsKeptAndARollbackIsNone(on kind: TestDatabase) async throws {
    try await kind.run { database async throws in
      let (wakeUp, other) = (database.wakeUps.make(on: "things"), database.wakeUps.make(on: "others"))
      await #expect(throws: Refused.self) {
        try await database.write { tx in
          tx.wake("others")
          throw Refused()
        }
      }
      try await database.write { tx in
        tx.wake("things")
        tx.wake("things")
      }
      // Longer than the test may take: it returns because of the signal.
      await wakeUp.wait(atMost: .seconds(86_400))
      let start = ContinuousClock.now
      await other.wait(atMost: .milliseconds(50))
      await wakeUp.wait(atMost: .milliseconds(50))
      #expect(.now - start >= .milliseconds(100))
    }
  }

  /// Two processes with a connection for wake-ups each.
  private func two(_ body: (_ one: PostgresDatabase, _ other: PostgresDatabase, String) async throws -> Void)
    async throws
  {
    try await TestDatabase.postgresql.run { database async throws in
      let schema: String = try #require(
        try await database.read { db in try db.value("SELECT CAST(current_schema() AS TEXT)") })
      let url = try TestDatabase.postgresURL()
      let notifications = (0..<2).map { _ in PostgresNotifications(url: url, logger: Logger(label: "test")) }
      let databases = try notifications.map { try PostgresDatabase(url: url, schema: schema, notifications: $0) }
      try await attempt {
        try await body(databases[0], databases[1], schema)
      } finally: {
        for database in databases { await database.close() }
        for connection in notifications { await connection.close() }
      }
    }
  }

  /// Until both listen, a wake-up may be lost.
  private func waitUntilBothListen(_ schema: String, in database: any Database) async throws {
    try await eventually("both processes listen") { try await listeners(schema, in: database) == 2 }
  }

  private func listeners(_ schema: String, in database: any Database) async throws -> Int {
    let statement = "LISTEN quintet_\(schema)"
    return try await database.read { db in
      try db.count("SELECT COUNT(*) FROM pg_stat_activity WHERE state = 'idle' AND query = \(statement)")
    }
  }

  @Test func aCommitWakesAnotherProcess() async throws {
    try await two { one, other, schema async throws in
      try await waitUntilBothListen(schema, in: one)
      let wakeUp = other.wakeUps.make(on: "jobs mail")
      try await one.write { tx in tx.wake("jobs mail") }
      await wakeUp.wait(atMost: .seconds(86_400))
    }
  }

  /// Notifications that arrive while one process sends its own wake it too.
  @Test func twoProcessesWakeEachOther() async throws {
    try await two { one, other, schema async throws in
      try await waitUntilBothListen(schema, in: one)
      let (wakeUp, otherWakeUp) = (one.wakeUps.make(on: "b"), other.wakeUps.make(on: "a"))
      for _ in 0..<100 {
        async let sent: Void = one.write { tx in tx.wake("a") }
        try await other.write { tx in tx.wake("b") }
        try await sent
        await wakeUp.wait(atMost: .seconds(86_400))
        await otherWakeUp.wait(atMost: .seconds(86_400))
      }
    }
  }

  @Test func manyCommitsAreFewNotifications() async throws {
    try await two { one, other, schema async throws in
      try await waitUntilBothListen(schema, in: one)
      let (wakeUp, last) = (other.wakeUps.make(on: "things"), other.wakeUps.make(on: "last"))
      for _ in 0..<200 { try await one.write { tx in tx.wake("things") } }
      try await one.write { tx in tx.wake("last") }
      await last.wait(atMost: .seconds(86_400))
      await wakeUp.wait(atMost: .seconds(86_400))
    }
  }

  @Test func aLostConnectionIsReplacedAndWakesEveryone() async throws {
    try await two { one, other, schema async throws in
      try await waitUntilBothListen(schema, in: one)
      let wakeUp = other.wakeUps.make(on: "things")
      let statement = "LISTEN quintet_\(schema)"
      let ended = try await one.read { db in
        try db.values(
          "SELECT pg_terminate_backend(pid)::int FROM pg_stat_activity WHERE query = \(statement)", as: Int.self)
      }
      #expect(ended == [1, 1])
      // Commits in the meantime may have been missed.
      await wakeUp.wait(atMost: .seconds(86_400))
      try await waitUntilBothListen(schema, in: one)
      try await one.write { tx in tx.wake("things") }
      await wakeUp.wait(atMost: .seconds(86_400))
    }
  }
}
