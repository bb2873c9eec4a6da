import CurlClient
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization
import TestKit
import Testing

@testable import HTTPServing
@testable import ServiceKit

/// Responses that stay open, over sockets.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct OpenResponseTests {
  private static func bytes(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }

  // MARK: bodies

  @Test func severalThreadsWriteInOrder() async throws {
    try await OpenServer.run { server in
      try await CurlClient.running { client in
        let stream = try await server.stream(client)
        let response = try await server.record.response()
        let (writers, lines) = (4, 500)
        _ = try await concurrently(0..<writers) { writer in
          for line in 0..<lines { response.write(Self.bytes("\(writer) \(line)\n")) }
        }
        response.end()
        let received = try await stream.text().split(separator: "\n")
        for writer in 0..<writers {
          let own = received.filter { $0.hasPrefix("\(writer) ") }
          #expect(own.map(String.init) == (0..<lines).map { "\(writer) \($0)" })
        }
        #expect(received.count == writers * lines)
      }
    }
  }

  @Test func theBodyEndsWithItsLastChunkAndTheConnection() async throws {
    try await OpenServer.run { server in
      // The second request is not answered, and a write after the end is discarded.
      let connection = try server.connect(OpenServer.request + "GET /whole HTTP/1.1\r\nHost: a\r\n\r\n")
      let response = try await server.record.response()
      #expect(response.isOpen)
      for text in ["hello ", "", "world"] { response.write(Self.bytes(text)) }
      response.end()
      #expect(!response.isOpen)
      response.write(Self.bytes("late"))
      response.end()
      let (text, isClosed) = await connection.receiveAll()
      #expect(isClosed)
      #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(text.lowercased().contains("\r\ntransfer-encoding: chunked\r\n"))
      #expect(text.lowercased().contains("\r\nconnection: close\r\n"))
      let body = try ChunkedBody(of: text)
      #expect(body.text == "hello world")
      #expect(body.isComplete)
    }
  }

  @Test func aReaderGetsMoreThanTheSocketsHold() async throws {
    try await OpenServer.run { server in
      let connection = try server.connect()
      let response = try await server.record.response()
      let page = String(repeating: "0123456789abcdef", count: 8 * 1024)
      let pages = 160
      let reading = Task { await connection.receiveAll() }
      for _ in 0..<pages {
        response.write(Self.bytes(page))
        await withCheckedContinuation { continuation in response.whenDrained { continuation.resume() } }
      }
      #expect(response.isOpen)
      response.end()
      let body = try ChunkedBody(of: await reading.value.text)
      #expect(body.isComplete)
      #expect(body.text.utf8.count == pages * page.utf8.count)
      #expect(body.text.hasPrefix(page))
      #expect(body.text.hasSuffix(page))
    }
  }

  @Test func oldClientsReadUntilTheEndOfTheConnection() async throws {
    try await OpenServer.run { server in
      let connection = try server.connect("GET /open HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n")
      let response = try await server.record.response()
      for text in ["hello ", "world"] { response.write(Self.bytes(text)) }
      response.end()
      let (text, isClosed) = await connection.receiveAll()
      #expect(isClosed)
      #expect(text.hasSuffix("\r\n\r\nhello world"))
      #expect(!text.lowercased().contains("transfer-encoding"))
    }
  }

  @Test func aHeadRequestOpensNothing() async throws {
    try await OpenServer.run { server in
      let connection = try server.connect("HEAD /open HTTP/1.1\r\nHost: a\r\n\r\n")
      let (text, isClosed) = await connection.receiveAll()
      #expect(isClosed)
      #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(text.hasSuffix("\r\n\r\n"))
      #expect(server.record.all.isEmpty)
    }
  }

  @Test func aConnectionThatWasUsedBeforeIsTakenOver() async throws {
    try await OpenServer.run { server in
      let connection = try server.connect("GET /whole HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(await connection.receive(until: "whole\n").hasPrefix("HTTP/1.1 200"))
      connection.send(OpenServer.request)
      try await server.record.response().end()
      #expect(try ChunkedBody(of: await connection.receiveAll().text).isComplete)
    }
  }

  // MARK: readers

  @Test(.timeLimit(.minutes(60))) func aReaderThatStallsIsDisconnected() async throws {
    var limits = OpenServer.patient
    limits.writeSeconds = 0.5
    try await OpenServer.run(limits: limits) { server in
      let connection = try server.connect()
      let response = try await server.record.response()
      // The writer keeps pace with the reader, so that only the deadline can end the response.
      let page = ByteBuffer(repeating: 65, count: 64 * 1024)
      var pages = 0
      while response.isOpen, pages < 10_000 {
        response.write(page)
        pages += 1
        await withCheckedContinuation { continuation in response.whenDrained { continuation.resume() } }
      }
      try await server.record.closed(1)
      #expect(pages < 10_000)
      #expect(await connection.receiveAll().isClosed)
    }
  }

  @Test func aReaderThatLeavesTooMuchIsDisconnected() async throws {
    try await OpenServer.run { server in
      let connection = try server.connect()
      let response = try await server.record.response()
      let pages = Counter()
      let page = ByteBuffer(repeating: 65, count: 64 * 1024)
      @Sendable func writePage() {
        guard response.isOpen, pages.value < 10_000 else { return }
        pages.add()
        response.write(page)
        response.whenDrained { writePage() }
      }
      writePage()
      // The sockets' buffers are full.
      #expect(try await standstill(of: "pages") { pages.value } < 10_000)
      var (writes, most) = (0, 0)
      while response.isOpen, writes < 1000 {
        response.write(ByteBuffer(repeating: 66, count: 1024))
        writes += 1
        most = max(most, response.unsentBytes)
      }
      #expect(writes < 257)
      #expect(most <= OpenResponse.unsentLimit)
      #expect(response.unsentBytes == 0)
      try await server.record.closed(1)
      #expect(await connection.receiveAll().isClosed)
    }
  }

  @Test(arguments: [true, false]) func aClientThatLeavesIsReportedOnce(closesBothSides: Bool) async throws {
    try await OpenServer.run { server in
      var connection: RawConnection? = try server.connect()
      let response = try await server.record.response()
      response.write(Self.bytes("hello"))
      _ = await connection?.receive(until: "hello")
      if closesBothSides { connection = nil } else { connection?.closeOutput() }
      try await server.record.closed(1)
      #expect(!response.isOpen)
      // Actions that come late are called at once.
      let late = Counter()
      response.whenClosed { late.add() }
      response.whenDrained { late.add() }
      #expect(late.value == 2)
      response.write(Self.bytes("late"))
      response.end()
      #expect(response.unsentBytes == 0)
      #expect(server.record.closures.value == 1)
      withExtendedLifetime(connection) {}
    }
  }

  @Test func aClientThatKeepsSendingIsDisconnected() async throws {
    try await OpenServer.run { server in
      let connection = try server.connect()
      _ = try await server.record.response()
      #expect(await !connection.sendAll(String(repeating: "x", count: 40_000_000)))
      try await server.record.closed(1)
    }
  }

  @Test func aConnectionCountsOnce() async throws {
    var limits = OpenServer.patient
    limits.maxConnections = 2
    try await OpenServer.run(limits: limits) { server in
      var first: RawConnection? = try server.connect()
      _ = try await server.record.response(0)
      let second = try server.connect()
      _ = try await server.record.response(1)
      // Not accepted before one of the others is closed.
      let third = try server.connect()
      first = nil
      try await server.record.response(2).end()
      #expect(try ChunkedBody(of: await third.receiveAll().text).isComplete)
      #expect(server.record.closures.value >= 1)
      withExtendedLifetime((first, second)) {}
    }
  }

  // MARK: ends

  @Test func shutdownEndsResponses() async throws {
    try await OpenServer.run { server in
      let connections = try (0..<3).map { _ in try server.connect() }
      for number in 0..<3 { try await server.record.response(number).write(Self.bytes("hello")) }
      await server.shutDown()
      for connection in connections {
        let (text, isClosed) = await connection.receiveAll()
        #expect(isClosed)
        let body = try ChunkedBody(of: text)
        #expect(body.text == "hello")
        #expect(body.isComplete)
      }
    }
  }

  /// `OpenServer.run` returns although no client closes its side.
  @Test func canceledServersDisconnect() async throws {
    let connections = Mutex<[RawConnection]>([])
    let record = Mutex<OpenServer.Record?>(nil)
    try await OpenServer.run { server in
      record.withLock { $0 = server.record }
      for number in 0..<3 {
        let connection = try server.connect()
        connections.withLock { $0.append(connection) }
        _ = try await server.record.response(number)
      }
    }
    #expect(record.withLock { $0?.closures.value } == 3)
  }

  @Test func randomDisconnectsAreReported() async throws {
    let generator = Mutex(SeededGenerator())
    @Sendable func random(_ range: Range<Int>) -> Int { generator.withLock { Int.random(in: range, using: &$0) } }
    let seed = generator.withLock { "\($0)" }
    var record: OpenServer.Record?
    try await OpenServer.run { response in
      switch random(0..<4) {
      case 0: response.end()
      case 1: response.write(Self.bytes("hello"))
      case 2:
        response.write(Self.bytes("hello"))
        response.end()
      default: response.disconnect()
      }
    } _: { server in
      record = server.record
      for _ in 0..<300 {
        var connection: RawConnection? = try RawConnection(to: server.url)
        let request = OpenServer.request + (random(0..<2) == 0 ? "" : OpenServer.request + "GET /wh")
        let isWhole = random(0..<4) > 0
        connection?.send(isWhole ? request : String(request.prefix(random(0..<request.utf8.count))))
        for _ in 0..<random(0..<200) { await Task.yield() }
        switch random(0..<4) {
        case 0: connection?.closeOutput()
        case 1 where isWhole: _ = await connection?.receive(until: "\r\n\r\n")
        case 2: for response in server.record.all.suffix(2) { response.write(Self.bytes("more")) }
        default: break
        }
        for _ in 0..<random(0..<50) { await Task.yield() }
        connection = nil
      }
      // The server still answers, and responses close without its end.
      let last = try server.connect("GET /whole HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      #expect(await last.receiveAll().text.hasSuffix("whole\n"), "\(seed)")
      try await eventually("all responses close") { server.record.closures.value == server.record.all.count }
    }
    let all = try #require(record).all
    #expect(record?.closures.value == all.count, "\(seed)")
    #expect(all.allSatisfy { !$0.isOpen }, "\(seed)")
    #expect(!all.isEmpty, "\(seed)")
  }

  // MARK: TLS

  private func overTLS(usesHTTP2: Bool, _ body: (OpenServer, CurlClient) async throws -> Void) async throws {
    try await TemporaryFolder.run { folder in
      let tls = try await Certificates.make(in: folder)
      try await OpenServer.run(tls: tls) { server in
        var configuration = CurlClient.Configuration()
        configuration.authoritiesFile = tls.certificate
        configuration.usesHTTP2 = usesHTTP2
        try await CurlClient.running(configuration) { client in try await body(server, client) }
      }
    }
  }

  @Test func manyStreamsShareAnHTTP2Connection() async throws {
    try await overTLS(usesHTTP2: true) { server, client in
      var streams: [ResponseStream] = []
      for number in 0..<20 {
        streams.append(try await server.stream(client))
        try await server.record.response(number).write(Self.bytes("first \(number)\n"))
      }
      // One client that leaves does not disturb the others.
      streams.removeFirst()
      try await server.record.closed(1)
      let responses = server.record.all.dropFirst()
      _ = try await concurrently(0..<4) { writer in
        for line in 0..<50 { for response in responses { response.write(Self.bytes("\(writer) \(line)\n")) } }
      }
      for response in responses { response.end() }
      for (number, stream) in zip(1..., streams) {
        let lines = try await stream.text().split(separator: "\n").map(String.init)
        #expect(lines.count == 201)
        #expect(lines.first == "first \(number)")
        for writer in 0..<4 {
          #expect(lines.filter { $0.hasPrefix("\(writer) ") } == (0..<50).map { "\(writer) \($0)" })
        }
      }
      try await server.record.closed(20)
      // The connection serves further requests.
      let whole = try await client.send(ClientRequest(origin: server.url, target: "/whole"))
      #expect(whole.status == 200)
      #expect(client.statistics.newConnections == 1)
    }
  }

  @Test(arguments: [true, false]) func shutdownEndsResponsesOverTLS(usesHTTP2: Bool) async throws {
    try await overTLS(usesHTTP2: usesHTTP2) { server, client in
      let stream = try await server.stream(client)
      try await server.record.response().write(Self.bytes("hello"))
      await server.shutDown()
      #expect(try await stream.text() == "hello")
      try await server.record.closed(1)
    }
  }
}
