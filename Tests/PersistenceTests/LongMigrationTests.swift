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
