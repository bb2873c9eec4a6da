import Contracts
import Logging
import Persistence
import TestKit
import Testing

/// Migrations of tables that have grown large.
@Suite(.serialized)
struct LongMigrationTests {
  private static let migration = Migration(
    "001", why: "notes how long its statements may take",
    [
      "CREATE TABLE things (text TEXT NOT NULL)",
      "INSERT INTO things (text) VALUES (current_setting('statement_timeout'))",
    ])

  /// Statements of services are cancelled after some seconds; a migration that is cancelled would be so at every start.
  @Test func aMigrationMayTakeLongerThanOtherStatements() async throws {
    try await TestDatabase.postgresql.withSettings { settings async throws in
      // Without the limit of the tests, which would replace that of the service.
      let url = try #require(settings["database.url"]).replacing("&options=-c%20statement_timeout%3D300000", with: "")
      var limits = DatabaseLimits()
      limits.backgroundSeconds = 600
      let database = try PostgresDatabase(url: url, schema: "things", connections: 3, limits: limits)
      try await attempt {
        let logger = Logger(label: "t") { _ in SwiftLogNoOpLogHandler() }
        #expect(try await database.migrate([Self.migration], logger: logger) == ["001"])
        let limits = try await database.read { db in
          try db.values(
            "SELECT text FROM things UNION ALL SELECT current_setting('statement_timeout')", as: String.self)
        }
        // It holds again for what follows on the same connection.
        #expect(limits == ["0", "10min"])
        let error = await #expect(throws: DatabaseError.self) {
          try await database.read { db in
            _ = try db.all("SELECT set_config('statement_timeout', '100', true)") { _ in }
            _ = try db.all("SELECT pg_sleep(600)") { _ in }
          }
        }
        #expect(error?.kind == .overloaded)
      } finally: {
        await database.close()
      }
    }
  }

  /// An earlier version goes on writing during an upgrade, and an `ALTER TABLE` waits for it. What it has written then must
  /// be rewritten too, and not by beginning again, which a table that is written to all the time would never end.
  @Test func aMigrationReachesTheRowsOfThoseWhomItWaitedFor() async throws {
    let create = Migration(
      "001", why: "a table that is written to",
      [
        "CREATE TABLE things (id BIGINT PRIMARY KEY, text TEXT NOT NULL)", "CREATE SEQUENCE rewritten",
        "INSERT INTO things SELECT n, 'old' FROM generate_series(1, 10) n",
      ])
    let rewrite = Migration(
      "002", why: "counts the rows that it writes, also those of attempts that are undone",
      [
        "ALTER TABLE things ADD COLUMN used_at BIGINT NOT NULL DEFAULT 0",
        "UPDATE things SET used_at = id + 0 * nextval('rewritten')",
      ])
    try await TestDatabase.postgresql.withSettings { settings async throws in
      let database = try PostgresDatabase(
        url: try #require(settings["database.url"]), schema: "things", connections: 9)
      try await attempt {
        let logger = Logger(label: "t") { _ in SwiftLogNoOpLogHandler() }
        try await database.migrate([create], logger: logger)
        async let written: Void = database.write { tx in
          try tx.execute("UPDATE things SET text = 'new' WHERE id = 1")
          try tx.execute("INSERT INTO things VALUES (11, 'new')")
          // Until the migration waits.
          for _ in 0..<15_000 {
            let waiting = try tx.count(
              "SELECT COUNT(*) FROM pg_locks WHERE relation = 'things'::regclass AND NOT granted")
            if waiting > 0 { break }
            _ = try tx.all("SELECT pg_sleep(0.02)") { _ in }
          }
        }
        try await eventually("somebody writes") {
          try await database.read { db in
            try db.count(
              "SELECT COUNT(*) FROM pg_locks WHERE relation = 'things'::regclass AND mode = 'RowExclusiveLock'")
          } > 0
        }
        #expect(try await database.migrate([create, rewrite], logger: logger) == ["002"])
        try await written
        let counts = try await database.read { db in
          [
            try db.count("SELECT COUNT(*) FROM things WHERE used_at = id"),
            try db.count("SELECT COUNT(*) FROM things WHERE text = 'new'"),
            try db.count("SELECT last_value FROM rewritten"),
          ]
        }
        #expect(counts == [11, 2, 11])
      } finally: {
        await database.close()
      }
    }
  }

  /// Instances start at the same time; those that waited see what another one has applied.
  @Test(arguments: TestDatabase.allCases)
  func instancesThatWaitForAMigrationDoNotRepeatIt(on kind: TestDatabase) async throws {
    let logger = Logger(label: "t") { _ in SwiftLogNoOpLogHandler() }
    let tables: [SQL] = [
      "CREATE TABLE t1 (id BIGINT)", "CREATE TABLE t2 (id BIGINT)", "CREATE TABLE t3 (id BIGINT)",
      "CREATE TABLE t4 (id BIGINT)",
    ]
    let migrations = tables.enumerated().map { number, table in
      Migration("00\(number)", why: "a table that is created once", [table])
    }
    try await kind.run { database async throws in
      try await database.migrate([], logger: logger)
      let applied = try await concurrently(0..<6) { _ in try await database.migrate(migrations, logger: logger) }
      #expect(applied.flatMap { $0 }.sorted() == migrations.map(\.name))
    }
  }
}
