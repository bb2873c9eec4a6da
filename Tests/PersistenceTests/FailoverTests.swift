import Contracts
import Foundation
import Logging
import Synchronization
import TestKit
import Testing

@testable import Persistence

/// A PostgreSQL that goes away: what its clients notice, and what they must not lose.
@Suite(.serialized, .long)
struct FailoverTests {
  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private func withDatabase<Value>(
    _ url: String, connections: Int = 8, _ body: (PostgresDatabase) async throws -> Value
  ) async throws -> Value {
    let database = try PostgresDatabase(
      url: "\(url)?connect_timeout=300&options=-c%20statement_timeout%3D300000", schema: "notes",
      connections: connections)
    return try await attempt {
      try await body(database)
    } finally: {
      await database.close()
    }
  }

  /// The only way to find a note twice is to write it twice.
  private func prepare(_ database: PostgresDatabase) async throws {
    try await database.migrate(
      PlatformMigrations.all + [Migration("notes-001", why: "notes", ["CREATE TABLE notes (id TEXT NOT NULL)"])],
      logger: logger)
  }

  private func insert(_ id: String, into database: PostgresDatabase) async throws -> String {
    try await database.write { tx in
      try tx.idempotent(IdempotentRequest(caller: "test", key: id, fingerprint: "f")) {
        try tx.execute("INSERT INTO notes (id) VALUES (\(id))")
        return id
      }
    }
  }

  private func notes(in database: PostgresDatabase) async throws -> [String] {
    try await database.read { db in try db.values("SELECT id FROM notes", as: String.self) }
  }

  @Test func nothingAcknowledgedIsLostWhenTheStandbyTakesOver() async throws {
    try await PostgresPair.run { pair in
      try await withDatabase(pair.url) { database in
        try await prepare(database)
        let acknowledged = Mutex<Set<String>>([])
        let (isPromoted, after) = (Counter(), Counter())
        @Sendable func work(as writer: Int) async throws {
          var number = 0
          while after.value < 100 {
            let (id, isAfter) = ("\(writer)-\(number)", isPromoted.value > 0)
            number += 1
            // As a caller repeats what was not answered.
            try await eventually("a note is written") {
              do { return try await insert(id, into: database) == id } catch let error as DatabaseError {
                guard [.unavailable, .outcomeUnknown, .conflict].contains(error.kind) else { throw error }
                return false
              }
            }
            _ = acknowledged.withLock { $0.insert(id) }
            if isAfter { after.add() }
          }
        }
        _ = try await concurrently(0...16) { writer in
          guard writer == 0 else { return try await work(as: writer) }
          try await eventually("the load has started") { acknowledged.withLock { $0.count } > 200 }
          try await pair.killPrimary()
          try await pair.promoteStandby()
          isPromoted.add()
        }
        let stored = try await notes(in: database)
        #expect(stored.count == Set(stored).count)
        #expect(acknowledged.withLock { $0.subtracting(stored) } == [])
        #expect(database.isReachable)
      }
    }
  }

  /// A pool that is connected to a standby uses the server again when it has become the primary.
  @Test func aStandbyThatBecomesThePrimaryIsWrittenWithoutARestart() async throws {
    try await PostgresPair.run { pair in
      try await withDatabase(pair.url) { try await prepare($0) }
      let url = pair.standbyURL + "?target_session_attrs=any"
      let database = try PostgresDatabase(url: url, schema: "notes", connections: 1)
      try await attempt {
        try await eventually("the standby has the table") { (try? await notes(in: database)) == [] }
        let error = await #expect(throws: DatabaseError.self) { _ = try await insert("early", into: database) }
        #expect(error?.kind == .unavailable)
        try await pair.killPrimary()
        try await pair.promoteStandby()
        #expect(try await insert("late", into: database) == "late")
        #expect(try await notes(in: database) == ["late"])
      } finally: {
        await database.close()
      }
    }
  }

  /// By default, a server that accepts no writes is not used at all, and its refusal names the reason.
  @Test func aStandbyAloneIsUnavailable() async throws {
    try await PostgresPair.run { pair in
      try await withDatabase(pair.standbyURL) { database in
        let error = await #expect(throws: DatabaseError.self) { try await database.read { _ in } }
        #expect(error?.kind == .unavailable)
        #expect(error?.detail.contains("read-only") == true)
        #expect(!database.isReachable)
      }
    }
  }

  /// The standby is away and the server ends the session while its commit waits for it: the commit took effect.
  @Test func aCommitWhoseAnswerIsLostTakesEffectOnce() async throws {
    try await PostgresPair.run { pair in
      try await withDatabase(pair.primaryURL) { database in
        try await prepare(database)
        try await pair.stopStandby()
        async let id = insert("one", into: database)
        try await Self.end(theCommitThatWaits: "pg_terminate_backend", on: pair)
        try await pair.releasePrimary()
        #expect(try await id == "one")
        #expect(try await notes(in: database) == ["one"])
      }
    }
  }

  /// PostgreSQL reports a commit whose wait for the standby was cancelled as successful, with a warning.
  @Test func aCommitThatIsNotOnTheStandbyIsNotAcknowledged() async throws {
    try await PostgresPair.run { pair in
      try await withDatabase(pair.primaryURL) { database in
        try await prepare(database)
        try await pair.stopStandby()
        let write = Task {
          try await database.write { tx in try tx.execute("INSERT INTO notes (id) VALUES ('unkeyed')") }
        }
        try await Self.end(theCommitThatWaits: "pg_cancel_backend", on: pair)
        let error = await #expect(throws: DatabaseError.self) { try await write.value }
        #expect(error?.kind == .outcomeUnknown)
        try await pair.releasePrimary()
      }
    }
  }

  private static func end(theCommitThatWaits function: String, on pair: PostgresPair) async throws {
    try await eventually("a commit waits for the standby") {
      let sessions = "pg_stat_activity WHERE wait_event = 'SyncRep' AND backend_type = 'client backend'"
      return try await pair.query("SELECT \(function)(pid) FROM \(sessions)") == "t"
    }
  }

  /// The session ends itself; what it had done was rolled back.
  @Test func aTransactionThatLosesItsConnectionRunsAgain() async throws {
    try await TestDatabase.postgresql.run { database async throws in
      try await database.write { tx in try tx.execute("CREATE TABLE notes (id TEXT NOT NULL)") }
      let attempts = Counter()
      try await database.write { tx in
        attempts.add()
        try tx.execute("INSERT INTO notes (id) VALUES ('x')")
        if attempts.value == 1 { _ = try tx.all("SELECT pg_terminate_backend(pg_backend_pid())") { _ in } }
      }
      #expect(attempts.value == 2)
      let reads = Counter()
      let ids = try await database.read { db in
        reads.add()
        if reads.value == 1 { _ = try db.all("SELECT pg_terminate_backend(pg_backend_pid())") { _ in } }
        return try db.values("SELECT id FROM notes", as: String.self)
      }
      #expect(ids == ["x"])
      // One that ends the session each time does not go on forever.
      let hopeless = Counter()
      let error = await #expect(throws: DatabaseError.self) {
        try await database.write { tx in
          hopeless.add()
          _ = try tx.all("SELECT pg_terminate_backend(pg_backend_pid())") { _ in }
        }
      }
      #expect(error?.kind == .unavailable)
      #expect(hopeless.value == 3)
    }
  }

  @Test func sessionsHaveLimitsOfTheirOwn() async throws {
    try await TestDatabase.postgresql.run { database async throws in
      let limit = try await database.read { db in
        try db.value("SELECT current_setting('idle_in_transaction_session_timeout')", as: String.self)
      }
      #expect(limit == "1min")
    }
  }

  /// The changes of a table by the service's newer version, while statements of this one are prepared.
  @Test func preparedStatementsSurviveAChangeOfTheirTable() async throws {
    try await TestDatabase.postgresql.run { database async throws in
      try await database.write { tx in
        try tx.execute("CREATE TABLE notes (id TEXT NOT NULL)")
        try tx.execute("INSERT INTO notes (id) VALUES ('1')")
      }
      func all() async throws -> [String] {
        try await database.write { tx in try tx.all("SELECT * FROM notes") { row in try row["id"] } }
      }
      for _ in 0..<20 { #expect(try await all() == ["1"]) }
      try await database.write { tx in try tx.execute("ALTER TABLE notes ADD COLUMN text TEXT") }
      for _ in 0..<20 { #expect(try await all() == ["1"]) }
    }
  }
}
