import Contracts
import HTTPServing
import Logging
import Observability
import ServiceLifecycle
import TestKit

@testable import ServiceKit

/// A server that listens on a free port while a test runs.
struct ListeningServer: Sendable {
  let url: String
  let group: ServiceGroup

  static func run(
    _ dispatcher: Dispatcher, limits: ConnectionLimits = OpenServer.patient, tls: Certificates.Pair? = nil,
    _ body: (ListeningServer) async throws -> Void
  ) async throws {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let server = try HTTPServer(
      host: "127.0.0.1",
      port: 0,
      limits: limits,
      tls: try tls.map {
        try TLSIdentity(files: TLSFiles(certificateChain: $0.certificate, privateKey: $0.key), logger: logger)
      },
      date: DateHeader(time: .system),
      logger: logger
    ) { await dispatcher.respond(to: $0, on: $1, port: .any) }
    let group = ServiceGroup(services: [server], logger: logger)
    let running = Task { try await group.run() }
    try await attempt {
      guard let port = await server.listeningPort() else { throw TestKitError("the server does not listen") }
      try await body(ListeningServer(url: "\(tls == nil ? "http" : "https")://127.0.0.1:\(port)", group: group))
    } finally: {
      running.cancel()
      _ = await running.result
    }
  }

  static func dispatcher(_ routes: [Route]) -> Dispatcher {
    Dispatcher(
      routes: routes,
      forwarded: nil,
      name: "test",
      isEdge: false,
      trustedProxies: [],
      middleware: nil,
      answerSeconds: 600,
      log: StructuredLog(label: "test", level: .critical, format: .json, sink: LogSink()),
      metrics: Metrics()
    )
  }
}
