import Foundation
import TestKit
import Testing
import Threads

@testable import Persistence

/// Lists from a streaming replica, and from the primary when that is not fit to answer.
@Suite(.serialized)
struct ReplicaTests {
  private static let isReplica: SQL = "SELECT pg_is_in_recovery()::int"

  /// Whether a list that a request reads comes from the replica.
  private func readsReplica(_ database: any Database, _ purpose: ReadPurpose = .snapshot) async throws -> Bool {
    let caller = WaitingCaller(until: .now + .seconds(86_400))
    return try await Workload.$current.withValue(.request(caller)) {
      try await database.read(purpose) { db in try db.count(Self.isReplica) == 1 }
    }
  }

  @Test func listsComeFromTheReplicaWhileItIsFit() async throws {
    try await withReplica { primary, replica, stop async throws in
      var limits = DatabaseLimits()
      (limits.requestSeconds, limits.waitSeconds) = (300, 300)
      let database = try PostgresDatabase(url: primary, replicaURL: replica, schema: "lists", limits: limits)
      try await attempt { () async throws in
        try await database.write { tx in try tx.execute("CREATE TABLE items (number BIGINT NOT NULL)") }
        // It looks old until something has been written.
        func add() async throws { try await database.write { tx in try tx.execute("INSERT INTO items VALUES (1)") } }
        func becomesReplica() async throws {
          try await eventually("the replica answers") {
            try await add()
            return try await readsReplica(database)
          }
        }
        try await becomesReplica()
        #expect(try await !readsReplica(database, .latest))
        // A request reads what it has written itself.
        try await Workload.$current.withValue(.request(WaitingCaller(until: .now + .seconds(86_400)))) {
          try await add()
          #expect(try await database.read(.snapshot) { db in try db.count(Self.isReplica) } == 0)
        }
        // It receives, but does not apply.
        try await Command.run(["psql", "-q", replica, "-c", "SELECT pg_wal_replay_pause()"])
        // For some seconds, the replica answers without what a migration has just added.
        try await database.write { tx in try tx.execute("CREATE TABLE news (number BIGINT NOT NULL)") }
        let news = try await Workload.shared {
          try await database.read(.snapshot) { db in try db.count("SELECT COUNT(*) FROM news") }
        }
        #expect(news == 0)
        try await eventually("the replica is too far behind") { try await !readsReplica(database) }
        let count = try await Workload.shared { try await database.read(.snapshot) { db in try db.count(Self.count) } }
        #expect(try await database.read { db in try db.count(Self.count) } == count)
        try await Command.run(["psql", "-q", replica, "-c", "SELECT pg_wal_replay_resume()"])
        try await becomesReplica()
        try await stop()
        #expect(try await !readsReplica(database))
      } finally: {
        await database.close()
      }
    }
  }

  private static let count: SQL = "SELECT COUNT(*) FROM items"

  /// Runs a body with the URLs of a primary and of its replica, and with what stops the replica.
  private func withReplica(
    _ body: (_ primary: String, _ replica: String, _ stop: () async throws -> Void) async throws -> Void
  ) async throws {
    try await TemporaryFolder.run { folder in
      // PostgreSQL refuses to run as root.
      let common = """
        set -e
        bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
        as_postgres() { if [ "$(id -u)" -eq 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
        start() {
          as_postgres "$bin/pg_ctl" -w -t 600 -s -D "$1" -l "$1.log" -o "-p $2 -c listen_addresses=127.0.0.1 \
            -c unix_socket_directories=$(dirname "$1") -c fsync=off" start
        }
        """
      let make = """
        if [ "$(id -u)" -eq 0 ]; then chown postgres "$1"; fi
        as_postgres "$bin/initdb" -D "$1/primary" -U quintet --auth=trust -E UTF8 --locale=C.UTF-8
        start "$1/primary" "$2"
        as_postgres "$bin/pg_basebackup" -h 127.0.0.1 -p "$2" -U quintet -D "$1/replica" -R -X stream -c fast
        start "$1/replica" "$3"
        """
      func bash(_ script: String, _ arguments: String...) async throws {
        try await Command.run(
          ["bash", "-c", "exec </dev/null >/dev/null 2>&1\n\(common)\n\(script)", "postgres", folder] + arguments)
      }
      func stop(_ server: String) async throws {
        try await bash(#"as_postgres "$bin/pg_ctl" -s -m immediate -D "$1/$2" stop"#, server)
      }
      let ports = [try reservedPort(), try reservedPort()]
      let urls = ports.map { "postgres://quintet@127.0.0.1:\($0)/postgres" }
      try await attempt {
        try await bash(make, "\(ports[0])", "\(ports[1])")
        try await body(urls[0], urls[1]) { try await stop("replica") }
      } finally: {
        for server in ["replica", "primary"] { try? await stop(server) }
      }
    }
  }
}
