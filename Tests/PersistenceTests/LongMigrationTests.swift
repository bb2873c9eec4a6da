import Contracts
import Logging
import Persistence
import TestKit
import Testing

/// Migrations of tables that have grown large.
@Suite(.serialized)
struct LongMigrationTests {
  private static let create = Migration(
    "001", why: "rows of a table that has grown",
    [
      "CREATE TABLE things (id BIGINT PRIMARY KEY, text TEXT NOT NULL, used_at BIGINT)",
      "INSERT INTO things (id, text) SELECT n, md5(n::text) FROM generate_series(1, 1000000) n",
    ])
  private static let rewrite = Migration(
    "002", why: "rewrites all rows",
    ["UPDATE things SET used_at = id, text = md5(text)", "CREATE INDEX things_by_use ON things (used_at, text)"])

  /// Statements of services are cancelled after some seconds; a migration that is cancelled would be so at every start.
  @Test func aMigrationMayTakeLongerThanOtherStatements() async throws {
    try await TestDatabase.postgresql.withSettings { settings async throws in
      let database = try PostgresDatabase(
        url: try #require(settings["database.url"]), schema: "things", connections: 1, statementSeconds: 1)
      try await attempt {
        let logger = Logger(label: "t") { _ in SwiftLogNoOpLogHandler() }
        #expect(try await database.migrate([Self.create, Self.rewrite], logger: logger) == ["001", "002"])
        let count = try await database.read { db in
          try db.count("SELECT COUNT(*) FROM things WHERE used_at = id")
        }
        #expect(count == 1_000_000)
        // The limit holds again for what follows on the same connection.
        let error = await #expect(throws: DatabaseError.self) {
          _ = try await database.read { db in try db.all("SELECT pg_sleep(60)") { _ in } }
        }
        #expect(error?.kind == .overloaded)
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
