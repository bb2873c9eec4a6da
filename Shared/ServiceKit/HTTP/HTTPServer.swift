import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Listens on a port and hands requests to a responder; a life-cycle service that drains on graceful shutdown.
final class HTTPServer: Service {
  typealias Responder = @Sendable (Request, _ remoteAddress: String?) async -> Response

  private let host: String
  private let port: Int
  private let server: any Service
  private let bound: AsyncStream<Int>

  /// - Parameters:
  ///   - port: 0 picks a free one.
  ///   - tls: `nil` for cleartext.
  init(
    host: String,
    port: Int,
    limits: ConnectionLimits,
    tls: TLSIdentity? = nil,
    date: DateHeader,
    logger: Logger,
    responder: @escaping Responder
  ) throws {
    self.host = host
    self.port = port
    let (bound, continuation) = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
    self.bound = bound
    let builder = HTTPServerBuilder { handler in
      let scheme = tls == nil ? "http" : "https"
      let http1 = StrictHTTP1Channel(responder: handler, limits: limits, date: date, scheme: scheme)
      if let tls { return SecureChannel(identity: tls, http1: http1) }
      return http1
    }
    var quiet = logger
    quiet.logLevel = .warning
    server = try builder.buildServer(
      configuration: ServerConfiguration(
        address: .hostname(host, port: port),
        backlog: 1024,
        availableConnectionsDelegate: MaximumAvailableConnections(limits.maxConnections)
      ),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
      logger: quiet
    ) { request, writer, channel in
      let response = await responder(request, channel.remoteAddress?.ipAddress)
      try await writer.write(response: response.head, body: response.body)
    } onServerRunning: { channel in
      continuation.yield(channel.localAddress?.port ?? 0)
      continuation.finish()
    }
  }

  /// The port it listens on, once it does.
  func listeningPort() async -> Int? {
    for await port in bound { return port }
    return nil
  }

  func run() async throws { try await server.run() }
}
