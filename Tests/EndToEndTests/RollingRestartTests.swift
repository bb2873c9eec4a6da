import Contracts
import CurlClient
import Foundation
import Logging
import Synchronization
import TestKit
import Testing

@testable import ServiceKit

/// Two instances of every service and of the gateway share a PostgreSQL database; all are restarted under load.
@Suite(.serialized, .long)
struct RollingRestartTests {
  private static let services = ["auth", "catalog", "orders", "matching", "study-sync", "media-index"]

  /// No repeatable request fails, and what was acknowledged is there.
  @Test func aRollingRestartIsNotNoticed() async throws {
    try await TestDatabase.postgresql.withSettings { database in
      try await TemporaryFolder.run { folder in
        try await Command.run([
          "openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out",
          "\(folder)/signing.pem",
        ])
        let settings = [
          "DATABASE_URL": database["database.url"] ?? "", "DATABASE_CONNECTIONS": "2",
          "DATA_KEYS": database["data.keys"] ?? "", "DATA": folder, "LOG_LEVEL": "error",
          "AUTH_SIGNING_KEYS_FILE": "\(folder)/signing.pem", "LIMITS_READ": "0/1", "LIMITS_WRITE": "0/1",
          "LIMITS_SEARCH": "0/1",
          // Longer than the others need to learn of it.
          "SHUTDOWN_NOTICE_SECONDS": "10", "SHUTDOWN_SECONDS": "300",
        ]
        let pair = try await Machines(Self.services, settings)
        try await attempt {
          try await restart(pair)
        } finally: {
          await pair.kill()
        }
      }
    }
  }

  private func restart(_ machines: Machines) async throws {
    try await CurlClient.running { http in
      // The balancer in front of the gateways, which asks them whether they are ready as the gateways ask services.
      let upstreams = Upstreams(
        remotes: ["gateway": machines.gateways], http: http, identity: .inMemory(time: .system))
      let balancer = Task {
        let check = InstanceHealthCheck(
          upstreams: upstreams, logger: Logger(label: "balancer") { _ in SwiftLogNoOpLogHandler() })
        while !Task.isCancelled {
          await check.checkAll()
          try? await Task.sleep(for: .seconds(0.5))
        }
      }
      defer { balancer.cancel() }
      for url in machines.gateways {
        try await APIClient(transport: CurlTransport(client: http, origin: url)).waitForServices()
      }
      let client = APIClient(transport: UpstreamTransport(name: "gateway", upstreams: upstreams))
      let load = Load()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          let session = try await client.signUp("user\(number)")
          group.addTask { await load.run(as: client.with(accessToken: session.accessToken)) }
        }
        for turn in 0..<2 {
          let before = load.served
          try await eventually("all users are served") { load.served > before + 200 }
          try await machines.restart(turn)
        }
        let before = load.served
        try await eventually("all users are served") { load.served > before + 200 }
        load.stop()
        try await group.waitForAll()
      }
      #expect(load.failures == [])
      for (client, ids) in load.acknowledged {
        #expect(try await sets(of: client) == ids)
      }
    }
  }

  private func sets(of client: APIClient) async throws -> Set<StudySetID> {
    var ids: Set<StudySetID> = []
    var cursor: String?
    repeat {
      let page = try await client.send(StudyAPI.ListSets(limit: PageSize(100), cursor: cursor))
      ids.formUnion(page.items.map { $0.id })
      cursor = page.nextCursor
    } while cursor != nil
    return ids
  }
}

/// The load that users cause while the services restart.
private final class Load: Sendable {
  private struct State {
    var isStopped = false
    var served = 0
    var failures: [String] = []
    var acknowledged: [(client: APIClient, sets: Set<StudySetID>)] = []
  }

  private let state = Mutex(State())

  var served: Int { state.withLock { $0.served } }
  var failures: [String] { state.withLock { $0.failures } }
  var acknowledged: [(client: APIClient, sets: Set<StudySetID>)] { state.withLock { $0.acknowledged } }

  func stop() { state.withLock { $0.isStopped = true } }

  /// Reads from every service, and creates study sets with keys, until the load stops.
  func run(as client: APIClient) async {
    var sets: Set<StudySetID> = []
    while !state.withLock({ $0.isStopped }) {
      await attempt(AuthAPI.GetMe(), client)
      await attempt(CatalogAPI.ListListings(), client)
      await attempt(OrdersAPI.GetCart(), client)
      await attempt(MatchingAPI.ListConversations(), client)
      await attempt(MediaAPI.ListMedia(), client)
      if let set = await attempt(StudyAPI.CreateSet(title: .example), client, key: UUID().uuidString) {
        sets.insert(set.id)
      }
    }
    state.withLock { [sets] in $0.acknowledged.append((client, sets)) }
  }

  @discardableResult
  private func attempt<E: Endpoint>(_ endpoint: E, _ client: APIClient, key: String? = nil) async -> E.Response? {
    do throws(CallError) {
      let response = try await client.send(endpoint, idempotencyKey: key)
      state.withLock { $0.served += 1 }
      return response
    } catch {
      state.withLock { $0.failures.append("\(E.self): \(error)") }
      return nil
    }
  }
}

/// Two machines with an instance of every service and a gateway each.
private actor Machines {
  private let settings: [String: String]
  /// The ports of each name's two instances.
  private let ports: [String: [Int]]
  private var running: [String: [ServiceProcess]] = [:]

  nonisolated let gateways: [String]

  init(_ services: [String], _ settings: [String: String]) async throws {
    var ports: [String: [Int]] = [:]
    for name in services + ["gateway"] { ports[name] = [try reservedPort(), try reservedPort()] }
    (self.settings, self.ports) = (settings, ports)
    gateways = (ports["gateway"] ?? []).map { "http://127.0.0.1:\($0)" }
    // The first ones make the tables.
    do {
      for machine in 0..<2 {
        for name in services + ["gateway"] { running[name, default: []].append(try await start(name, machine)) }
      }
    } catch {
      await kill()
      throw error
    }
  }

  private func start(_ name: String, _ machine: Int) async throws -> ServiceProcess {
    var own = settings
    if let ports = ports[name] { own["PORT"] = String(ports[machine]) }
    for (other, ports) in ports where other != name && other != "gateway" {
      let urls = ports.map { "http://127.0.0.1:\($0)" }.joined(separator: ",")
      own[ServiceHost.environmentVariable(of: "services.\(other).url")] = urls
    }
    return try await ServiceProcess(name, settings: own)
  }

  /// Stops all instances of a machine as a deployment does, and starts them again.
  func restart(_ machine: Int) async throws {
    let stopping = running.mapValues { $0[machine] }
    let statuses = try await concurrently(stopping) { name, process in (name, await process.terminate()) }
    for (name, status) in statuses { #expect(status == 0, "\(name)") }
    for name in running.keys.sorted() { running[name]?[machine] = try await start(name, machine) }
  }

  func kill() async {
    for process in running.values.joined() { await process.kill() }
  }
}
