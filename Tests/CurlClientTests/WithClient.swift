import CurlClient
import Synchronization
import TestKit

/// Runs a body with a client and a server that follows a script.
func withClient(
  _ configure: (inout CurlClient.Configuration) -> Void = { _ in },
  server script: @escaping @Sendable (ScriptedServer.Connection) -> Void,
  _ body: (CurlClient, ScriptedServer) async throws -> Void
) async throws {
  var configuration = CurlClient.Configuration()
  configure(&configuration)
  let client = CurlClient(configuration: configuration)
  let server = try ScriptedServer(script)
  defer { server.stop() }
  do { try await body(client, server) } catch {
    await client.shutdown()
    throw error
  }
  await client.shutdown()
}

/// A thread-safe counter.
final class Counter: Sendable {
  private let state = Mutex(0)
  var value: Int { state.withLock { $0 } }
  func add(_ amount: Int) { state.withLock { $0 += amount } }
}
