import HTTPTypes
package import HummingbirdCore
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// Listens on a port and passes requests to a responder; a lifecycle service that drains on graceful shutdown.
package final class HTTPServer: Service {
  package typealias Responder = @Sendable (Request, ClientConnection) async -> Response

  private let host: String
  private let port: Int
  private let server: any Service
  private let bound = BoundPort()
  private let responses: OpenResponses

  /// - Parameters:
  ///   - port: 0 picks a free one.
  ///   - tls: `nil` for cleartext.
  ///   - caps: Limits the connections of each network; `nil` for no limit.
  ///   - queues: Where requests wait for their turn, and are refused under overload; `nil` to serve all.
  ///   - bytes: Serves HTTP/1.1 connections first, with a log for its requests, and whether the process is about to stop.
  package init(
    host: String,
    port: Int,
    limits: ConnectionLimits,
    tls: TLSIdentity? = nil,
    caps: ConnectionCaps? = nil,
    queues: RequestQueues? = nil,
    bytes: (any ByteConnections, RequestRecords, isDraining: @Sendable () -> Bool)? = nil,
    date: DateHeader,
    logger: Logger,
    responder: @escaping Responder
  ) throws {
    self.host = host
    self.port = port
    let responses = OpenResponses(limits: limits)
    self.responses = responses
    var quiet = logger
    quiet.logLevel = .warning
    let builder = HTTPServerBuilder { [quiet] handler in
      let scheme = tls == nil ? "http" : "https"
      var http1 = StrictHTTP1Channel(responder: handler, limits: limits, date: date, scheme: scheme)
      http1.queues = queues
      let bytes = bytes.map {
        ByteChannel(bytes: $0, records: $1, isDraining: $2, http1: http1, logger: quiet)
      }
      if let tls { return SecureChannel(identity: tls, http1: http1, bytes: bytes, caps: caps) }
      if var bytes {
        bytes.caps = caps
        return bytes
      }
      http1.caps = caps
      return http1
    }
    server = try builder.buildServer(
      configuration: ServerConfiguration(
        address: .hostname(host, port: port),
        backlog: 1024,
        availableConnectionsDelegate: MaximumAvailableConnections(limits.maxConnections)
      ),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
      logger: quiet
    ) { request, writer, channel in
      let connection = ClientConnection(
        channel: channel, responses: responses, isMutualTLS: tls?.verifiesCallers == true)
      let response = await responder(request, connection)
      // A long response that can be sent in parts may be a file.
      let isLong = response.body.contentLength.map { $0 > StoredBody.smallBytes } ?? false
      let mayBeFile = tls == nil && isLong && response.headers.contains(.acceptRanges)
      let body = mayBeFile ? ConnectionWriter.body(response.body, on: channel) : response.body
      try await writer.write(response: response.head, body: body)
    } onServerRunning: { [bound] channel in
      bound.set(channel.localAddress?.port ?? 0)
    }
  }

  /// The port it listens on, once it is bound; `nil` when the server ends first.
  package func listeningPort() async -> Int? { await bound.get() }

  package func run() async throws {
    defer { bound.set(nil) }
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await server.run()) } catch { outcome = .failure(error) }
    await responses.drain()
    try outcome.get()
  }
}

/// A port that is set once and can be awaited by several tasks.
private final class BoundPort: Sendable {
  private struct State {
    var port: Int??
    var waiters: [CheckedContinuation<Int?, Never>] = []
  }

  private let state = Mutex(State())

  func set(_ port: Int?) {
    let waiters = state.withLock { state in
      if state.port == nil { state.port = .some(port) }
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(returning: port) }
  }

  func get() async -> Int? {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state -> Int?? in
        if state.port == nil { state.waiters.append(continuation) }
        return state.port
      }
      if let known { continuation.resume(returning: known) }
    }
  }
}
