import CurlClient
import TestKit

/// Runs a body with a client and a server that follows a script.
func withClient(
  _ configure: (inout CurlClient.Configuration) -> Void = { _ in },
  server script: @escaping @Sendable (ScriptedServer.Connection) -> Void,
  _ body: (CurlClient, ScriptedServer) async throws -> Void
) async throws {
  var configuration = CurlClient.Configuration()
  configure(&configuration)
  let server = try ScriptedServer(script)
  defer { server.stop() }
  try await CurlClient.running(configuration) { try await body($0, server) }
}
