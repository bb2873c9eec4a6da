import Contracts
import Foundation
import Logging
import TestKit
import Testing

@testable import Persistence

/// Migrations of a platform in use, by several processes at once.
@Suite(.serialized)
struct MigrationTests {
  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private static let things = Migration(
    "001", why: "things", ["CREATE TABLE things (id TEXT PRIMARY KEY, size BIGINT NOT NULL, text TEXT)"])

  private func migrate(_ database: any Database, _ more: Migration...) async throws -> [String] {
    try await database.migrate([Self.things] + more, logger: Self.logger)
  }

  private func addThings(_ sizes: Range<Int>, to database: any Database) async throws {
    try await database.write { tx in
      let rows = sizes.map { [String(format: "t%04d", $0).sqlValue, $0.sqlValue, SQLValue.null] }
      try tx.execute("INSERT INTO things (id, size, text) VALUES", rows: rows, "")
    }
  }

  /// Holds a transaction on PostgreSQL until the body ends.
  private func holding(
    _ statement: String, at url: String, in database: any Database, _ body: () async throws -> Void
  ) async throws {
    let session = try Command(["psql", "-q", url, "-c", "BEGIN; \(statement); SELECT pg_sleep(3600) AS held"])
    try await attempt {
      try await eventually("the transaction holds its lock") {
        try await database.read { db in
          try db.exists("SELECT 1 FROM pg_stat_activity WHERE query LIKE '%AS held' AND wait_event = 'PgSleep'")
        }
      }
      try await body()
    } finally: {
      _ = try? await database.read { db in
        try db.all("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(3600) AS held'")
        {
          _ in
        }
      }
      await session.end()
    }
  }

  private func withPostgres(_ body: (PostgresDatabase, String) async throws -> Void) async throws {
    try await TestDatabase.postgresql.withSettings { settings async throws in
      let url = try #require(settings["database.url"])
      let database = try PostgresDatabase(url: url, schema: "things", connections: 4)
      try await attempt {
        try await body(database, url)
      } finally: {
        await database.close()
      }
    }
  }

  // MARK: several processes

  /// As ten processes do that are started at once on an empty database; none fails, whatever schemas they have.
  @Test(arguments: [1, 5]) func allStartOnAnEmptyDatabase(schemas: Int) async throws {
    try await TestDatabase.postgresql.withSettings { settings async throws in
      let url = try #require(settings["database.url"])
      let migrations =
        PlatformMigrations.all + [
          Self.things, Migration("002", why: "more", ["ALTER TABLE things ADD COLUMN colour TEXT"]),
          .index("003", why: "things are listed by size", "things_by_size", on: "things", "(size)"),
        ]
      let applied = try await concurrently(0..<10) { number in
        let database = try PostgresDatabase(url: url, schema: "s\(number % schemas)", connections: 2)
        return try await attempt {
          try await database.migrate(migrations, logger: Self.logger)
        } finally: {
          await database.close()
        }
      }
      #expect(applied.filter { !$0.isEmpty }.count == schemas)
      #expect(applied.flatMap { $0 }.count == schemas * migrations.count)
    }
  }

  /// While a newer version runs beside this one.
  @Test(arguments: TestDatabase.allCases)
  func migrationsOfANewerVersionDoNotStopAnOlderOne(on kind: TestDatabase) async throws {
    try await kind.run { database async throws in
      let newer = Migration("002", why: "more", ["ALTER TABLE things ADD COLUMN colour TEXT"])
      #expect(try await migrate(database, newer) == ["001", "002"])
      #expect(try await migrate(database) == [])
      try await addThings(0..<3, to: database)
      #expect(try await database.read { db in try db.count("SELECT COUNT(*) FROM things") } == 3)
    }
  }

  /// Two releases change a column: the first one adds its successor and writes both, the second one fills what the version
  /// before has written meanwhile and reads the successor only (docs/upgrades.md).
  @Test(arguments: TestDatabase.allCases)
  func aColumnIsReplacedWhileTheVersionBeforeWrites(on kind: TestDatabase) async throws {
    try await kind.run { database async throws in
      let expand = Migration("002", why: "a body", ["ALTER TABLE things ADD COLUMN body TEXT"])
      let fill = Migration.fill("003", why: "the body of all", "things") { after, last in
        "UPDATE things SET body = text WHERE body IS NULL AND id > \(after) AND id <= \(last)"
      }
      let contract = Migration("004", why: "no text", ["ALTER TABLE things DROP COLUMN text"])
      func write(_ id: String, _ columns: SQL, _ values: SQL) async throws {
        try await database.write { tx in
          try tx.execute("INSERT INTO things (id, size, \(columns)) VALUES (\(id), 1, \(values))")
        }
      }
      _ = try await migrate(database)
      try await write("a", "text", "'first'")
      #expect(try await migrate(database, expand) == ["002"])
      // The version before and this one side by side.
      try await write("b", "text", "'before'")
      try await write("c", "text, body", "'beside', 'beside'")
      #expect(try await migrate(database) == [])
      // The version before has ended.
      #expect(try await migrate(database, expand, fill) == ["003"])
      try await write("d", "text, body", "'after', 'after'")
      #expect(try await migrate(database, expand, fill, contract) == ["004"])
      let bodies = try await database.read { db in
        try db.values("SELECT body FROM things ORDER BY id", as: String.self)
      }
      #expect(bodies == ["first", "before", "beside", "after"])
    }
  }

  // MARK: tables in use

  /// A reader of the table does not wait behind a migration that waits for a long transaction.
  @Test func aMigrationThatWaitsForALockDoesNotHoldUpOthers() async throws {
    try await withPostgres { database, url in
      _ = try await migrate(database)
      let added = Migration("002", why: "more", ["ALTER TABLE things ADD COLUMN colour TEXT"])
      var applied: Task<[String], any Error>?
      try await holding("LOCK TABLE things.things IN ROW SHARE MODE", at: url, in: database) {
        applied = Task { try await migrate(database, added) }
        for _ in 0..<3 {
          try await eventually("the migration waits") {
            try await database.read { db in
              try db.exists(
                """
                SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                WHERE d.datname = current_database() AND NOT l.granted
                """)
            }
          }
          #expect(try await database.read { db in try db.count("SELECT COUNT(*) FROM things") } == 0)
        }
      }
      #expect(try await applied?.value == ["002"])
    }
  }

  private static let bySize = Migration.index("003", why: "by size", "things_by_size", on: "things", "(size)")

  private func isValid(_ index: String, in database: any Database) async throws -> Bool? {
    try await database.read { db in
      try db.value(
        """
        SELECT CAST(i.indisvalid AS INT) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE c.relname = \(index)
        """)
    }
  }

  /// Transactions write the table before, while and after the index is built.
  @Test func anIndexIsBuiltBesideWriters() async throws {
    try await withPostgres { database, url in
      _ = try await migrate(database)
      try await addThings(0..<3, to: database)
      var applied: Task<[String], any Error>?
      try await holding("SELECT * FROM things.things FOR UPDATE", at: url, in: database) {
        applied = Task { try await migrate(database, Self.bySize) }
        try await eventually("the build waits for the transaction") {
          try await database.read { db in
            try db.exists(
              "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event_type = 'Lock'"
            )
          }
        }
        try await addThings(3..<6, to: database)
      }
      #expect(try await applied?.value == ["003"])
      #expect(try await isValid("things_by_size", in: database) == true)
      #expect(try await migrate(database, Self.bySize) == [])
    }
  }

  /// A build that fails leaves an index behind that is not used.
  @Test func anInterruptedBuildIsRepeated() async throws {
    try await withPostgres { database, _ in
      let unique = Migration.index(
        "003", why: "one of each size", "things_of_size", on: "things", "(size)", isUnique: true)
      _ = try await migrate(database)
      try await addThings(0..<3, to: database)
      try await database.write { tx in try tx.execute("UPDATE things SET size = 1") }
      let error = await #expect(throws: DatabaseError.self) { _ = try await migrate(database, unique) }
      #expect(error?.isUniqueViolation(of: "things.size") == true)
      #expect(try await isValid("things_of_size", in: database) == false)
      try await database.write { tx in try tx.execute("DELETE FROM things WHERE id <> 't0000'") }
      #expect(try await migrate(database, unique) == ["003"])
      #expect(try await isValid("things_of_size", in: database) == true)
    }
  }

  @Test func anIndexIsBuiltOnSQLite() async throws {
    try await TestDatabase.sqlite.run { database async throws in
      #expect(try await migrate(database, Self.bySize) == ["001", "003"])
      let indices = try await database.read { db in
        try db.values("SELECT name FROM sqlite_master WHERE name = 'things_by_size'", as: String.self)
      }
      #expect(indices == ["things_by_size"])
    }
  }

  // MARK: back-fills

  /// Rows that were filled before an interruption are not filled again.
  @Test(arguments: TestDatabase.allCases)
  func aFillContinuesWhereItWasInterrupted(on kind: TestDatabase) async throws {
    try await kind.run { database async throws in
      // Text 't0013' is refused: the third part fails.
      let table = Migration(
        "001", why: "things",
        ["CREATE TABLE things (id TEXT PRIMARY KEY, size BIGINT NOT NULL, text TEXT CHECK (text <> 't0013'))"])
      let fill = Migration.fill("002", why: "texts", "things", rows: 5) { after, last in
        "UPDATE things SET text = id WHERE id > \(after) AND id <= \(last) AND size <> 13"
      }
      let failing = Migration.fill("002", why: "texts", "things", rows: 5) { after, last in
        "UPDATE things SET text = id WHERE id > \(after) AND id <= \(last)"
      }
      func texts() async throws -> [String] {
        try await database.read { db in
          try db.values("SELECT text FROM things WHERE text IS NOT NULL ORDER BY id", as: String.self)
        }
      }
      _ = try await database.migrate([table], logger: Self.logger)
      try await addThings(0..<23, to: database)
      await #expect(throws: DatabaseError.self) {
        _ = try await database.migrate([table, failing], logger: Self.logger)
      }
      #expect(try await texts() == (0..<10).map { String(format: "t%04d", $0) })
      try await database.write { tx in try tx.execute("UPDATE things SET text = NULL WHERE id = 't0000'") }
      #expect(try await database.migrate([table, fill], logger: Self.logger) == ["002"])
      #expect(try await texts() == (1..<23).filter { $0 != 13 }.map { String(format: "t%04d", $0) })
      #expect(try await database.migrate([table, fill], logger: Self.logger) == [])
    }
  }
}
