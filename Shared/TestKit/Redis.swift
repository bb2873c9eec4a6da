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
