import Foundation

/// Runs a body with a PostgreSQL server that accepts only TLS, with a certificate for 127.0.0.1.
///
/// - Parameter body: Receives the URL of a database, without the parameters of TLS, and the server's own authority.
public func withSecurePostgres<Value>(
  _ body: (_ url: String, _ authority: Certificates.Pair) async throws -> Value
) async throws -> Value {
  try await TemporaryFolder.run { folder in
    let pair = try await Certificates.make(in: folder, name: "postgres")
    // PostgreSQL refuses to run as root.
    let common = """
      set -e
      bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
      as_postgres() { if [ "$(id -u)" -eq 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
      """
    let make = """
      if [ "$(id -u)" -eq 0 ]; then chown -R postgres "$1"; fi
      as_postgres "$bin/initdb" -D "$1/data" -U quintet --auth=trust -E UTF8 --locale=C.UTF-8
      echo 'hostssl all all 127.0.0.1/32 trust' >"$1/data/pg_hba.conf"
      """
    let start = """
      as_postgres "$bin/pg_ctl" -w -t 600 -s -D "$1/data" -l "$1/log" -o "-p $2 -c listen_addresses=127.0.0.1 \
      -c unix_socket_directories=$1 -c fsync=off -c ssl=on -c ssl_cert_file=$1/postgres.pem \
      -c ssl_key_file=$1/postgres.key" start
      """
    let stop = #"as_postgres "$bin/pg_ctl" -s -m immediate -D "$1/data" stop"#
    func bash(_ script: String, _ arguments: String...) async throws {
      try await Command.run(
        ["bash", "-c", "exec </dev/null >/dev/null 2>&1\n\(common)\n\(script)", "postgres", folder] + arguments)
    }
    try await bash(make)
    // Only now, because a port does not stay reserved for long.
    let port = try reservedPort()
    try await bash(start, "\(port)")
    return try await attempt {
      try await body("postgres://quintet@127.0.0.1:\(port)/postgres", pair)
    } finally: {
      _ = try? await bash(stop)
    }
  }
}
