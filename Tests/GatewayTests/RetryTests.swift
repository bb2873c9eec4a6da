import Contracts
import CurlClient
import HTTPTypes
import Synchronization
import TestKit
import Testing

@testable import ServiceKit

/// The instances that get requests, and the requests that are sent twice.
@Suite(.serialized)
struct RetryTests {
  // MARK: the budget

  @Test func aTenthOfTheRequestsMayBeSentAgain() {
    var budget = RetryBudget()
    func retries() -> Int {
      var count = 0
      while budget.take() { count += 1 }
      return count
    }
    // The reserve of a service that gets few requests.
    #expect(retries() == 10)
    for _ in 0..<9 { budget.add() }
    #expect(retries() == 0)
    budget.add()
    #expect(retries() == 1)
    for _ in 0..<100_000 { budget.add() }
    #expect(retries() == 1000)
    #expect(budget.retries == 1011)
    #expect(budget.refused == 4)
  }

  // MARK: instances

  /// An instance that has lost its database answers fastest.
  @Test func unavailableInstancesAreEjected() throws {
    let time = ManualTime()
    let instances = Instances(["http://a", "http://b"], clock: time.seconds)
    let a = instances.all[0]
    for _ in 0..<3 { instances.ended(a, .failed) }
    #expect(instances.ejected == 1)
    #expect((0..<50).allSatisfy { _ in instances.next() != a })
  }

  /// Two overloaded instances keep what they can serve, but an overloaded one does not attract what another could.
  @Test func overloadedInstancesAreNotEjected() throws {
    let time = ManualTime()
    let instances = Instances(["http://a", "http://b"], clock: time.seconds)
    let (a, b) = (instances.all[0], instances.all[1])
    for _ in 0..<100 { instances.ended(a, .overloaded) }
    #expect(instances.ejected == 0)
    // Of two choices, half are twice the same instance, a quarter twice this one.
    var counts = [a: 0, b: 0]
    for _ in 0..<1000 {
      guard let chosen = instances.next() else { continue }
      counts[chosen, default: 0] += 1
      instances.ended(chosen, .served)
    }
    #expect(counts[b, default: 0] > counts[a, default: 0] * 2)
    // A refusal is forgotten soon.
    time.advance(seconds: 20)
    counts = [a: 0, b: 0]
    for _ in 0..<1000 { if let chosen = instances.next() { counts[chosen, default: 0] += 1 } }
    #expect(counts[a, default: 0] > 300)
  }

  @Test func instancesThatAreNotReadyGetNothing() throws {
    let time = ManualTime()
    let instances = Instances(["http://a", "http://b"], clock: time.seconds)
    let (a, b) = (instances.all[0], instances.all[1])
    #expect(instances.probed(a, .notReady))
    #expect(!instances.probed(a, .notReady))
    // Requests that it still serves do not count.
    instances.ended(a, .served)
    time.advance(seconds: 3600)
    #expect((0..<50).allSatisfy { _ in instances.next() == b })
    // One lost answer is no word of the instance.
    #expect(!instances.probed(b, .silent))
    #expect(instances.next() == b)
    #expect(!instances.probed(a, .ready))
    #expect(Set((0..<50).compactMap { _ in instances.next() }) == [a, b])
    // When none is ready, all are tried.
    for instance in [a, b] { #expect(instances.probed(instance, .notReady)) }
    #expect(Set((0..<50).compactMap { _ in instances.next() }) == [a, b])
  }

  /// An instance may report that it is ready and fail every request.
  @Test func healthChecksDoNotEndEjections() throws {
    let time = ManualTime()
    let instances = Instances(["http://a", "http://b"], clock: time.seconds)
    let a = instances.all[0]
    for seconds in [1.0, 2, 4, 8, 16, 30, 30] {
      for _ in 0..<3 { instances.ended(a, .failed) }
      #expect(!instances.probed(a, .ready))
      time.advance(seconds: seconds - 0.5)
      #expect(!instances.probed(a, .ready))
      #expect(instances.ejected == 1)
      time.advance(seconds: 0.6)
      #expect(instances.ejected == 0)
    }
    // Requests that it serves count.
    instances.ended(a, .served)
    for _ in 0..<3 { instances.ended(a, .failed) }
    #expect(instances.ejected == 1)
    time.advance(seconds: 1.1)
    #expect(instances.ejected == 0)
    // One that was away is back as soon as it responds, however long it was away.
    for _ in 0..<20 {
      _ = instances.probed(a, .silent)
      time.advance(seconds: 2)
    }
    _ = instances.probed(a, .silent)
    #expect(instances.ejected == 1)
    #expect(!instances.probed(a, .ready))
    #expect(instances.ejected == 0)
  }

  // MARK: two tries

  /// Servers of one service.
  private func service(
    _ scripts: [@Sendable (ScriptedServer.Connection) -> Void],
    _ body: (Upstreams, Instances) async throws -> Void
  ) async throws {
    let servers = try scripts.map { script in
      try ScriptedServer { connection in while !connection.readHead().isEmpty { script(connection) } }
    }
    defer { for server in servers { server.stop() } }
    try await CurlClient.running { http in
      let upstreams = Upstreams(
        remotes: ["somewhere": servers.map(\.origin)], http: http, identity: .inMemory(time: .system), clock: { 0 })
      guard case .remote(let instances)? = upstreams.find("somewhere") else {
        throw TestKitError("the service is not remote")
      }
      try await body(upstreams, instances)
    }
  }

  private static let patient = ClientRequest.Timeouts(
    connect: Waiting.limit, firstByte: Waiting.limit, total: Waiting.limit)

  private static func request(isRepeatable: Bool) -> ClientRequest {
    ClientRequest(origin: "", timeouts: patient, isRepeatable: isRepeatable)
  }

  private static func refuse(_ connection: ScriptedServer.Connection, _ kind: Problem.Kind) {
    let body = (try? WireJSON.encode(Problem(kind))) ?? []
    connection.answer(
      String(decoding: body, as: UTF8.self), status: "503 Service Unavailable",
      headers: "Content-Type: application/problem+json\r\n")
  }

  @Test func repeatableRequestsAreSentTwiceAtMost() async throws {
    let tries = Counter()
    let refusing: @Sendable (ScriptedServer.Connection) -> Void = { connection in
      tries.add()
      Self.refuse(connection, .unavailable)
    }
    try await service([refusing, refusing, refusing]) { upstreams, instances async throws in
      #expect(try await upstreams.execute(Self.request(isRepeatable: true), on: instances).status == 503)
      #expect(tries.value == 2)
      #expect(try await upstreams.execute(Self.request(isRepeatable: false), on: instances).status == 503)
      #expect(tries.value == 3)
      #expect(instances.retries == 1)
    }
  }

  @Test func anOutageIsNotAnsweredWithMoreRequests() async throws {
    let tries = Counter()
    let refusing: @Sendable (ScriptedServer.Connection) -> Void = { connection in
      tries.add()
      Self.refuse(connection, .unavailable)
    }
    try await service([refusing, refusing]) { upstreams, instances async throws in
      for _ in 0..<300 { _ = try await upstreams.execute(Self.request(isRepeatable: true), on: instances) }
      // The reserve and a tenth.
      #expect(tries.value == 300 + 10 + 30)
      #expect(instances.refusedRetries > 200)
    }
  }

  /// The refusal of the only instance that is ready is better than what one that is not ready would answer.
  @Test func secondTriesGoToInstancesThatAreReady() async throws {
    let tries = Counter()
    let refusing: @Sendable (ScriptedServer.Connection) -> Void = { connection in
      tries.add()
      Self.refuse(connection, .overloaded)
    }
    try await service([refusing, refusing]) { upstreams, instances async throws in
      _ = instances.probed(instances.all[1], .notReady)
      #expect(try await upstreams.execute(Self.request(isRepeatable: true), on: instances).status == 503)
      #expect(tries.value == 1)
      #expect(instances.retries == 0)
      // A lost connection is tried again where requests are served.
      #expect(instances.retry(after: instances.all[0], maySendToSame: true) == instances.all[0])
      // When none is ready, all are tried.
      _ = instances.probed(instances.all[0], .notReady)
      #expect(instances.retry(after: instances.all[0], maySendToSame: true) == instances.all[1])
    }
  }

  /// 503 of an instance that has lost its database: after three of them, all requests go to the other one.
  @Test func theUnavailableInstanceIsLeftAlone() async throws {
    let refused = Counter()
    let refusing: @Sendable (ScriptedServer.Connection) -> Void = { connection in
      refused.add()
      Self.refuse(connection, .unavailable)
    }
    try await service([refusing, { $0.answer("here") }]) { upstreams, instances async throws in
      for _ in 0..<100 {
        #expect(try await upstreams.execute(Self.request(isRepeatable: true), on: instances).status == 200)
      }
      #expect(refused.value == 3)
    }
  }

  /// The second try has what the first one has left of the time.
  @Test func twoTriesShareTheTime() async throws {
    let slow: @Sendable (ScriptedServer.Connection) -> Void = { connection in connection.waitForClose() }
    try await service([slow, slow]) { upstreams, instances async throws in
      var request = Self.request(isRepeatable: true)
      request.timeouts.total = 1
      request.timeouts.firstByte = 1
      let error = await #expect(throws: ClientError.self) { try await upstreams.execute(request, on: instances) }
      #expect(error?.reason == .timedOut)
      #expect(instances.retries == 0)
    }
  }
}
