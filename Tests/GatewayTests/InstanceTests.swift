import AuthService
import Contracts
import CurlClient
import GatewayService
import HTTPTypes
import Logging
import TestKit
import Testing

@testable import ServiceKit

/// Several instances of a service behind the gateway.
@Suite(.serialized)
struct InstanceTests {
  @Test func failingInstancesAreLeftOutAndComeBack() throws {
    let time = ManualTime()
    let instances = Instances(["http://a", "http://b"], clock: time.seconds)
    let (a, b) = (instances.all[0], instances.all[1])
    for _ in 0..<2 { instances.observed(a, isHealthy: false) }
    instances.observed(a, isHealthy: true)
    for _ in 0..<2 { instances.observed(a, isHealthy: false) }
    #expect(instances.ejected == 0)
    instances.observed(a, isHealthy: false)
    #expect(instances.ejected == 1)
    #expect((0..<50).allSatisfy { _ in instances.next() == b })
    // When no instance is healthy, all are tried, but none twice for one request.
    for _ in 0..<3 { instances.observed(b, isHealthy: false) }
    #expect(Set((0..<50).compactMap { _ in instances.next() }) == [a, b])
    #expect(instances.next(without: a) == b)
    time.advance(seconds: 1)
    #expect(instances.ejected == 0)
    // The second ejection lasts longer.
    instances.observed(a, isHealthy: false)
    time.advance(seconds: 1.5)
    #expect(instances.ejected == 1)
    instances.observed(a, isHealthy: true)
    #expect(instances.ejected == 0)
  }

  @Test func theLessBusyOfTwoGetsTheRequest() throws {
    let instances = Instances(["http://a", "http://b"]) { 0 }
    for _ in 0..<1000 { _ = instances.next() }
    // No request ends, so both instances get the same number.
    let a = instances.all[0]
    var counts = [0, 0]
    for _ in 0..<1000 { counts[instances.next() == a ? 0 : 1] += 1 }
    #expect(abs(counts[0] - counts[1]) < 100)
  }

  @Test func instancesKeepTheirPastWhenAddressesChange() {
    let instances = Instances(["http://a"]) { 0 }
    instances.replace(with: [
      .init(origin: "http://a", address: "10.0.0.1:80"), .init(origin: "http://a", address: "10.0.0.2:80"),
    ])
    for _ in 0..<3 { instances.observed(instances.all[0], isHealthy: false) }
    instances.replace(with: [
      .init(origin: "http://a", address: "10.0.0.3:80"), .init(origin: "http://a", address: "10.0.0.1:80"),
    ])
    #expect(instances.ejected == 1)
    instances.replace(with: [])
    #expect(instances.all.count == 2)
  }

  /// A name with two addresses, one of which refuses connections: every request succeeds, and the dead one is ejected.
  @Test func deadAddressesOfANameAreLeftOut() async throws {
    let server = try ScriptedServer { connection in
      while !connection.readHead().isEmpty { connection.answer("here") }
    }
    defer { server.stop() }
    let port = try #require(server.origin.split(separator: ":").last)
    try await CurlClient.running { http in
      // Time stands still, so that the dead address stays ejected.
      let upstreams = Upstreams(
        remotes: ["somewhere": ["http://name.invalid:\(port)"]],
        http: http,
        identity: .inMemory(time: .system),
        clock: { 0 }
      )
      guard case .remote(let instances)? = upstreams.find("somewhere") else {
        throw TestKitError("the service is not remote")
      }
      let origin = instances.origins[0]
      instances.replace(with: ["127.0.0.1", "127.0.0.2"].map { .init(origin: origin, address: "\($0):\(port)") })
      for _ in 0..<50 {
        let timeouts = ClientRequest.Timeouts(connect: Waiting.limit, firstByte: Waiting.limit, total: Waiting.limit)
        let request = ClientRequest(origin: "", timeouts: timeouts, isRepeatable: true)
        let response = try await upstreams.execute(request, on: instances)
        #expect(response.status == 200)
      }
      #expect(instances.ejected == 1)
    }
  }

  /// An instance that does not respond delays no other: all of them are asked at once.
  @Test func allInstancesAreAskedAtOnce() async throws {
    let (asked, allAreAsked) = (Counter(), Gate())
    let servers = try (0..<4).map { _ in
      try ScriptedServer { connection in
        while !connection.readHead().isEmpty {
          asked.add()
          if asked.value == 4 { allAreAsked.open() }
          allAreAsked.wait()
          connection.answer("", status: "503 Service Unavailable")
        }
      }
    }
    defer { for server in servers { server.stop() } }
    try await CurlClient.running { http in
      let origins = servers.map(\.origin)
      let upstreams = Upstreams(
        remotes: ["one": Array(origins[..<2]), "other": Array(origins[2...])], http: http,
        identity: .inMemory(time: .system), clock: { 0 })
      let limits = ClientRequest.Timeouts(connect: Waiting.limit, firstByte: Waiting.limit, total: Waiting.limit)
      let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      await InstanceHealthCheck(upstreams: upstreams, logger: logger, timeouts: limits).checkAll()
      #expect(upstreams.elsewhere.map(\.instances.ejected) == [2, 2])
      #expect(asked.value == 4)
    }
  }

  /// Two auth processes share a database; one is killed under load: no repeatable request fails.
  @Test func oneOfTwoInstancesDiesUnnoticed() async throws {
    try await TestDatabase.postgresql.withSettings { database in
      try await TemporaryFolder.run { folder in
        try await Command.run([
          "openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out",
          "\(folder)/signing.pem",
        ])
        let settings = [
          "DATABASE_URL": database["database.url"] ?? "", "DATA_KEYS": database["data.keys"] ?? "", "DATA": folder,
          "LOG_LEVEL": "error", "AUTH_SIGNING_KEYS_FILE": "\(folder)/signing.pem", "LIMITS_READ": "0/1",
        ]
        let first = try await ServiceProcess("auth", settings: settings)
        try await ServiceProcess.running("auth", settings: settings) { second in
          let urls = ["SERVICES_AUTH_URL": "\(first.url),\(second.url)"]
          try await ServiceProcess.running("gateway", settings: settings.merging(urls) { $1 }) { gateway in
            try await CurlClient.running { try await self.killUnderLoad(first, gateway, $0) }
          }
        }
      }
    }
  }

  private func killUnderLoad(_ victim: ServiceProcess, _ gateway: ServiceProcess, _ http: CurlClient) async throws {
    let client = APIClient(transport: CurlTransport(client: http, origin: gateway.url))
    try await client.waitForServices()
    let session = try await client.send(AuthAPI.SignInAsGuest())
    let me = client.with(accessToken: session.accessToken)
    let served = Counter()
    let failures = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<16 {
        group.addTask {
          var failures: [String] = []
          for _ in 0..<100 {
            do {
              _ = try await me.send(AuthAPI.GetMe())
              served.add()
            } catch { failures.append("\(error)") }
          }
          return failures
        }
      }
      group.addTask {
        try await eventually("the load has started") { served.value > 200 }
        await victim.kill()
        return []
      }
      return try await group.reduce([], +)
    }
    #expect(failures == [])
    #expect(served.value == 1600)
  }
}
