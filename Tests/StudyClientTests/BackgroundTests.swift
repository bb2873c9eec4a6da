import Contracts
import Synchronization
import TestKit
import Testing
import Timing

@testable import StudyClient

/// The synchronization in the background.
struct BackgroundTests {
  /// Fails with the error that it was given, while there is one, and otherwise calls the server.
  final class Unsteady: StudyTransport {
    private let user: TestUser
    private let failure = Mutex<CallError?>(nil)
    let count = Counter()

    init(_ user: TestUser, _ failure: CallError?) {
      self.user = user
      fail(failure)
    }

    func fail(_ error: CallError?) { failure.withLock { $0 = error } }

    func synchronize(_ request: StudyAPI.Sync) async throws(CallError) -> SyncResponse {
      count.add()
      if let error = failure.withLock({ $0 }) { throw error }
      return try await user.client.synchronize(request)
    }
  }

  /// Hints that a test gives.
  final class Hints: SyncHints {
    private let streams = Mutex<[AsyncThrowingStream<Void, any Error>.Continuation]>([])
    let connections = Counter()

    func connect() async throws -> AsyncThrowingStream<Void, any Error> {
      let (stream, continuation) = AsyncThrowingStream.makeStream(of: Void.self)
      streams.withLock { $0.append(continuation) }
      connections.add()
      return stream
    }

    func give() { streams.withLock { for stream in $0 { stream.yield() } } }

    func disconnect() {
      let all = streams.withLock { streams in
        defer { streams = [] }
        return streams
      }
      for stream in all { stream.finish() }
    }
  }

  /// Waits that end at once, except those for the next interval.
  final class Waits: Sendable {
    private let seconds = Mutex<[Double]>([])
    var all: [Double] { seconds.withLock { $0 } }

    func wait(_ seconds: Double) async throws {
      self.seconds.withLock { $0.append(seconds) }
      if seconds >= 900 { try await Task.sleep(for: .seconds(Waiting.limit)) } else { await Task.yield() }
    }
  }

  private static func schedule(_ waits: Waits) -> SyncSchedule {
    var schedule = SyncSchedule()
    schedule.sleep = { try await waits.wait($0) }
    schedule.random = { 1 }
    return schedule
  }

  /// Runs a body while a client synchronizes in the background.
  private static func run(
    failing failure: CallError? = nil, hints: Hints? = nil,
    _ body: (StudyClient, Unsteady, Waits, ClientHost, TestUser) async throws -> Void
  ) async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let transport = Unsteady(ada, failure)
      let client = try host.device(of: ada, transport: transport)
      let waits = Waits()
      let task = Task { await client.run(hints: hints, schedule: schedule(waits)) }
      try await attempt {
        try await body(client, transport, waits, host, ada)
      } finally: {
        task.cancel()
        await task.value
      }
    }
  }

  private static func reach(_ activity: SyncProgress.Activity, _ client: StudyClient) async -> SyncProgress? {
    for await status in client.status where status.activity == activity { return status }
    return nil
  }

  @Test func whatIsDoneOnTheDeviceIsSent() async throws {
    try await Self.run { client, _, _, host, ada in
      _ = await Self.reach(.idle, client)
      let set = try await client.addSet(title: "Latin")
      try await eventually("everything is sent") { try await client.pendingCount() == 0 }
      let tablet = try host.device(of: ada)
      try await tablet.sync()
      #expect(try await tablet.set(set)?.title == "Latin")
    }
  }

  @Test func aHintBringsWhatAnotherDeviceDid() async throws {
    let hints = Hints()
    try await Self.run(hints: hints) { client, _, _, host, ada in
      try await eventually("the hints are connected") { hints.connections.value == 1 }
      _ = await Self.reach(.idle, client)
      let tablet = try host.device(of: ada)
      let set = try await tablet.addSet(title: "Latin")
      try await tablet.sync()
      hints.give()
      try await eventually("the set arrives") { try await client.set(set) != nil }
      hints.disconnect()
      try await eventually("the hints are connected again") { hints.connections.value == 2 }
    }
  }

  @Test func failuresAreRetriedLessAndLessOften() async throws {
    try await Self.run(failing: .notSent("no network")) { client, transport, waits, _, _ in
      try await eventually("some tries") { transport.count.value >= 12 }
      transport.fail(nil)
      _ = await Self.reach(.idle, client)
      #expect(Array(waits.all.prefix(10)) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300])
    }
  }

  @Test func theServersRetryAfterIsRespected() async throws {
    var problem = Problem(.overloaded)
    problem.retryAfter = 40
    try await Self.run(failing: .problem(problem)) { _, transport, waits, _, _ in
      try await eventually("some tries") { transport.count.value >= 3 }
      #expect(Array(waits.all.prefix(2)) == [41, 42])
    }
  }

  @Test func withoutAValidTokenItWaitsForTheUser() async throws {
    try await Self.run(failing: .problem(Problem(.tokenExpired))) { client, transport, waits, _, _ in
      let status = await Self.reach(.needsSignIn, client)
      #expect(status?.pendingOperations == 0)
      #expect(waits.all == [])
      #expect(transport.count.value == 1)
      transport.fail(nil)
      client.wake()
      _ = await Self.reach(.idle, client)
    }
  }

  @Test func theStatusCountsWhatTheServerRefused() async throws {
    try await Self.run { client, _, _, _, _ in
      _ = await Self.reach(.idle, client)
      let set = try await client.addSet(title: "Latin")
      try await client.put(.sets, set.rawValue, ["tags": "no list"])
      for await status in client.status where status.refusedOperations == 1 { break }
      #expect(try await client.refusedOperations().count == 1)
    }
  }

  @Test func delaysHaveJitter() {
    let backoff = Backoff(first: 2, maxDelay: 60)
    #expect(backoff.delay(after: 1, random: 0) == 1)
    #expect(backoff.delay(after: 1, random: 1) == 2)
    #expect(backoff.delay(after: 3, random: 0.5) == 6)
    #expect(backoff.delay(after: 1000, random: 1) == 60)
  }

  /// The loop may be busy while a synchronization stores what it has received.
  @Test func aChangeIsNotForgottenBehindWhatIsReceived() async throws {
    try await ClientHost.run { host async throws in
      let phone = try host.device(of: try await host.user())
      let changes = phone.localChanges.stream()
      _ = try await phone.addSet(title: "Latin")
      try await phone.dismissRefused(phone.newID())
      let noted = Counter()
      let task = Task { for await _ in changes { noted.add() } }
      defer { task.cancel() }
      try await eventually("the change is noted") { noted.value == 1 }
    }
  }
}
