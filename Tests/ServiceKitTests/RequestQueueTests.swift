import Contracts
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Observability
import TestKit
import Testing

@testable import HTTPServing
@testable import ServiceKit

/// Requests that wait for the processor behind others of their event loop.
struct RequestQueueTests {
  /// A connection whose requests wait in the queue of a loop.
  private struct Connection {
    let channel: EmbeddedChannel

    init(_ loop: EmbeddedEventLoop, _ queues: RequestQueues) throws {
      channel = EmbeddedChannel(handlers: [RequestQueueHandler(queues)], loop: loop)
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).wait()
    }

    func send(_ path: String = "/", method: HTTPRequest.Method = .get, body: String? = nil, isComplete: Bool = true)
      throws
    {
      try channel.writeInbound(
        HTTPRequestPart.head(HTTPRequest(method: method, scheme: "http", authority: "a", path: path)))
      if let body { try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: body))) }
      if isComplete { try channel.writeInbound(HTTPRequestPart.end(nil)) }
    }

    /// The number of parts that have been passed on since the last call.
    func passedOn() throws -> Int {
      var count = 0
      while try channel.readInbound(as: HTTPRequestPart.self) != nil { count += 1 }
      return count
    }

    /// The response since the last call.
    func answer() throws -> (head: HTTPResponse?, body: String) {
      var (head, body) = (HTTPResponse?.none, "")
      while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
        switch part {
        case .head(let response): head = response
        case .body(let bytes): body += String(buffer: bytes)
        case .end: break
        }
      }
      return (head, body)
    }
  }

  /// Lets so many requests wait that the first of the queue may be refused.
  private func fill(_ loop: EmbeddedEventLoop, _ queues: RequestQueues) throws -> [Connection] {
    let others = try (0..<16).map { _ in try Connection(loop, queues) }
    for other in others { try other.send() }
    return others
  }

  @Test func eachRequestWaitsForItsTurn() throws {
    let loop = EmbeddedEventLoop()
    let queues = RequestQueues(maxWait: 1000, metrics: Metrics())
    let connections = try (0..<3).map { _ in try Connection(loop, queues) }
    for connection in connections { try connection.send(method: .post, body: "hello") }
    #expect(try connections.map { try $0.passedOn() } == [3, 0, 0])
    loop.run()
    #expect(try connections.map { try $0.passedOn() } == [0, 3, 3])
    // The queue is empty again.
    try connections[2].send()
    #expect(try connections[2].passedOn() == 2)
    for connection in connections { #expect(try connection.answer().head == nil) }
  }

  @Test func lateRequestsAreRefusedAndTheirConnectionsGoOn() throws {
    let loop = EmbeddedEventLoop()
    let metrics = Metrics()
    // Whatever has waited has waited too long.
    let queues = RequestQueues(maxWait: -1, metrics: metrics)
    let (first, second) = (try Connection(loop, queues), try Connection(loop, queues))
    try first.send()
    try second.send(method: .post, body: "hello")
    let others = try fill(loop, queues)
    #expect(try second.answer().head == nil)
    loop.run()
    // However late they are, a few requests are no overload.
    #expect(try others.allSatisfy { try $0.passedOn() == 2 })
    #expect(try first.passedOn() == 2)
    #expect(try second.passedOn() == 0)
    let (head, body) = try second.answer()
    #expect(head?.status == .serviceUnavailable)
    #expect(head?.headerFields[.connection] == nil)
    let seconds = try #require(head?.headerFields[.retryAfter].flatMap { Int($0) })
    #expect((1...3).contains(seconds))
    #expect(try WireJSON.decode(Problem.self, from: body.utf8).is(.overloaded))
    #expect(metrics.text().contains("http_requests_shed_total 1\n"))
    try second.send()
    #expect(try second.passedOn() == 2)
  }

  @Test func probesDoNotWait() throws {
    let loop = EmbeddedEventLoop()
    let queues = RequestQueues(maxWait: -1, metrics: Metrics())
    let (first, second) = (try Connection(loop, queues), try Connection(loop, queues))
    try first.send()
    for path in ["/livez", "/readyz"] {
      try second.send(path)
      #expect(try second.passedOn() == 2, "\(path)")
    }
  }

  @Test func refusalsFollowTheProtocol() throws {
    let loop = EmbeddedEventLoop()
    let queues = RequestQueues(maxWait: -1, metrics: Metrics())
    let (first, head, upload, gone) = (
      try Connection(loop, queues), try Connection(loop, queues), try Connection(loop, queues),
      try Connection(loop, queues)
    )
    try first.send()
    try head.send(method: .head)
    try upload.send(method: .post, body: "the first part", isComplete: false)
    try gone.send()
    _ = try fill(loop, queues)
    _ = try gone.channel.finish()
    loop.run()
    // No body of a response to HEAD.
    let answer = try head.answer()
    #expect(answer.head?.status == .serviceUnavailable)
    #expect(answer.body == "")
    // The rest of the upload is not awaited.
    #expect(try upload.answer().head?.headerFields[.connection] == "close")
    try upload.channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "the rest")))
    try upload.channel.writeInbound(HTTPRequestPart.end(nil))
    #expect(try upload.passedOn() == 0)
  }
}
