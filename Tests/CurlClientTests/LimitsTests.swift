import CurlClient
import Foundation
import TestKit
import Testing

/// Full queues and the shutdown of a client.
struct LimitsTests {
  @Test func fullQueueRefuses() async throws {
    try await withClient(
      {
        $0.concurrentRequests = 2
        $0.queuedRequests = 1
        $0.queueSeconds = Waiting.limit
      },
      server: { connection in
        _ = connection.readHead()
        connection.waitForClose()
      }
    ) { client, server in
      let running = (0..<2).map { _ in Task { try await client.send(ClientRequest(origin: server.origin)) } }
      try await eventually("two requests run") { client.statistics.inFlight == 2 }
      let waiting = Task { try await client.send(ClientRequest(origin: server.origin)) }
      try await eventually("three requests arrived") { client.statistics.requests == 3 }
      let refused = await #expect(throws: ClientError.self) {
        try await client.send(ClientRequest(origin: server.origin))
      }
      #expect(refused?.reason == .queueFull)
      for task in running + [waiting] { task.cancel() }
    }
  }

  @Test func waitingInTheQueueEnds() async throws {
    try await withClient(
      {
        $0.concurrentRequests = 1
        $0.queueSeconds = 0.1
      },
      server: { connection in
        _ = connection.readHead()
        connection.waitForClose()
      }
    ) { client, server in
      let running = Task { try await client.send(ClientRequest(origin: server.origin)) }
      try await eventually("one request runs") { client.statistics.inFlight == 1 }
      let late = await #expect(throws: ClientError.self) {
        try await client.send(ClientRequest(origin: server.origin))
      }
      #expect(late?.reason == .queueTimeout)
      running.cancel()
    }
  }

  @Test func shutdownLeavesNothing() async throws {
    /// The number of this process's sockets that are connected to the server.
    func sockets(to origin: String) -> Int {
      let port = UInt16(origin.split(separator: ":")[2])
      return (0..<4096).count { descriptor in
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(Int32(descriptor), $0, &length) }
        }
        return result == 0 && UInt16(bigEndian: address.sin_port) == port
      }
    }
    let server = try ScriptedServer { connection in
      while true {
        let head = connection.readHead()
        if head.isEmpty { return }
        if head.contains("/hang") { connection.waitForClose() } else { connection.answer("x") }
      }
    }
    defer { server.stop() }
    let client = CurlClient()
    for _ in 0..<20 { _ = try await client.send(ClientRequest(origin: server.origin)) }
    let hanging = Task { try await client.send(ClientRequest(origin: server.origin, target: "/hang")) }
    try await eventually("one request hangs") { client.statistics.inFlight == 1 }
    #expect(sockets(to: server.origin) > 0)
    await client.shutdown()
    #expect(sockets(to: server.origin) == 0)
    let error = await #expect(throws: ClientError.self) { try await hanging.value }
    #expect(error?.reason == .shutDown)
    let after = await #expect(throws: ClientError.self) {
      try await client.send(ClientRequest(origin: server.origin))
    }
    #expect(after?.reason == .shutDown)
    await client.shutdown()
  }
}
