import Foundation
import HTTPTypes
import NIOCore
import TestKit
import Testing

@testable import CurlClient

/// Against slow, failing and misbehaving servers.
struct CurlClientTests {
  private func text(_ response: ClientResponse) async throws -> String {
    String(decoding: try await response.body.collect(upTo: 1 << 24), as: UTF8.self)
  }

  private func text(of request: ClientRequest, by client: CurlClient) async throws -> String {
    try await text(client.send(request))
  }

  @Test func keepsConnections() async throws {
    try await withClient(server: { connection in
      while !connection.readHead().isEmpty { connection.answer("hello", headers: "X-Thing: a\r\nx-thing: b\r\n") }
    }) { client, server in
      for _ in 0..<50 {
        let response = try await client.send(ClientRequest(origin: server.origin, target: "/a?b=c"))
        #expect(response.status == 200)
        #expect(try await text(response) == "hello")
        #expect(response.headers[values: HTTPField.Name("X-Thing")!] == ["a", "b"])
      }
      #expect(server.connections == 1)
      #expect(client.statistics.newConnections == 1)
      #expect(client.statistics.inFlight == 0)
    }
  }

  @Test func sendsMethodHeadersAndBody() async throws {
    try await withClient(server: { connection in
      let head = connection.readHead()
      let length = head.firstMatch(of: /(?i)content-length: (\d+)/).flatMap { Int($0.1) } ?? 0
      let body = connection.readBody(length)
      connection.answer(head + String(decoding: body, as: UTF8.self), closes: true)
    }) { client, server in
      let request = ClientRequest(
        .patch,
        origin: server.origin,
        target: "/x/../y?q=%20",
        headers: [.contentType: "application/json", .accept: "*/*"],
        body: .bytes(Array("{\"a\":1}".utf8))
      )
      let echoed = try await text(client.send(request))
      #expect(echoed.hasPrefix("PATCH /x/../y?q=%20 HTTP/1.1\r\n"))
      #expect(echoed.contains("Content-Type: application/json\r\n"))
      #expect(!echoed.contains("Expect"))
      #expect(echoed.hasSuffix("{\"a\":1}"))
      let bare = try await text(client.send(ClientRequest(.delete, origin: server.origin)))
      #expect(bare.hasPrefix("DELETE / HTTP/1.1\r\n"))
      #expect(!bare.lowercased().contains("content-"))
      #expect(!bare.lowercased().contains("accept"))
      #expect(
        try await text(of: ClientRequest(.post, origin: server.origin), by: client).contains("Content-Length: 0\r\n")
      )
    }
  }

  @Test func headHasNoBody() async throws {
    try await withClient(server: { connection in
      while !connection.readHead().isEmpty { connection.write("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n") }
    }) { client, server in
      let response = try await client.send(ClientRequest(.head, origin: server.origin))
      #expect(response.headers[.contentLength] == "999")
      #expect(try await text(response) == "")
    }
  }

  @Test func readsChunkedBodies() async throws {
    let isBegun = Gate()
    try await withClient(server: { connection in
      while !connection.readHead().isEmpty {
        connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
        isBegun.wait()
        connection.write("6\r\n world\r\n0\r\nTrailer: x\r\n\r\n")
      }
    }) { client, server in
      for delivery in [ClientRequest.Delivery.streaming, .whole] {
        let response = try await client.send(ClientRequest(origin: server.origin, delivery: delivery))
        isBegun.open()
        #expect(try await text(response) == "hello world")
        #expect(response.headers[HTTPField.Name("Trailer")!] == nil)
      }
    }
  }

  @Test func streamsWhileTheBodyComesAndHoldsItBack() async throws {
    let written = Counter()
    try await withClient(server: { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
      let block = [UInt8](repeating: 7, count: 1 << 16)
      for _ in 0..<800 {
        guard connection.write(block) else { return }
        written.add(block.count)
      }
    }) { client, server in
      let response = try await client.send(
        ClientRequest(
          origin: server.origin, delivery: .streaming, timeouts: .init(total: nil), responseLimit: .max)
      )
      guard case .stream(let stream) = response.body else { throw TestKitError("the body is not streamed") }
      // Nothing is read: the server must block once buffers and sockets are full.
      #expect(try await standstill(of: "the server") { written.value } < 20 << 20)
      var total = 0
      for try await chunk in stream { total += chunk.readableBytes }
      #expect(total == 800 << 16)
    }
  }

  @Test func droppingAStreamEndsTheTransfer() async throws {
    try await withClient(server: { connection in
      _ = connection.readHead()
      connection.write("HTTP/1.1 200 OK\r\n\r\n")
      while connection.write([UInt8](repeating: 1, count: 4096)) {}
    }) { client, server in
      _ = try await client.send(ClientRequest(origin: server.origin, delivery: .streaming, responseLimit: .max))
      try await eventually("the transfer ends") { client.statistics.inFlight == 0 }
    }
  }

  @Test func uploadsStreamsWithBackPressure() async throws {
    let (size, chunk) = (64 << 20, 1 << 16)
    let isHeldBack = Gate()
    try await withClient(server: { connection in
      _ = connection.readHead()
      isHeldBack.wait()
      var total = 0
      while total < size {
        let count = connection.readBody(chunk).count
        if count == 0 { break }
        total += count
      }
      connection.answer("\(total)", closes: true)
    }) { client, server in
      let produced = Counter()
      let body = AsyncThrowingStream<ByteBuffer, any Error>(unfolding: {
        guard produced.value < size else { return nil }
        produced.add(chunk)
        return ByteBuffer(repeating: 1, count: chunk)
      })
      let request = ClientRequest(
        .put, origin: server.origin, body: .stream(length: size, body), timeouts: .init(firstByte: nil, total: nil))
      async let answer = text(of: request, by: client)
      // Nothing is read: the body's producer must wait once buffers and sockets are full.
      #expect(try await standstill(of: "the body's producer") { produced.value } < 20 << 20)
      isHeldBack.open()
      let received = try await answer
      #expect(received == "\(size)")
    }
  }

  @Test func failingUploadFailsTheRequest() async throws {
    struct Broken: Error {}
    try await withClient(server: { connection in
      _ = connection.readHead()
      connection.waitForClose()
    }) { client, server in
      let body = AsyncThrowingStream<ByteBuffer, any Error> { $0.finish(throwing: Broken()) }
      let error = await #expect(throws: ClientError.self) {
        try await client.send(ClientRequest(.put, origin: server.origin, body: .stream(length: nil, body)))
      }
      #expect(error?.reason == .uploadFailed)
    }
  }

  @Test func silenceTimesOut() async throws {
    try await withClient(server: { connection in
      _ = connection.readHead()
      connection.waitForClose()
    }) { client, server in
      let error = await #expect(throws: ClientError.self) {
        try await client.execute(
          ClientRequest(origin: server.origin, timeouts: .init(firstByte: 1, total: Waiting.limit)))
      }
      #expect(error?.reason == .timedOut)
      #expect(error?.mayHaveRun == true)
      let total = await #expect(throws: ClientError.self) {
        try await client.execute(ClientRequest(origin: server.origin, timeouts: .init(firstByte: nil, total: 1)))
      }
      #expect(total?.reason == .timedOut)
    }
  }

  @Test func cutBodiesAreErrors() async throws {
    try await withClient(
      { $0.breakerFailures = 0 },
      server: { connection in
        _ = connection.readHead()
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
      }
    ) { client, server in
      let error = await #expect(throws: ClientError.self) {
        try await client.send(ClientRequest(origin: server.origin))
      }
      #expect(error?.reason == .connectionLost)
      #expect(error?.mayHaveRun == true)
      // The connection may be cut with the head or after it.
      await #expect(throws: ClientError.self) {
        try await client.send(ClientRequest(origin: server.origin, delivery: .streaming)).body.collect(upTo: 1000)
      }
    }
  }

  @Test func nonsenseInPlaceOfAStatusIsAnError() async throws {
    try await withClient(
      { $0.breakerFailures = 0 },
      server: { connection in
        _ = connection.readHead()
        connection.write("HTTP/1.1 !!! No\r\nContent-Length: 0\r\n\r\n")
      }
    ) { client, server in
      let error = await #expect(throws: ClientError.self) {
        try await client.send(ClientRequest(origin: server.origin))
      }
      #expect(error?.mayHaveRun == true)
    }
  }

  @Test func refusedConnectionsWereNotSentAndAreTriedAgain() async throws {
    try await withClient(server: { _ in }) { client, server in
      server.stop()
      let error = await #expect(throws: ClientError.self) {
        try await client.send(ClientRequest(.post, origin: server.origin))
      }
      #expect(error?.reason == .couldNotConnect)
      #expect(error?.mayHaveRun == false)
      #expect(client.statistics.retries == 2)
    }
  }

  /// A server that closes without a response may have done the work: only repeatable requests are repeated.
  @Test func repeatsOnlyWhatMayBeRepeated() async throws {
    let requests = Counter()
    try await withClient(server: { connection in
      guard !connection.readHead().isEmpty else { return }
      requests.add(1)
      if requests.value.isMultiple(of: 2) { connection.answer("second time", closes: true) }
    }) { client, server in
      let once = await #expect(throws: ClientError.self) {
        try await client.send(ClientRequest(.post, origin: server.origin))
      }
      #expect(once?.mayHaveRun == true)
      #expect(requests.value == 1)
      requests.add(1)
      let answer = try await text(of: ClientRequest(origin: server.origin, isRepeatable: true), by: client)
      #expect(answer == "second time")
    }
  }

  /// On a reused connection, libcurl would send the request again by itself.
  @Test func repeatsNothingByItselfOnAWarmConnection() async throws {
    let requests = Counter()
    try await withClient(server: { connection in
      while !connection.readHead().isEmpty {
        requests.add(1)
        // The first request is answered; the second one is read, and then the connection ends.
        if requests.value != 1 { return }
        connection.answer("warm")
      }
    }) { client, server in
      _ = try await text(of: ClientRequest(origin: server.origin), by: client)
      let error = await #expect(throws: ClientError.self) {
        try await client.send(ClientRequest(.post, origin: server.origin))
      }
      #expect(error?.reason == .connectionLost)
      #expect(error?.mayHaveRun == true)
      #expect(requests.value == 2)
    }
  }

  @Test func aTaskThatIsCancelledAlreadySendsNothing() async throws {
    let requests = Counter()
    try await withClient(server: { connection in
      if !connection.readHead().isEmpty { requests.add(1) }
    }) { client, server in
      let task = Task {
        while !Task.isCancelled { await Task.yield() }
        return try await client.send(ClientRequest(origin: server.origin))
      }
      task.cancel()
      let error = await #expect(throws: ClientError.self) { try await task.value }
      #expect(error?.reason == .cancelled)
      #expect(error?.mayHaveRun == false)
      #expect(requests.value == 0)
    }
  }

  @Test func cancellingEndsTheTransfer() async throws {
    try await withClient(server: { connection in
      _ = connection.readHead()
      connection.waitForClose()
    }) { client, server in
      let task = Task { try await client.send(ClientRequest(origin: server.origin)) }
      try await eventually("the request is sent") { client.statistics.inFlight == 1 }
      task.cancel()
      let error = await #expect(throws: ClientError.self) { try await task.value }
      #expect(error?.reason == .cancelled)
      #expect(client.statistics.inFlight == 0)
    }
  }

  @Test func hugeBodiesAndBombsAreCut() async throws {
    // A megabyte of zeroes in about a kilobyte.
    let bomb = try await gzip(of: [UInt8](repeating: 0, count: 1 << 20))
    try await withClient(
      { $0.breakerFailures = 0 },
      server: { connection in
        while true {
          let head = connection.readHead()
          if head.isEmpty { return }
          if head.contains("/bomb") {
            connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n")
            connection.write(bomb)
          } else {
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n")
            while connection.write([UInt8](repeating: 1, count: 65_536)) {}
          }
        }
      }
    ) { client, server in
      for request in [
        ClientRequest(origin: server.origin, responseLimit: 100_000),
        ClientRequest(origin: server.origin, target: "/bomb", responseLimit: 100_000, decompresses: true),
      ] {
        let error = await #expect(throws: ClientError.self) { try await client.send(request) }
        #expect(error?.reason == .responseTooLarge)
      }
      let packed = try await client.send(ClientRequest(origin: server.origin, target: "/bomb"))
      #expect(try await packed.body.collect(upTo: 1 << 20).count == bomb.count)
      let unpacked = try await client.send(ClientRequest(origin: server.origin, target: "/bomb", decompresses: true))
      #expect(try await unpacked.body.collect(upTo: 1 << 21).count == 1 << 20)
    }
  }

  private func gzip(of bytes: [UInt8]) async throws -> [UInt8] {
    let (input, output) = (Pipe(), Pipe())
    let command = try Command(["gzip", "-c"], output: output, input: input)
    Thread.detachNewThread {
      try? input.fileHandleForWriting.write(contentsOf: Data(bytes))
      try? input.fileHandleForWriting.close()
    }
    let packed = Array(await output.readToEnd())
    await command.end()
    return packed
  }

  @Test func redirectsAreHandedOverUnlessFollowed() async throws {
    try await withClient(server: { connection in
      while true {
        let head = connection.readHead()
        if head.isEmpty { return }
        if head.contains("/new") {
          connection.answer("here")
        } else {
          connection.answer("there", status: "302 Found", headers: "Location: /new\r\n")
        }
      }
    }) { client, server in
      let redirect = try await client.send(ClientRequest(origin: server.origin))
      #expect(redirect.status == 302)
      let followed = try await text(of: ClientRequest(origin: server.origin, redirects: 1), by: client)
      #expect(followed == "here")
    }
  }
}
