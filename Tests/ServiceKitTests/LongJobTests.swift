import Contracts
import Persistence
import Synchronization
import TestKit
import Testing

@testable import ServiceKit

@Suite(.serialized)
struct LongJobTests {
  private func run(on kind: TestDatabase, _ body: (ServiceEnvironment, ManualTime) async throws -> Void) async throws {
    try await TestPlatform.run(
      [LongJobsPlugin.self], settings: ["services.auth.url": "http://127.0.0.1:1"], database: kind
    ) { test async throws in
      try await body(test.plugin(LongJobsPlugin.self).environment, test.time)
    }
  }

  private static func user(_ number: Int) throws -> UserID {
    try #require(UserID("00000000-0000-7000-8000-00000000000\(number)"))
  }

  /// Names of jobs in the order in which they ran.
  private final class Log: Sendable {
    private let names = Mutex<[String]>([])
    func add(_ name: String) { names.withLock { $0.append(name) } }
    var all: [String] { names.withLock { $0 } }
  }

  @Test(arguments: TestDatabase.allCases)
  func usersTakeTurns(on kind: TestDatabase) async throws {
    try await run(on: kind) { environment, time in
      let log = Log()
      let jobs = try LongJobs<String>("long", environment, concurrency: 1, attempts: 3) { name, _ in
        log.add(name)
        return .done
      }
      let pending = PendingJobs<String>("long", environment)
      let (first, second, third) = (try Self.user(2), try Self.user(1), try Self.user(3))
      try await environment.database.write { tx in
        for number in 0..<200 { try pending.add("first \(number)", person: first, in: tx) }
      }
      _ = try await jobs.runOnce()
      time.advance(seconds: 1)
      try await environment.database.write { tx in
        for number in 0..<2 { try pending.add("second \(number)", person: second, in: tx) }
        try pending.add("third 0", person: third, in: tx)
      }
      for _ in 0..<6 { #expect(try await jobs.runOnce() == 1) }
      let owners = log.all.map { $0.split(separator: " ")[0] }
      #expect(owners == ["first", "third", "second", "first", "second", "first", "first"])
      while try await jobs.runOnce() > 0 {}
      #expect(Set(log.all).count == 203)
    }
  }

  /// Never returns, as the job of a process that is killed.
  private static func hang() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    for await _ in stream {}
    continuation.finish()
    throw CancellationError()
  }

  @Test(arguments: TestDatabase.allCases)
  func theJobOfADeadProcessRunsAgain(on kind: TestDatabase) async throws {
    try await run(on: kind) { environment, time in
      let (starts, started) = AsyncStream.makeStream(of: Void.self)
      // It renews nothing while the test runs, however long that takes.
      let dying = try LongJobs<String>(
        "long", environment, concurrency: 1, attempts: 3, renewal: .seconds(86_400)
      ) { _, _ in
        started.yield()
        try await Self.hang()
        return .done
      }
      let log = Log()
      let other = try LongJobs<String>("long", environment, concurrency: 1, attempts: 3) { name, job in
        log.add("\(name) \(job.attempt)")
        return .done
      }
      let pending = PendingJobs<String>("long", environment)
      try await environment.database.write { tx in try pending.add("a", person: Self.user(1), in: tx) }
      let run = Task { try await dying.runOnce() }
      for await _ in starts { break }
      #expect(try await other.runOnce() == 0)
      time.advance(seconds: 121)
      #expect(try await other.runOnce() == 1)
      #expect(log.all == ["a 2"])
      run.cancel()
      _ = await run.result
      #expect(try await environment.database.read { db in try db.count("SELECT COUNT(*) FROM jobs") } == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aClaimIsRenewedWhileTheJobRuns(on kind: TestDatabase) async throws {
    try await run(on: kind) { environment, time in
      let (starts, started) = AsyncStream.makeStream(of: Void.self)
      let slow = try LongJobs<String>(
        "long", environment, concurrency: 1, attempts: 3, renewal: .milliseconds(5)
      ) { _, _ in
        started.yield()
        try await Self.hang()
        return .done
      }
      let other = try LongJobs<String>("long", environment, concurrency: 1, attempts: 3) { _, _ in .done }
      let pending = PendingJobs<String>("long", environment)
      try await environment.database.write { tx in try pending.add("a", person: Self.user(1), in: tx) }
      let run = Task { try await slow.runOnce() }
      for await _ in starts { break }
      for _ in 0..<3 {
        time.advance(seconds: 100)
        let now = time.source.now()
        try await eventually("the claim is renewed") {
          try await environment.database.read { db in
            try db.exists("SELECT 1 FROM jobs WHERE due_at > \(now.advanced(bySeconds: 110))")
          }
        }
        #expect(try await other.runOnce() == 0)
      }
      run.cancel()
      _ = await run.result
    }
  }

  private struct Unreachable: Error {}

  /// The database is away for a while.
  @Test func aJobOutlivesRenewalsThatFail() async throws {
    let (renewals, renewed) = AsyncStream.makeStream(of: Int.self)
    let count = Mutex(0)
    let outcome = try await LongJob.run(
      every: .milliseconds(1), until: .seconds(3600),
      renew: {
        let number = count.withLock { count in
          count += 1
          return count
        }
        renewed.yield(number)
        if number <= 3 { throw Unreachable() }
        return true
      }
    ) {
      for await number in renewals where number > 4 { break }
      return "done"
    }
    #expect(outcome == "done")
  }

  @Test func aJobEndsWhenItsClaimMayHaveExpired() async throws {
    await #expect(throws: Unreachable.self) {
      try await LongJob.run(
        every: .milliseconds(1), until: .milliseconds(20), renew: { throw Unreachable() }
      ) { try await Self.hang() }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aJobThatIsStoppedRunsAgainAtOnce(on kind: TestDatabase) async throws {
    try await run(on: kind) { environment, _ in
      let (starts, started) = AsyncStream.makeStream(of: Void.self)
      let stopping = try LongJobs<String>("long", environment, concurrency: 1, attempts: 3) { _, _ in
        started.yield()
        try await Self.hang()
        return .done
      }
      let log = Log()
      let next = try LongJobs<String>("long", environment, concurrency: 1, attempts: 3) { name, job in
        log.add("\(name) \(job.attempt)")
        return .done
      }
      let pending = PendingJobs<String>("long", environment)
      try await environment.database.write { tx in try pending.add("a", person: Self.user(1), in: tx) }
      let run = Task { try await stopping.runOnce() }
      for await _ in starts { break }
      run.cancel()
      _ = await run.result
      #expect(try await next.runOnce() == 1)
      #expect(log.all == ["a 1"])
    }
  }
}

private enum LongJobsAPI: ServiceAPI {
  static let name = "jobs"
  static let summary = "Nothing but jobs"
  static let endpoints: [any Endpoint.Type] = []
}

private struct LongJobsPlugin: ServicePlugin {
  static let manifest = Manifest(
    name: LongJobsAPI.name, api: LongJobsAPI.self,
    migrations: [Migration("jobs-001", why: "a database", ["CREATE TABLE things (id BIGINT PRIMARY KEY)"])])

  let features: [any Feature] = []
  let environment: ServiceEnvironment

  init(environment: ServiceEnvironment) { self.environment = environment }
}
