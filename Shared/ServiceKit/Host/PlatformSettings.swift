import Foundation
package import HTTPServing
import Logging
import Observability
import Persistence

/// Settings that every process has.
package enum PlatformSettings {
  static let host = Setting<String>("host", default: "127.0.0.1", "Address to listen on")
  static let port = Setting<Int>("port", default: 8080, in: 0...65_535, "Port to listen on; 0 picks a free one")
  static let data = Setting<String>("data", default: "./data", "Folder for SQLite files and generated keys")
  static let logLevel = Setting<Logger.Level>(
    "log.level",
    default: .info,
    "Minimum level of the log lines that are written"
  )
  static let logFormat = Setting<LogFormat>("log.format", default: .text, "Format of log lines")
  static let metricsHost = Setting<String>("metrics.host", default: "127.0.0.1", "Address of the private port")
  static let metricsPort = Setting<Int?>(
    "metrics.port",
    default: .some(nil),
    expects: "a port from 0 to 65535",
    "Private port for metrics and dead letters; if unset, 1000 above the port, or a free one when the port is 0"
  ) { Int($0).flatMap { (0...65_535).contains($0) ? .some($0) : nil } }
  static let databaseURL = Setting<String?>(
    optional: "database.url",
    expects: "a URL such as postgres://user:password@host/database",
    isSecret: true,
    "PostgreSQL database, of several hosts the one that accepts writes; if unset, SQLite files in the data folder"
  )
  static let databaseConnections = Setting<Int>(
    "database.connections",
    default: 6,
    in: 1...100,
    "Maximum number of PostgreSQL connections for each service in this process, at least 4: a third for background work, an eighth for events, one for health checks"
  )
  static let databaseReplicaURL = Setting<String?>(
    optional: "database.replicaUrl",
    expects: "a URL such as postgres://user:password@replica/database",
    isSecret: true,
    "Streaming replica of database.url, which answers lists; it has up to half as many connections"
  )
  static let databasePooled = Setting<Bool>(
    "database.pooled",
    default: false,
    expects: "true or false",
    "Whether database.url is that of a pooler in transaction mode, such as PgBouncer"
  ) { Bool($0) }
  static let databaseRequestSeconds = Setting<Double>(
    seconds: "database.requestSeconds",
    default: DatabaseLimits().requestSeconds,
    in: 0.1...600,
    "Maximum time of a request's database statement"
  )
  static let databaseBackgroundSeconds = Setting<Double>(
    seconds: "database.backgroundSeconds",
    default: DatabaseLimits().backgroundSeconds,
    in: 1...86_400,
    "Maximum time of a database statement of background work; migrations have no limit"
  )
  static let databaseWaitSeconds = Setting<Double>(
    seconds: "database.waitSeconds",
    default: DatabaseLimits().waitSeconds,
    in: 0.01...600,
    "Maximum time that a request waits for its turn in the database; then the caller gets 503"
  )
  static let serviceURL = Setting<String?>(
    optional: "service.url",
    expects: "a URL such as http://auth:8081",
    "URL where other services deliver the events that this process consumes"
  )
  static let dataKeys = Setting<String?>(
    optional: "data.keys",
    expects: "name:base64 of 32 bytes, several separated by commas, one of them named lookup; the first one encrypts",
    isSecret: true,
    "Keys that encrypt personal data; if unset, a key file is created in the data folder"
  )
  static let readyDependencies = Setting<Bool>(
    "ready.dependencies",
    default: false,
    expects: "true or false",
    "Whether a process is ready only while the services it calls are alive"
  ) { Bool($0) }
  static let tlsCertificate = Setting<String?>(
    optional: "tls.certificate",
    expects: "a PEM file",
    "The certificate chain; together with tls.key, it enables TLS and HTTP/2"
  )
  static let tlsKey = Setting<String?>(optional: "tls.key", expects: "a PEM file", "The certificate's private key")
  static let tlsReloadSeconds = Setting<Double>(
    seconds: "tls.reloadSeconds",
    default: 10,
    in: 0.1...3600,
    "Interval between checks of the two files for a renewed certificate"
  )
  static let headSeconds = Setting<Double>(
    seconds: "http.headSeconds",
    default: 10,
    in: 0.1...300,
    "Maximum time to receive a request's head"
  )
  static let bodySeconds = Setting<Double>(
    seconds: "http.bodySeconds",
    default: 10,
    in: 0.1...3600,
    "Maximum wait for a body, in addition to 1 second per KiB"
  )
  static let answerSeconds = Setting<Double>(
    seconds: "http.answerSeconds",
    default: 60,
    in: 0.1...3600,
    "Maximum time until a response starts; then the caller gets 503"
  )
  static let writeSeconds = Setting<Double>(
    seconds: "http.writeSeconds",
    default: 15,
    in: 0.1...3600,
    "Maximum time that a caller may stall while reading its response"
  )
  static let idleSeconds = Setting<Double>(
    seconds: "http.idleSeconds",
    default: 60,
    in: 0.1...3600,
    "Maximum idle time between the requests of a connection"
  )
  static let maxConnections = Setting<Int>(
    "http.maxConnections",
    default: 20_000,
    in: 1...1_000_000,
    "Maximum number of open connections"
  )
  package static let trustedProxies = Setting<[NetworkBlock]>(
    "http.trustedProxies",
    default: [],
    expects: "addresses and CIDR blocks separated by commas, such as 10.0.0.0/8,2001:db8::1",
    "Proxies in front of the gateway whose X-Forwarded-For and X-Forwarded-Proto are trusted"
  ) { text in
    let texts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    let blocks = texts.compactMap { NetworkBlock($0) }
    return blocks.count == texts.count ? blocks : nil
  }
  static let connectionsPerAddress = Setting<Int>(
    "http.connectionsPerAddress",
    default: 500,
    in: 0...1_000_000,
    "Maximum number of open connections of one address, or one /64 network of IPv6, to the gateway; 0 for no limit"
  )
  static let redirectPort = Setting<Int?>(
    "http.redirectPort",
    default: .some(nil),
    expects: "a port from 0 to 65535",
    "Port where the gateway redirects plain HTTP to HTTPS and answers ACME challenges, beside tls.certificate"
  ) { Int($0).flatMap { (0...65_535).contains($0) ? .some($0) : nil } }
  static let operationsToken = Setting<String?>(
    "operations.token",
    default: .some(nil),
    expects: "at least 32 characters",
    isSecret: true,
    "Bearer token of what changes something on the private port; if unset, a file in the data folder is created"
  ) { $0.utf8.count >= 32 ? .some($0) : nil }
  static let telemetryURL = Setting<String?>(
    "telemetry.url",
    default: .some(nil),
    expects: "the scheme, host and port of an OpenTelemetry collector, such as http://collector:4318",
    "Where traces are sent by OTLP over HTTP; if unset, none are recorded"
  ) { text in
    let url = URLComponents(string: text)
    guard let url, ["http", "https"].contains(url.scheme), url.host?.isEmpty == false, url.path.isEmpty,
      url.user == nil, url.query == nil, url.fragment == nil
    else { return nil }
    return .some(text)
  }
  static let telemetryShare = Setting<Double>(
    "telemetry.share",
    default: 1,
    expects: "a number from 0 to 1",
    "Which share of the traces is sent; the same for every service, so that traces are whole"
  ) { Double($0).flatMap { (0...1).contains($0) ? $0 : nil } }
  static let buildVersion = Setting<String>(
    "build.version", default: "development", "Version of this build, for metrics, traces and the page /status")
  static let auditDays = Setting<AuditDays>(
    "audit.days",
    default: AuditDays(),
    expects: "days from 30, and other numbers for some services, such as 1095,orders=3650",
    "How long audit trails are kept"
  ) { AuditDays($0) }
  static let queueSeconds = Setting<Double>(
    seconds: "http.queueSeconds",
    default: 1,
    in: 0.001...60,
    "Maximum time that a request waits for the processor, half of it while more arrive than can be served; then 503"
  )
  static let noticeSeconds = Setting<Double?>(
    optionalSeconds: "shutdown.noticeSeconds",
    in: 0...600,
    "How long after SIGTERM the process still accepts requests while /readyz reports that it stops, so that balancers "
      + "and other services turn away from it; if unset, 5s, and no time where all services are in one process"
  )
  static let drainSeconds = Setting<Double>(
    seconds: "shutdown.seconds",
    default: 20,
    in: 0...600,
    "Maximum time to finish requests after SIGTERM and the notice"
  )

  static let all: [any SettingDescription] =
    [
      host, port, data, logLevel, logFormat, metricsHost, metricsPort, databaseURL, databaseConnections,
      databaseReplicaURL, databasePooled, databaseRequestSeconds, databaseBackgroundSeconds, databaseWaitSeconds,
      serviceURL,
      dataKeys, readyDependencies, tlsCertificate, tlsKey, tlsReloadSeconds, headSeconds, bodySeconds,
      answerSeconds, writeSeconds, idleSeconds, maxConnections,
      trustedProxies, connectionsPerAddress, redirectPort, operationsToken, telemetryURL, telemetryShare,
      buildVersion, auditDays, queueSeconds, noticeSeconds, drainSeconds, BackupSettings.key,
    ] + ServiceSettings.all + BusSettings.all

  /// 1000 above the public port.
  static func defaultMetricsPort(for port: Int) -> Int { port == 0 ? 0 : min(65_535, port + 1000) }

  /// The URLs of a service of the platform.
  static func url(of service: String) -> Setting<[String]?> {
    Setting(
      "services.\(service).url",
      default: .some(nil),
      expects: "a URL such as http://\(service):8080; several instances separated by commas",
      "URL of the service \(service), if it is in another process; a name with several addresses is several instances"
    ) { text in
      let urls = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      let areURLs = urls.allSatisfy { url in
        (url.hasPrefix("http://") || url.hasPrefix("https://")) && !url.dropFirst(8).contains("/")
      }
      return areURLs && !urls.isEmpty ? .some(urls) : nil
    }
  }

  static func connectionLimits(_ settings: Settings) throws(SettingError) -> ConnectionLimits {
    var limits = ConnectionLimits()
    limits.headSeconds = try settings[headSeconds]
    limits.bodySeconds = try settings[bodySeconds]
    // A longer wait for a body may also be a single pause.
    limits.stallSeconds = max(limits.stallSeconds, limits.bodySeconds)
    limits.answerSeconds = try settings[answerSeconds]
    limits.writeSeconds = try settings[writeSeconds]
    limits.idleSeconds = try settings[idleSeconds]
    limits.maxConnections = try settings[maxConnections]
    return limits
  }

  static func databaseLimits(_ settings: Settings) throws(SettingError) -> DatabaseLimits {
    var limits = DatabaseLimits()
    limits.requestSeconds = try settings[databaseRequestSeconds]
    limits.backgroundSeconds = try settings[databaseBackgroundSeconds]
    limits.waitSeconds = try settings[databaseWaitSeconds]
    return limits
  }

  /// The certificate's files; `nil` for cleartext.
  static func tlsFiles(_ settings: Settings) throws(SettingError) -> TLSFiles? {
    switch (try settings[tlsCertificate], try settings[tlsKey]) {
    case (nil, nil): nil
    case (let certificate?, let key?): TLSFiles(certificateChain: certificate, privateKey: key)
    case (nil, _): throw SettingError(tlsCertificate, "is not set, but tls.key is")
    case (_, nil): throw SettingError(tlsKey, "is not set, but tls.certificate is")
    }
  }
}
