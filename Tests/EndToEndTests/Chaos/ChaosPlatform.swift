import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit

@testable import AuthService

/// The whole platform as separate processes, with the engines that it uses.
struct ChaosPlatform: Sendable {
  enum Form: String, CaseIterable, Sendable, CustomStringConvertible {
    /// One instance of every service.
    case sqlite
    /// Two instances of every service and of the gateway, with PostgreSQL, NATS and Redis.
    case postgresAndNATS

    var description: String { rawValue }
    var instances: Int { self == .sqlite ? 1 : 2 }
  }

  static let services = ["auth", "catalog", "orders", "matching", "study-sync", "media-index"]

  let folder: String
  let gateways: [String]
  let victims: ChaosVictims
  private let keys: SigningKeys
  private let databaseURL: String?

  /// Starts the platform, runs a body and ends all of it.
  static func run(_ form: Form, _ body: (ChaosPlatform) async throws -> Void) async throws {
    try await TemporaryFolder.run { folder in
      let signing = "\(folder)/signing.pem"
      try await Command.run([
        "openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", signing,
      ])
      let keys = try await SigningKeys(pem: String(contentsOfFile: signing, encoding: .utf8))
      var settings = common.merging(["DATA": folder, "AUTH_SIGNING_KEYS_FILE": signing]) { $1 }
      guard form == .postgresAndNATS else {
        return try await run(form, folder, settings, keys, engines: [:], databaseURL: nil, body)
      }
      try await TemporaryFolder.run { home in
        let postgres = ChaosPostgres(folder: home, port: try reservedPort())
        try await postgres.make()
        let redis = try ChaosProgram.redis()
        let toPostgres = try ChaosProgram.link(to: postgres.port, in: folder)
        let started: [any ChaosVictim] = [postgres, redis.program, toPostgres.program]
        for engine in started { try await engine.start() }
        try await attempt {
          try await withNATS { nats in
            let toNATS = try ChaosProgram.link(to: nats.port, in: folder)
            try await toNATS.program.start()
            settings.merge([
              "DATABASE_URL": "\(postgres.url(at: toPostgres.port))?connect_timeout=60", "DATABASE_CONNECTIONS": "4",
              "DATA_KEYS": dataKeys, "BUS_URL": "nats://127.0.0.1:\(toNATS.port)",
              "REDIS_URL": "redis://127.0.0.1:\(redis.port)", "LIMITS_READ": "1000000/60", "LIMITS_WRITE": "1000000/60",
            ]) { $1 }
            try await attempt { [settings] in
              try await run(
                form, folder, settings, keys,
                engines: [
                  "postgresql": postgres, "nats": nats, "redis": redis.program,
                  "link-to-postgresql": toPostgres.program, "link-to-nats": toNATS.program,
                ], databaseURL: postgres.url, body)
            } finally: {
              await toNATS.program.kill()
            }
          }
        } finally: {
          for engine in started {
            _ = try? await engine.resume()
            _ = try? await engine.kill()
          }
        }
      }
    }
  }

  private static let common = [
    "LOG_LEVEL": "critical", "PAYMENTS_TEST": "true", "LIMITS_SIGN_IN": "0/1", "LIMITS_SESSION": "0/1",
    "LIMITS_GUESTS": "0/1", "LIMITS_READ": "0/1", "LIMITS_WRITE": "0/1", "LIMITS_SEARCH": "0/1",
    "MATCHING_MESSAGES": "0/1", "AUTH_REFRESH_REUSE_SECONDS": "60", "UPLOADS_PATIENCE_SECONDS": "300",
    "SHUTDOWN_SECONDS": "300",
  ]

  private static let dataKeys = ["a", "lookup"].enumerated().map { index, name in
    "\(name):\(Data(repeating: UInt8(index + 1), count: 32).base64EncodedString())"
  }.joined(separator: ",")

  private static func run(
    _ form: Form, _ folder: String, _ settings: [String: String], _ keys: SigningKeys,
    engines: [String: any ChaosVictim], databaseURL: String?, _ body: (ChaosPlatform) async throws -> Void
  ) async throws {
    var ports: [String: [Int]] = [:]
    for name in services + ["gateway"] {
      for _ in 0..<form.instances { ports[name, default: []].append(try reservedPort()) }
    }
    var (instances, all): ([ChaosService], [String: any ChaosVictim]) = ([], engines)
    for number in 0..<form.instances {
      for name in services + ["gateway"] {
        let service = ChaosService(name, settings: settings.merging(addresses(for: name, number, ports)) { $1 })
        instances.append(service)
        all["\(name) \(number)"] = service
      }
    }
    try await attempt { [instances, all] in
      for instance in instances { try await instance.start() }
      try await body(
        ChaosPlatform(
          folder: folder, gateways: (ports["gateway"] ?? []).map { "http://127.0.0.1:\($0)" },
          victims: ChaosVictims(all), keys: keys, databaseURL: databaseURL))
    } finally: { [instances] in
      for instance in instances {
        await instance.resume()
        await instance.kill()
      }
    }
  }

  /// Its port, and where it finds the others. Only the gateway knows media-index: the media of listings and profiles are
  /// not looked at, so that the load does not wait for media to be processed.
  private static func addresses(for name: String, _ number: Int, _ ports: [String: [Int]]) -> [String: String] {
    var settings: [String: String] = [:]
    for (other, ports) in ports {
      if other == name { settings["PORT"] = String(ports[number]) }
      if other == name || other == "gateway" || (other == "media-index" && name != "gateway") { continue }
      let urls = ports.map { "http://127.0.0.1:\($0)" }.joined(separator: ",")
      settings[ServiceHost.environmentVariable(of: "services.\(other).url")] = urls
    }
    return settings
  }

  /// The database of a service, besides the service itself.
  func withDatabase<Value>(of service: String, _ body: (any Database) async throws -> Value) async throws -> Value {
    let database: any Database
    if let databaseURL {
      database = try PostgresDatabase(url: databaseURL, schema: service, connections: 2)
    } else {
      database = try SQLiteDatabase(path: "\(folder)/\(service).sqlite")
    }
    return try await attempt {
      try await body(database)
    } finally: {
      await database.close()
    }
  }

  /// A token of the shop's owner, who has no account.
  func ownerToken() async throws -> String {
    let now = TimeSource.system.now().unixSeconds
    let id: UserID = IDGenerator().make()
    return try await keys.sign(
      AccessClaims(
        iss: Issuer.name, sub: id.rawValue, aud: ClientApp.web.rawValue, sid: IDGenerator().text(),
        scope: ClientApp.web.scopeClaim(isStaff: true), roles: [Role.owner.rawValue], iat: now, exp: now + 900,
        jti: IDGenerator().text()))
  }
}

/// All victims; each has one fault at a time.
actor ChaosVictims {
  private let all: [String: any ChaosVictim]
  private var busy: Set<String> = []
  /// The log of actions, for the message of a failure.
  private(set) var log: [String] = []
  private(set) var kills = 0
  private var allowed = 0

  init(_ all: [String: any ChaosVictim]) { self.all = all }

  /// Allows that many further kills.
  func allow(_ kills: Int) { allowed += kills }

  /// Lets a random victim fail and come back.
  ///
  /// - Returns: Whether more kills are allowed.
  func fail(_ fault: ChaosFault, choice: Int, seconds: Double) async throws -> Bool {
    if kills >= allowed { return false }
    let idle = all.keys.filter { !busy.contains($0) }.sorted()
    // Engines fail as often as services, however many instances there are.
    let kinds = Set(idle.map { $0.prefix { $0 != " " } }).sorted()
    let instances = idle.filter { $0.hasPrefix(kinds[choice % kinds.count]) }
    let name = instances[choice / kinds.count % instances.count]
    guard let victim = all[name] else { return true }
    busy.insert(name)
    defer { busy.remove(name) }
    log.append("\(fault.rawValue) \(name)")
    // A random length of the outage.
    let outage = Duration.seconds(seconds)
    switch fault {
    case .pause:
      try await victim.pause()
      try await Task.sleep(for: outage)
      try await victim.resume()
    case .kill:
      kills += 1
      try await victim.kill()
      try await Task.sleep(for: outage)
      try await victim.start()
    case .restart:
      try await victim.stop()
      try await victim.start()
    }
    return kills < allowed
  }
}
