import Foundation
import TestKit

/// A PostgreSQL that a test kills, pauses and starts again.
struct ChaosPostgres: ChaosVictim {
  let folder: String
  let port: Int

  var url: String { url(at: port) }

  func url(at port: Int) -> String { "postgres://quintet@127.0.0.1:\(port)/postgres" }

  func make() async throws { try await script("make") }
  func start() async throws { try await script("start") }
  func stop() async throws { try await script("stop") }
  /// Kills all processes at once, as a loss of power does.
  func kill() async throws { try await script("kill") }
  func pause() async throws { try await script("pause") }
  func resume() async throws { try await script("resume") }

  private func script(_ step: String) async throws {
    try await Command.run(["bash", "-c", Self.text, "postgres", step, folder, "\(port)"])
  }

  /// PostgreSQL refuses to run as root. The server outlives the script, so it must not hold its output. What was killed
  /// leaves its lock files behind; with them it would not start until its end was noticed.
  private static let text = #"""
    set -e
    exec </dev/null >>"$2/script.log" 2>&1
    bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
    as_postgres() { if [ "$(id -u)" -eq 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
    step=$1 folder=$(realpath "$2") port=$3
    # Also those whose parent is dead.
    processes() { find /proc/[0-9]*/cwd -maxdepth 0 -lname "$folder/data" 2>/dev/null | cut -d/ -f3; }
    case $step in
    make)
      if [ "$(id -u)" -eq 0 ]; then chown postgres "$folder"; fi
      as_postgres "$bin/initdb" -D "$folder/data" -U quintet --auth=trust -E UTF8 --locale=C.UTF-8
      ;;
    start)
      as_postgres "$bin/pg_ctl" -w -t 600 -s -D "$folder/data" -l "$folder/log" -o "-p $port -c listen_addresses=127.0.0.1 \
      -c unix_socket_directories=$folder -c fsync=off -c max_connections=300" start
      ;;
    stop) as_postgres "$bin/pg_ctl" -w -t 600 -s -m fast -D "$folder/data" stop ;;
    kill)
      while [ -n "$(processes)" ]; do kill -9 $(processes) || true; done
      rm -f "$folder/data/postmaster.pid" "$folder"/.s.PGSQL.*
      ;;
    pause) kill -STOP $(processes) || true ;;
    resume) kill -CONT $(processes) || true ;;
    esac
    """#
}
