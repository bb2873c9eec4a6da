import Contracts
import CurlClient
import Logging
import NIOCore
import NIOPosix
import Observability
import TestKit
import Testing

@testable import HTTPServing
@testable import ServiceKit

/// Connections that a server has accepted when it stops, and that nothing serves any more.
@Suite(.timeLimit(.minutes(60)))
struct UnservedConnectionTests {
  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  private let connections = StrictHTTP1Channel(
    responder: { _, _, _ in },
    limits: OpenServer.patient,
    date: DateHeader(time: .system)
  )

  /// Sets connections up as a server does, drops them, and connects.
  private func requireClosed(_ setUp: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>) async throws {
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer(setUp)
      .bind(host: "127.0.0.1", port: 0)
      .get()
    try await attempt {
      let port = try #require(listener.localAddress?.port)
      let (text, isClosed) = try await RawConnection(to: "http://127.0.0.1:\(port)").receiveAll()
      #expect(isClosed)
      #expect(text.isEmpty)
    } finally: {
      try? await listener.close()
    }
  }

  @Test func aConnectionThatNothingServesIsClosed() async throws {
    try await requireClosed { [connections, logger] in connections.setup(channel: $0, logger: logger).map { _ in } }
  }

  /// Before its handshake.
  @Test func aSecureConnectionThatNothingServesIsClosed() async throws {
    try await TemporaryFolder.run { folder in
      let pair = try await Certificates.make(in: folder)
      let files = TLSFiles(certificateChain: pair.certificate, privateKey: pair.key)
      let secure = SecureChannel(identity: try TLSIdentity(files: files, logger: logger), http1: connections)
      try await requireClosed { [logger] in secure.setup(channel: $0, logger: logger).map { _ in } }
    }
  }

  @Test func aConnectionOfTheBytePathThatNothingServesIsClosed() async throws {
    let bytes = ByteChannel(
      bytes: Untouched(),
      records: RequestRecords(
        log: StructuredLog(label: "test", level: .critical, format: .json, sink: LogSink()),
        refusals: Refusals(Metrics(), service: "test"),
        spans: nil
      ),
      isDraining: { false },
      http1: connections,
      logger: logger
    )
    try await requireClosed { [logger] in bytes.setup(channel: $0, logger: logger).map { _ in } }
  }

  @Test func aServerStopsWhileConnectionsArrive() async throws {
    for _ in 0..<20 {
      let (accepted, stops) = (Counter(), Counter())
      try await ListeningServer.run(ListeningServer.dispatcher([])) { server in
        for _ in 0..<4 {
          Task {
            var connections: [RawConnection] = []
            while stops.value == 0, connections.count < 200, let connection = try? RawConnection(to: server.url) {
              connections.append(connection)
              accepted.add()
            }
          }
        }
        try await eventually("connections arrive") { accepted.value > 20 }
      }
      stops.add()
    }
  }

  @Test func aServerStopsWhileStreamsArrive() async throws {
    try await TemporaryFolder.run { folder in
      let tls = try await Certificates.make(in: folder)
      var configuration = CurlClient.Configuration()
      configuration.authoritiesFile = tls.certificate
      configuration.usesHTTP2 = true
      for _ in 0..<10 {
        try await CurlClient.running(configuration) { client in
          let answers = Counter()
          var requests: Task<[Void], any Error>?
          try await ListeningServer.run(ListeningServer.dispatcher([]), tls: tls) { server in
            requests = Task {
              try await concurrently(0..<8) { _ in
                while let answer = try? await client.send(ClientRequest(origin: server.url, target: "/")) {
                  #expect(answer.status == 404)
                  answers.add()
                }
              }
            }
            try await eventually("streams arrive") { answers.value > 20 }
          }
          _ = try await requests?.value
        }
      }
    }
  }
}

/// Does nothing with the bytes of a connection.
private struct Untouched: ByteConnections {
  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let handover: ByteConnectionStart.Handover

    init(_ handover: ByteConnectionStart.Handover) { self.handover = handover }

    func handlerRemoved(context: ChannelHandlerContext) { handover.abandon() }
  }

  func handler(for connection: ByteConnectionStart) -> any ChannelHandler { Handler(connection.handover) }
}
