import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

/// The cost of a platform without users for its database: nothing is polled several times a second.
@Suite(.serialized)
struct IdleTests {
  /// A second, of all seven services: leases, due jobs, reservations, ended sessions, subscriptions. When every worker
  /// polled, there were 86.
  private static let maxMilliseconds = 20.0

  private static let keys = ["a", "lookup"]
    .map { "\($0):\(Data(repeating: 1, count: 32).base64EncodedString())" }.joined(separator: ",")

  @Test func anIdlePlatformAsksItsDatabaseLittle() async throws {
    try await TemporaryFolder.run { folder async throws in
      // A server of its own: one that listens counts a transaction for notifications in other databases, too.
      try await PostgresPair.run { pair in
        try await pair.releasePrimary()
        let url = pair.primaryURL
        let names = ["database.url": url, "data.keys": Self.keys]
        let settings = Dictionary(
          uniqueKeysWithValues: names.map { (ServiceHost.environmentVariable(of: $0.key), $0.value) }
        ).merging(["DATA": folder]) { $1 }
        try await ServiceProcess.running("quintet", settings: settings) { _ async throws in
          let database = try PostgresDatabase(url: url, schema: "probe", connections: 1)
          try await attempt {
            // The work of the start is over: every service has a leader that has sampled its database.
            for schema in ["auth", "catalog", "gateway", "matching", "media_index", "orders", "study_sync"] {
              try await eventually("\(schema) has a leader") { try await hasLeader(schema, in: database) }
            }
            // PostgreSQL counts what a connection did up to a minute later, so that the first measurements may have what
            // was done at the start. A platform that polls never gets there.
            try await eventually("the platform is idle") {
              let before = try await scans(in: database)
              let measured = try await rate(in: database)
              let asked = try await scans(in: database).merging(before) { $0 - $1 }.sorted { $0.value > $1.value }
              print("an idle platform makes \(measured) transactions a second, and most scans of", asked.prefix(5))
              return measured < Self.maxMilliseconds
            }
          } finally: {
            await database.close()
          }
        }
      }
    }
  }

  /// Transactions a second; a measurement takes time, however fast the machine is.
  private func rate(in database: any Database) async throws -> Double {
    let (before, start) = (try await transactions(in: database), ContinuousClock.now)
    try await Task.sleep(for: .seconds(20))
    let (after, end) = (try await transactions(in: database), ContinuousClock.now)
    return Double(after - before) / ((end - start) / .seconds(1))
  }

  private func transactions(in database: any Database) async throws -> Int {
    try await database.read { db in
      try db.count(
        "SELECT CAST(xact_commit + xact_rollback AS BIGINT) FROM pg_stat_database WHERE datname = current_database()")
    }
  }

  /// How often each table was searched, to see what a platform does that is not idle.
  private func scans(in database: any Database) async throws -> [String: Int] {
    let scans = try await database.read { db in
      try db.all(
        """
        SELECT schemaname || '.' || relname AS name, CAST(COALESCE(seq_scan, 0) + COALESCE(idx_scan, 0) AS BIGINT) AS scans
        FROM pg_stat_user_tables
        """
      ) { row -> (String, Int) in (try row["name"], try row["scans"]) }
    }
    return Dictionary(uniqueKeysWithValues: scans)
  }

  private func hasLeader(_ schema: String, in database: any Database) async throws -> Bool {
    let count = try await database.read { db in
      try db.count(
        """
        SELECT COUNT(*) FROM pg_stat_user_tables
        WHERE schemaname = \(schema) AND relname = 'leases' AND n_tup_ins > 0
        """)
    }
    return count == 1
  }
}
