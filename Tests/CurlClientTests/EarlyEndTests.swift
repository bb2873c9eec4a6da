import CurlClient
import HTTPTypes
import NIOCore
import TestKit
import Testing

/// Servers that end an exchange while the sender of the request's body has nothing to send.
struct EarlyEndTests {
  /// Sends the beginning of a body that never continues.
  private func send(
    to server: ScriptedServer, by client: CurlClient, length: Int? = 1 << 20,
    _ delivery: ClientRequest.Delivery = .whole
  ) async throws -> ClientResponse {
    let (body, sender) = AsyncThrowingStream<ByteBuffer, any Error>.makeStream()
    sender.yield(ByteBuffer(string: "begin"))
    // Ends what would otherwise hang.
    let request = ClientRequest(
      .patch, origin: server.origin, body: .stream(length: length, body), delivery: delivery,
      timeouts: .init(firstByte: nil, total: Waiting.limit))
    defer { sender.finish() }
    return try await client.send(request)
  }

  private static func readBeginning(_ connection: ScriptedServer.Connection) {
    _ = connection.readHead()
    _ = connection.readBody(5)
  }

  @Test(arguments: ["200 OK", "409 Conflict", "502 Bad Gateway"], [ClientRequest.Delivery.whole, .streaming])
  func aCompleteAnswerEndsAPausedUpload(_ status: String, _ delivery: ClientRequest.Delivery) async throws {
    try await withClient(server: { connection in
      Self.readBeginning(connection)
      connection.answer("enough", status: status)
      connection.waitForClose()
    }) { client, server in
      let answer = try await send(to: server, by: client, delivery)
      #expect(String(answer.status) == status.prefix(3))
      #expect(try await answer.body.collect(upTo: 100) == Array("enough".utf8))
      try await eventually("the transfer ends") { client.statistics.inFlight == 0 }
    }
  }

  @Test func anAnswerWithoutContentEndsAPausedUpload() async throws {
    try await withClient(server: { connection in
      Self.readBeginning(connection)
      connection.write("HTTP/1.1 204 No Content\r\n\r\n")
      connection.waitForClose()
    }) { client, server in
      let answer = try await send(to: server, by: client)
      #expect(answer.status == 204)
      #expect(client.statistics.inFlight == 0)
    }
  }

  @Test func aChunkedErrorEndsAPausedUpload() async throws {
    try await withClient(server: { connection in
      Self.readBeginning(connection)
      connection.write("HTTP/1.1 409 Conflict\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n")
      connection.waitForClose()
    }) { client, server in
      let answer = try await send(to: server, by: client, length: nil)
      #expect(answer.status == 409)
      #expect(try await answer.body.collect(upTo: 100) == Array("no".utf8))
    }
  }

  @Test(arguments: [1, 2])
  func aPeerThatClosesEndsAPausedUpload(_ exchanges: Int) async throws {
    try await withClient(server: { connection in
      // The connection of the upload may be one that libcurl has kept.
      for _ in 1..<exchanges {
        _ = connection.readHead()
        connection.answer("first")
      }
      Self.readBeginning(connection)
    }) { client, server in
      for _ in 1..<exchanges { _ = try await client.send(ClientRequest(origin: server.origin)) }
      let error = await #expect(throws: ClientError.self) { try await send(to: server, by: client) }
      #expect(error?.reason == .connectionLost)
      #expect(error?.mayHaveRun == true)
      #expect(server.connections == 1)
      #expect(client.statistics.inFlight == 0)
    }
  }
}
