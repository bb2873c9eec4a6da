import HTTPServing
import HTTPTypes
import HummingbirdCore
import Logging
import ServiceLifecycle

/// The ports of a running process: the public one, the private one, and the one that redirects to HTTPS.
struct PlatformServers: Sendable {
  let server: HTTPServer
  let redirect: HTTPServer?
  let operations: HTTPServer

  private let isEdge: Bool
  private let host: String
  private let privateHost: String
  private let tls: TLSIdentity?
  /// For calls between services.
  private let inside: TLSIdentity?
  private let reloadSeconds: Double
  /// The URL to which other services deliver events, if it is set.
  private let serviceURL: String?

  init(_ platform: Platform, _ front: MountedService, _ logger: Logger) throws {
    let settings = platform.settings
    isEdge = front.manifest.isEdge
    (host, privateHost) = (try settings[PlatformSettings.host], try settings[PlatformSettings.metricsHost])
    inside = try ServiceSettings.tlsFiles(settings).map { try TLSIdentity(files: $0, logger: logger) }
    // Whoever calls a service that is not the edge is another service.
    tls = try isEdge ? Self.tlsIdentity(settings, logger) : inside ?? Self.tlsIdentity(settings, logger)
    (reloadSeconds, serviceURL) = (
      try settings[PlatformSettings.tlsReloadSeconds], try settings[PlatformSettings.serviceURL]
    )
    let (date, limits) = (DateHeader(time: platform.time), try PlatformSettings.connectionLimits(settings))
    // A service behind the edge has the connections of few machines.
    let caps = ConnectionCaps(
      perNetwork: isEdge ? try settings[PlatformSettings.connectionsPerAddress] : 0,
      trusted: TrustedProxies(try settings[PlatformSettings.trustedProxies]), metrics: platform.metrics)
    let queues = RequestQueues(maxWait: try settings[PlatformSettings.queueSeconds], metrics: platform.metrics)
    let port = try settings[PlatformSettings.port]
    let responder = front.closing { [isEdge] request, connection in
      await front.dispatcher.respond(to: request, on: connection, port: isEdge ? .public : .any)
    }
    server = try HTTPServer(
      host: host, port: port, limits: limits, tls: tls, caps: caps, queues: queues, bytes: front.byteConnections,
      date: date, logger: logger, responder: responder)
    redirect = try Self.redirectPort(settings, isEdge: isEdge).map { [host] port in
      try HTTPServer(
        host: host, port: port, limits: limits, caps: caps, queues: queues, date: date, logger: logger,
        responder: responder)
    }
    operations = try HTTPServer(
      host: privateHost,
      port: try settings[PlatformSettings.metricsPort] ?? PlatformSettings.defaultMetricsPort(for: port),
      limits: limits,
      // The edge's private port is that of the other services.
      tls: isEdge ? inside : nil,
      date: date,
      logger: logger,
      responder: front.closing(OperationsRoutes.responder(of: platform, token: try .load(settings, logger)))
    )
  }

  /// In the order in which they start.
  var all: [any Service] { [operations, server] + (redirect.map { [$0] } ?? []) }

  /// `nil` when a server ends before it listens.
  func addresses() async -> Platform.Addresses? {
    guard let port = await server.listeningPort(), let privatePort = await operations.listeningPort() else {
      return nil
    }
    let privateTLS = isEdge ? inside : nil
    var addresses = Platform.Addresses(
      url: Self.url(tls, host, port), privateURL: Self.url(privateTLS, privateHost, privatePort))
    addresses.redirectURL = await redirect?.listeningPort().map { Self.url(nil, host, $0) }
    return addresses
  }

  /// The URL at which the process receives events: an edge on its private port.
  @Sendable func eventURL() async -> String? {
    if let serviceURL { return serviceURL }
    let (events, identity, host) = isEdge ? (operations, inside, privateHost) : (server, tls, host)
    return await events.listeningPort().map { Self.url(identity, host, $0) }
  }

  /// Reads renewed certificates.
  func reloading(_ logger: Logger) -> [any Service] {
    [tls, inside].compactMap(\.self).map { identity in
      PeriodicTask("tls.reload", every: .seconds(reloadSeconds), logger: logger) { try identity.reload() }
    }
  }

  private static func url(_ tls: TLSIdentity?, _ host: String, _ port: Int) -> String {
    "\(tls == nil ? "http" : "https")://\(host):\(port)"
  }

  /// - Throws: ``SettingError`` when there is no HTTPS to redirect to.
  private static func redirectPort(_ settings: Settings, isEdge: Bool) throws(SettingError) -> Int? {
    guard let port = try settings[PlatformSettings.redirectPort] else { return nil }
    guard isEdge else { throw SettingError(PlatformSettings.redirectPort, "is a setting of the gateway only") }
    guard try settings[PlatformSettings.tlsCertificate] != nil else {
      throw SettingError(PlatformSettings.redirectPort, "is set, but tls.certificate is not")
    }
    return port
  }

  private static func tlsIdentity(_ settings: Settings, _ logger: Logger) throws -> TLSIdentity? {
    guard let files = try PlatformSettings.tlsFiles(settings) else { return nil }
    do { return try TLSIdentity(files: files, logger: logger) } catch {
      throw SettingError(PlatformSettings.tlsCertificate, "and tls.key cannot be used together: \(error)")
    }
  }
}

extension MountedService {
  /// A process that is about to stop says so with each response, so that callers open no more connections to it than
  /// they need.
  fileprivate func closing(_ responder: @escaping HTTPServer.Responder) -> HTTPServer.Responder {
    { [health] request, connection in
      var response = await responder(request, connection)
      if health.isDraining {
        response.headers[.connection] = "close"
        connection.closeAfterResponses()
      }
      return response
    }
  }

  /// The handler that serves the edge's connections first, if a feature has one.
  fileprivate var byteConnections: (any ByteConnections, RequestRecords, isDraining: @Sendable () -> Bool)? {
    for case let bytes as any ByteConnections in plugin.features {
      return (bytes, dispatcher.records, isDraining: { [health] in health.isDraining })
    }
    return nil
  }
}
