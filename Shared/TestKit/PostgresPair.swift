import Foundation

/// A PostgreSQL and its synchronous standby on this machine, for tests of a failover.
public struct PostgresPair: Sendable {
  private let folder: String
  private let ports: (primary: Int, standby: Int)

  /// A URL with both servers.
  public var url: String { Self.url("127.0.0.1:\(ports.primary),127.0.0.1:\(ports.standby)") }
  public var primaryURL: String { Self.url("127.0.0.1:\(ports.primary)") }
  public var standbyURL: String { Self.url("127.0.0.1:\(ports.standby)") }

  /// Runs a body with a new pair, in which every commit on the primary waits for the standby.
  public static func run<Value>(_ body: (PostgresPair) async throws -> Value) async throws -> Value {
    try await TemporaryFolder.run { folder in
      let pair = PostgresPair(folder: folder, ports: (try reservedPort(), try reservedPort()))
      return try await attempt {
        try await pair.script("make")
        return try await body(pair)
      } finally: {
        _ = try? await pair.script("stop")
      }
    }
  }

  /// Kills all processes of the primary.
  public func killPrimary() async throws { try await script("kill") }

  /// Makes a primary of the standby; returns when it accepts writes.
  public func promoteStandby() async throws { try await script("promote") }

  public func stopStandby() async throws { try await script("stop-standby") }

  /// Lets the primary commit without the standby.
  public func releasePrimary() async throws {
    try await query("ALTER SYSTEM SET synchronous_standby_names = ''")
    try await query("SELECT pg_reload_conf()")
  }

  /// Runs a statement on the primary and returns its result as text.
  @discardableResult
  public func query(_ sql: String) async throws -> String {
    try await Command.run(["psql", "-X", "-q", "-A", "-t", primaryURL, "-c", sql])
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func url(_ hosts: String) -> String { "postgres://quintet@\(hosts)/postgres" }

  private func script(_ step: String) async throws {
    try await Command.run(
      ["bash", "-c", Self.text, "postgres", step, folder, "\(ports.primary)", "\(ports.standby)"])
  }

  /// PostgreSQL refuses to run as root. The servers outlive the script, so they must not hold its output.
  private static let text = #"""
    set -e
    exec </dev/null >>"$2/script.log" 2>&1
    bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
    as_postgres() { if [ "$(id -u)" -eq 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
    step=$1 folder=$2 first=$3 second=$4
    start() {
      as_postgres "$bin/pg_ctl" -w -t 600 -s -D "$folder/$1" -l "$folder/$1.log" -o "-p $2 -c listen_addresses=127.0.0.1 \
      -c unix_socket_directories=$folder -c fsync=off -c max_connections=200" start
    }
    query() { "$bin/psql" -X -q -A -t -h 127.0.0.1 -p "$first" -U quintet -d postgres -c "$1"; }
    stop() { as_postgres "$bin/pg_ctl" -s -m immediate -D "$folder/$1" stop; }
    case $step in
    make)
      if [ "$(id -u)" -eq 0 ]; then chown postgres "$folder"; fi
      as_postgres "$bin/initdb" -D "$folder/primary" -U quintet --auth=trust -E UTF8 --locale=C.UTF-8
      start primary "$first"
      as_postgres "$bin/pg_basebackup" -D "$folder/standby" -h 127.0.0.1 -p "$first" -U quintet -R -X stream -c fast
      start standby "$second"
      query "ALTER SYSTEM SET synchronous_standby_names = '*'"
      query "SELECT pg_reload_conf()"
      until [ "$(query "SELECT sync_state FROM pg_stat_replication")" = sync ]; do sleep 0.1; done
      ;;
    kill)
      main=$(head -1 "$folder/primary/postmaster.pid")
      kill -9 "$main" $(ps -o pid= --ppid "$main")
      ;;
    promote) as_postgres "$bin/pg_ctl" -w -t 600 -s -D "$folder/standby" promote ;;
    stop-standby) stop standby ;;
    stop) stop standby || true; stop primary || true ;;
    esac
    """#
}
