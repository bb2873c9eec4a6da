import TestKit
import Testing

@testable import Persistence

/// How often a transaction waits for the server, whose answers are held back beyond those that it needs.
@Suite(.serialized)
struct RoundTripTests {
  private func withProxy(_ body: (any Database, PostgresProxy) async throws -> Void) async throws {
    try await TestDatabase.postgresql.withSettings { settings async throws in
      let proxy = try PostgresProxy(to: try #require(settings["database.url"]))
      // One connection for background work, so that all transactions use the same.
      let database = try PostgresDatabase(url: proxy.url, schema: "trips", connections: 3)
      try await attempt {
        try await database.write { tx in
          try tx.execute("CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL)")
          try tx.execute("INSERT INTO counters VALUES ('a', 1)")
        }
        try await body(database, proxy)
      } finally: {
        proxy.allow()
        await database.close()
      }
    }
  }

  private static let read: SQL = "SELECT value FROM counters WHERE name = \("a")"

  @Test func aKeyedReadIsOne() async throws {
    try await withProxy { database, proxy async throws in
      proxy.allow(1)
      #expect(try await database.read { db in try db.count(Self.read) } == 1)
      #expect(proxy.passed == 1)
      // Its end is read before the next answer.
      proxy.allow()
      #expect(try await database.read { db in try db.count(Self.read) } == 1)
    }
  }

  @Test func aWriteHasOneForEachStatementAndOneForTheCommit() async throws {
    try await withProxy { database, proxy async throws in
      proxy.allow(2)
      try await database.write { tx in
        try tx.execute("UPDATE counters SET value = value + 1 WHERE name = 'a'")
        // These go with the commit.
        for name in ["b", "c", "d"] { try tx.executeLater("INSERT INTO counters VALUES (\(name), 1)") }
      }
      #expect(proxy.passed == 2)
      proxy.allow(2)
      let rows = (0..<100).map { ["n\($0)".sqlValue, 1.sqlValue] }
      try await database.write { tx in try tx.execute("INSERT INTO counters VALUES", rows: rows, "") }
      #expect(proxy.passed == 2)
      proxy.allow()
      #expect(try await database.read { db in try db.count("SELECT SUM(value)::bigint FROM counters") } == 105)
    }
  }

  /// A statement that fails, a transaction that is rolled back and one without statements leave the connection usable.
  @Test func failuresDoNotConfuseTheConnection() async throws {
    struct Stop: Error {}
    try await withProxy { database, _ async throws in
      for _ in 0..<3 {
        await #expect(throws: DatabaseError.self) {
          try await database.write { tx in try tx.execute("SELECT nothing") }
        }
        await #expect(throws: DatabaseError.self) {
          try await database.write { tx in _ = try? tx.execute("SELECT nothing") }
        }
        await #expect(throws: Stop.self) {
          try await database.write { tx in
            try tx.execute("UPDATE counters SET value = 0")
            throw Stop()
          }
        }
        await #expect(throws: DatabaseError.self) {
          try await database.write { tx in
            try tx.executeLater("INSERT INTO counters VALUES ('z', 1)")
            try tx.execute("INSERT INTO counters VALUES (\("NUL \0"), 1)")
          }
        }
        try await database.write { _ in }
        #expect(try await database.read { db in try db.count("SELECT SUM(value)::bigint FROM counters") } == 1)
      }
    }
  }

  /// A warning about the end of a transaction is not attributed to the next one.
  @Test func aFailedCommitIsNoWarningOfTheNextOne() async throws {
    try await withProxy { database, _ async throws in
      try await database.write { tx in
        try tx.execute(
          "CREATE TABLE parts (name TEXT NOT NULL REFERENCES counters (name) DEFERRABLE INITIALLY DEFERRED)")
      }
      for _ in 0..<3 {
        let error = await #expect(throws: DatabaseError.self) {
          try await database.write { tx in try tx.execute("INSERT INTO parts VALUES ('missing')") }
        }
        #expect(error?.kind == .foreignKeyViolation)
        try await database.write { tx in try tx.executeLater("UPDATE counters SET value = value + 1") }
      }
      #expect(try await database.read { db in try db.count(Self.read) } == 4)
    }
  }

  /// The server, or what is between, closes connections that are idle; one that is lost before the commit changed nothing.
  @Test func aLostConnectionIsReplacedBeforeTheCommit() async throws {
    try await withProxy { database, _ async throws in
      for _ in 0..<3 {
        let pid = try await database.read { db in try db.count("SELECT pg_backend_pid()") }
        try await TestDatabase.postgresql.run { other async throws in
          _ = try await other.read { db in try db.exists("SELECT pg_terminate_backend(\(pid))") }
          try await eventually("the connection is closed") {
            try await other.read { db in try !db.exists("SELECT 1 FROM pg_stat_activity WHERE pid = \(pid)") }
          }
        }
        try await database.write { tx in try tx.execute("UPDATE counters SET value = value + 1") }
      }
      #expect(try await database.read { db in try db.count(Self.read) } == 4)
    }
  }
}
