import Contracts
import Foundation
import Logging
import Persistence
import TestKit
import Testing

/// PgBouncer in transaction mode, with one session that all connections share.
@Suite(.serialized)
struct PoolerTests {
  @Test func nothingIsKeptInASession() async throws {
    try await withPooler { url async throws in
      let databases = try ["one", "two"].enumerated().map { number, schema in
        var limits = DatabaseLimits()
        limits.backgroundSeconds = 400 + 100 * Double(number)
        return try PostgresDatabase(url: url, schema: schema, isPooled: true, limits: limits)
      }
      try await attempt {
        let logger = Logger(label: "t") { _ in SwiftLogNoOpLogHandler() }
        for (number, database) in databases.enumerated() {
          try await database.migrate(PlatformMigrations.all, logger: logger)
          try await database.write { tx in
            try tx.execute("CREATE TABLE places (number BIGINT NOT NULL, value BIGINT NOT NULL)")
            try tx.execute("INSERT INTO places VALUES (\(number), 0)")
          }
        }
        // Statements of both, with the same texts, follow each other in the session.
        _ = try await concurrently(0..<100) { round in
          for (number, database) in databases.enumerated() {
            _ = try await retryingConflicts {
              try await database.write(round % 2 == 0 ? .serializable : .readCommitted) { tx in
                try tx.execute("UPDATE places SET value = value + 1 WHERE number = \(number)")
              }
            }
            let found = try await database.read { db in try db.values("SELECT number FROM places", as: Int.self) }
            #expect(found == [number])
          }
        }
        for (database, limit) in zip(databases, ["400s", "500s"]) {
          let (value, found) = try await database.read { db in
            (
              try db.count("SELECT value FROM places"),
              try db.value("SELECT current_setting('statement_timeout')", as: String.self)
            )
          }
          #expect(value == 100)
          #expect(found == limit)
        }
      } finally: {
        for database in databases { await database.close() }
      }
    }
  }

  /// Runs a body with the URL of an empty database behind a pooler of one session.
  private func withPooler(_ body: (String) async throws -> Void) async throws {
    try await TestDatabase.postgresql.withSettings { settings async throws in
      let server = try #require(settings["database.url"].flatMap { URLComponents(string: $0) })
      try await TemporaryFolder.run { folder async throws in
        let port = try reservedPort()
        let file = "\(folder)/pgbouncer.ini"
        let text = """
          [databases]
          * = host=127.0.0.1 port=\(server.port ?? 5432) user=\(server.user ?? "quintet")
          [pgbouncer]
          listen_addr = 127.0.0.1
          listen_port = \(port)
          unix_socket_dir = \(folder)
          auth_type = any
          pool_mode = transaction
          default_pool_size = 1
          query_wait_timeout = 600
          logfile = \(folder)/log
          pidfile = \(folder)/pid
          """
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        // PgBouncer refuses to run as root.
        let start = """
          PATH=$PATH:/usr/sbin
          if [ "$(id -u)" -eq 0 ]; then
            chown -R postgres "$1"
            exec runuser -u postgres -- env PATH="$PATH" pgbouncer -q -d "$1/pgbouncer.ini"
          fi
          exec pgbouncer -q -d "$1/pgbouncer.ini"
          """
        try await Command.run(["bash", "-c", "exec </dev/null >/dev/null 2>&1\n\(start)", "pooler", folder])
        let url = "postgres://quintet@127.0.0.1:\(port)\(server.path)?connect_timeout=300"
        try await attempt {
          try await eventually("the pooler listens") {
            (try? await Command.run(["psql", "-q", url, "-c", "SELECT 1"])) != nil
          }
          try await body(url)
        } finally: {
          _ = try? await Command.run(["bash", "-c", #"kill "$(cat "$1/pid")""#, "pooler", folder])
        }
      }
    }
  }
}
