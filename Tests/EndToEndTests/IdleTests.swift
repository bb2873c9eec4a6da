import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

/// What a platform without users costs its database: nothing is polled several times a second.
@Suite(.serialized)
struct IdleTests {
  /// A second, of all seven services: leases, due jobs, reservations, ended sessions, subscriptions.
  private static let most = 20.0

  @Test func anIdlePlatformAsksItsDatabaseLittle() async throws {
    try await TemporaryFolder.run { folder in
      try await TestDatabase.postgresql.withSettings { settings in
        let url = try #require(settings["database.url"])
        let all = Dictionary(
          uniqueKeysWithValues: settings.map { (ServiceHost.environmentVariable(of: $0.key), $0.value) })
        try await ServiceProcess.running("quintet", settings: all.merging(["DATA": folder]) { $1 }) { _ async throws in
          let database = try PostgresDatabase(url: url, schema: "probe", connections: 1)
          try await attempt {
            // What is done at the start is over: every service has a leader that has sampled its database.
            for schema in ["auth", "catalog", "gateway", "matching", "media_index", "orders", "study_sync"] {
              try await eventually("\(schema) has a leader") { try await hasLeader(schema, in: database) }
            }
            let (before, start) = (try await transactions(in: database), ContinuousClock.now)
            // A measurement takes time, however fast the machine is.
            try await Task.sleep(for: .seconds(20))
            let (after, end) = (try await transactions(in: database), ContinuousClock.now)
            let seconds = (end - start) / .seconds(1)
            let rate = Double(after - before) / seconds
            print("an idle platform makes \(rate) transactions a second")
            #expect(rate < Self.most)
          } finally: {
            await database.close()
          }
        }
      }
    }
  }

  private func transactions(in database: any Database) async throws -> Int {
    try await database.read { db in
      try db.count(
        "SELECT CAST(xact_commit + xact_rollback AS BIGINT) FROM pg_stat_database WHERE datname = current_database()")
    }
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
