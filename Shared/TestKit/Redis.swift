/// Runs a body with a dedicated Redis server without persistence.
public func withRedis<Value>(_ body: (_ url: String) async throws -> Value) async throws -> Value {
  let port = try reservedPort()
  let server = try Command([
    "redis-server", "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
  ])
  return try await attempt {
    try await eventually("Redis answers") {
      (try? await Command.run(["redis-cli", "-p", "\(port)", "ping"])) == "PONG\n"
    }
    return try await body("redis://127.0.0.1:\(port)")
  } finally: {
    server.signal(9)
    await server.end()
  }
}

/// Runs a body with a Redis server that speaks only TLS, with a certificate for 127.0.0.1.
public func withSecureRedis<Value>(
  in folder: String, _ body: (_ url: String, _ authority: Certificates.Pair) async throws -> Value
) async throws -> Value {
  let authority = try await Certificates.make(in: folder, name: "redis-authority")
  let own = try await Certificates.issue(in: folder, name: "redis", by: authority)
  let port = try reservedPort()
  let server = try Command([
    "redis-server", "--port", "0", "--tls-port", "\(port)", "--bind", "127.0.0.1", "127.0.0.2", "--save", "",
    "--appendonly", "no", "--tls-cert-file", own.certificate, "--tls-key-file", own.key, "--tls-ca-cert-file",
    authority.certificate, "--tls-auth-clients", "no",
  ])
  return try await attempt {
    try await eventually("Redis answers") {
      (try? await Command.run(["redis-cli", "--tls", "--cacert", authority.certificate, "-p", "\(port)", "ping"]))
        == "PONG\n"
    }
    return try await body("rediss://127.0.0.1:\(port)", authority)
  } finally: {
    server.signal(9)
    await server.end()
  }
}
