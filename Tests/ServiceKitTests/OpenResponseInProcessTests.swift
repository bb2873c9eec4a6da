import HTTPServing
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization
import TestKit
import Testing

@testable import ServiceKit

/// Responses that stay open, for requests that did not arrive on a connection.
@Suite(.timeLimit(.minutes(60)))
struct OpenResponseInProcessTests {
  /// Keeps what is written to it.
  private final class Page: ResponseBodyWriter, Sendable {
    private let content = Mutex("")
    let isFinished = Counter()
    var text: String { content.withLock { $0 } }

    func write(_ buffer: ByteBuffer) async throws { content.withLock { $0 += String(buffer: buffer) } }
    func finish(_ trailingHeaders: HTTPFields?) async throws { isFinished.add() }
  }

  private func respond(_ server: OpenServer) async -> Response {
    let head = HTTPRequest(method: .get, scheme: "http", authority: "a", path: "/open")
    return await server.dispatcher.respond(
      to: Request(head: head, body: RequestBody(buffer: ByteBuffer())),
      remoteAddress: nil
    )
  }

  @Test func callsInTheProcessReadTheBody() async throws {
    try await OpenServer.run { server in
      let response = await respond(server)
      #expect(server.record.all.isEmpty)
      #expect(!response.headers.contains(.connection))
      let page = Page()
      let reading = Task { try await response.body.write(page) }
      let open = try await server.record.response()
      for number in 0..<100 { open.write(ByteBuffer(string: "\(number) ")) }
      open.end()
      try await reading.value
      #expect(page.text == (0..<100).map { "\($0) " }.joined())
      #expect(page.isFinished.value == 1)
      #expect(server.record.closures.value == 1)
    }
  }

  @Test func readersInTheProcessCanBeCanceled() async throws {
    try await OpenServer.run { server in
      let response = await respond(server)
      let reading = Task { try await response.body.write(Page()) }
      let open = try await server.record.response()
      reading.cancel()
      await #expect(throws: CancellationError.self) { try await reading.value }
      #expect(!open.isOpen)
      #expect(server.record.closures.value == 1)
    }
  }

  @Test func readersInTheProcessThatLeaveTooMuchAreDisconnected() async throws {
    try await OpenServer.run { response in
      // The reader's task is the one that runs this.
      while response.isOpen { response.write(ByteBuffer(repeating: 65, count: 1024)) }
    } _: { server in
      let response = await respond(server)
      let page = Page()
      await #expect(throws: ChannelError.self) { try await response.body.write(page) }
      #expect(page.text.isEmpty)
      #expect(page.isFinished.value == 0)
      #expect(server.record.closures.value == 1)
    }
  }
}
