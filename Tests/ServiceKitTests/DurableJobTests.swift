import Contracts
import Persistence
import Synchronization
import TestKit
import Testing

@testable import ServiceKit

/// Jobs that are replaced while they run, dropped, and run by several instances.
@Suite(.serialized)
struct DurableJobTests {
  private static let settings = ["services.auth.url": "http://127.0.0.1:1"]

  private func run(
    on kind: TestDatabase, time: ManualTime? = ManualTime(),
    _ body: (ServiceEnvironment, any Database, ManualTime) async throws -> Void
  ) async throws {
    try await TestPlatform.run([JobsPlugin.self], settings: Self.settings, database: kind, time: time) {
      test async throws in
      let environment = try test.plugin(JobsPlugin.self).environment
      try await body(environment, environment.database, test.time)
    }
  }

  private final class Log: Sendable {
    private let texts = Mutex<[String]>([])
    func add(_ text: String) { texts.withLock { $0.append(text) } }
    var all: [String] { texts.withLock { $0 } }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDroppedJobIsShownAndCanBeRetried(on kind: TestDatabase) async throws {
    try await run(on: kind) { environment, database, time async throws in
      let isFixed = Mutex(false)
      let jobs = try DurableJobs<String>("test", environment, attempts: 2) { _, _ in
        isFixed.withLock { $0 } ? .done : .retry(afterSeconds: 1)
      }
      let queues = JobQueues(of: "test", database)
      let later = time.source.now().advanced(bySeconds: 1e6)
      try await database.write { tx in
        try jobs.add("secret", id: "one", in: tx)
        try jobs.add("secret", id: "later", dueAt: later, in: tx)
      }
      #expect(try await jobs.runOnce() == 1)
      time.advance(seconds: 1)
      #expect(try await jobs.runOnce() == 1)
      let droppedAt = time.source.now()
      time.advance(seconds: 86_400)
      #expect(try await jobs.runOnce() == 0)
      #expect(
        try await queues.dropped() == [
          .init(id: "one", kind: "test", attempts: 2, failure: "too many attempts", droppedAt: droppedAt)
        ])
      #expect(
        try await queues.list() == [
          .init(kind: "test", due: 0, later: 1, dropped: 1, oldestSeconds: 0, nextAt: later)
        ])

      #expect(try await queues.retry("other") == 0)
      #expect(try await queues.retry(kind: "other") == 0)
      isFixed.withLock { $0 = true }
      #expect(try await queues.retry("one") == 1)
      #expect(try await jobs.runOnce() == 1)
      #expect(try await queues.dropped() == [])
      #expect(try await database.read { db in try db.values("SELECT id FROM jobs", as: String.self) } == ["later"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func droppedJobsAreDeletedAfterAMonthAndReplacedByNewOnes(on kind: TestDatabase) async throws {
    try await run(on: kind) { environment, database, time async throws in
      let jobs = try DurableJobs<String>("test", environment) { payload, _ in
        payload == "bad" ? .drop(reason: "it is bad") : .done
      }
      let queues = JobQueues(of: "test", database)
      try await database.write { tx in
        for id in ["one", "two"] { try jobs.add("bad", id: id, in: tx) }
      }
      while try await jobs.runOnce() > 0 {}
      #expect(try await queues.dropped().map(\.failure) == ["it is bad", "it is bad"])
      try await database.write { tx in try jobs.add("good", id: "two", in: tx) }
      #expect(try await queues.dropped().map(\.id) == ["one"])
      #expect(try await jobs.runOnce() == 1)
      time.advance(seconds: JobQueues.keptSeconds - 1)
      try await queues.purge()
      #expect(try await queues.dropped().map(\.id) == ["one"])
      time.advance(seconds: 2)
      try await queues.purge()
      #expect(try await database.read { db in try db.count("SELECT COUNT(*) FROM jobs") } == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aJobBelongsToTheTraceOfItsCause(on kind: TestDatabase) async throws {
    try await run(on: kind) { environment, database, _ async throws in
      let log = Log()
      let jobs = try DurableJobs<String>("test", environment) { payload, _ in
        log.add("\(payload) \(TraceContext.current?.traceID ?? "none")")
        return .done
      }
      let trace = TraceContext()
      try await TraceContext.$current.withValue(trace) { try await database.write { tx in try jobs.add("a", in: tx) } }
      #expect(try await jobs.runOnce() == 1)
      try await database.write { tx in try jobs.add("b", in: tx) }
      #expect(try await jobs.runOnce() == 1)
      let (first, second) = (log.all.first, log.all.last)
      #expect(first == "a \(trace.traceID)")
      // Without a cause, a trace begins.
      #expect(second?.wholeMatch(of: /b [0-9a-f]{32}/)?.output.count == 34)
      #expect(second?.hasSuffix(trace.traceID) == false)
    }
  }

  /// One of them never ends, such as that of a mail server that does not respond.
  @Test(arguments: TestDatabase.allCases)
  func aSlowJobDelaysNoOther(on kind: TestDatabase) async throws {
    try await run(on: kind, time: nil) { environment, database, _ async throws in
      let log = Log()
      let jobs = try DurableJobs<String>("test", environment, concurrency: 2) { payload, _ in
        if payload == "slow" { try await Task.sleep(for: .seconds(86_400)) }
        log.add(payload)
        return .done
      }
      let running = Task { try await jobs.run() }
      try await database.write { tx in try jobs.add("slow", in: tx) }
      for round in 0..<3 {
        try await database.write { tx in
          for number in 0..<5 { try jobs.add("\(round) \(number)", in: tx) }
        }
        try await eventually("the others run") { log.all.count == 5 * (round + 1) }
      }
      #expect(Set(log.all).count == 15)
      running.cancel()
      _ = await running.result
    }
  }

  /// The end of a service is no failure of its jobs.
  @Test(arguments: TestDatabase.allCases)
  func aJobThatIsStoppedInItsLastAttemptRunsAgain(on kind: TestDatabase) async throws {
    try await run(on: kind) { environment, database, _ async throws in
      let (starts, started) = AsyncStream.makeStream(of: Void.self)
      let stopping = try DurableJobs<String>("test", environment, attempts: 1) { _, _ in
        started.yield()
        try await Task.sleep(for: .seconds(86_400))
        return .done
      }
      try await database.write { tx in try stopping.add("a", in: tx) }
      let run = Task { try await stopping.runOnce() }
      for await _ in starts { break }
      run.cancel()
      _ = await run.result
      let log = Log()
      let next = try DurableJobs<String>("test", environment, attempts: 1) { payload, job in
        log.add("\(payload) \(job.attempt)")
        return .done
      }
      #expect(try await next.runOnce() == 1)
      #expect(log.all == ["a 1"])
    }
  }

  /// Added by one instance while the other one waits.
  @Test func twoInstancesRunEachJobOnce() async throws {
    try await TestPlatform.runTwo([JobsPlugin.self], settings: Self.settings, clocks: [.system, .system]) {
      one, other async throws in
      let log = Log()
      let instances = try [one, other].map { test in
        try DurableJobs<String>("test", test.plugin(JobsPlugin.self).environment, concurrency: 4) { payload, _ in
          log.add(payload)
          return .done
        }
      }
      let running = instances.map { jobs in Task { try await jobs.run() } }
      let database = try one.database(of: JobsAPI.self)
      _ = try await concurrently(0..<20) { round in
        try await database.write { tx in
          for number in 0..<10 { try instances[0].add("\(round) \(number)", in: tx) }
        }
      }
      try await eventually("all jobs are done") {
        try await database.read { db in try !db.exists("SELECT 1 FROM jobs") }
      }
      #expect(log.all.count == 200)
      #expect(Set(log.all).count == 200)
      for task in running { task.cancel() }
      for task in running { _ = await task.result }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aRunOfAReplacedJobLeavesTheNewOne(on kind: TestDatabase) async throws {
    try await TestPlatform.run([JobsPlugin.self], settings: ["services.auth.url": "http://127.0.0.1:1"], database: kind)
    { test async throws in
      let environment = try test.plugin(JobsPlugin.self).environment
      let database = try environment.database
      let other = try DurableJobs<String>("test", environment) { _, _ in .retry(afterSeconds: 1000) }
      let jobs = try DurableJobs<String>("test", environment) { payload, job in
        try await database.write { tx in try other.add("second", id: job.id, in: tx) }
        // The new one is running, too, when this run completes.
        #expect(try await other.runOnce() == 1)
        #expect(try await database.write { tx in try job.complete(in: tx) } == false)
        return .done
      }
      try await database.write { tx in try jobs.add("first", id: "one", in: tx) }
      #expect(try await jobs.runOnce() == 1)
      #expect(try await database.read { db in try db.count("SELECT COUNT(*) FROM jobs") } == 1)

      test.time.advance(seconds: 1001)
      let last = try DurableJobs<String>("test", environment) { payload, _ in
        #expect(payload == "second")
        return .done
      }
      #expect(try await last.runOnce() == 1)
      #expect(try await database.read { db in try db.count("SELECT COUNT(*) FROM jobs") } == 0)
    }
  }
}

enum JobsAPI: ServiceAPI {
  static let name = "jobs"
  static let summary = "Nothing but jobs"
  static let endpoints: [any Endpoint.Type] = []
}

/// A service with jobs only.
struct JobsPlugin: ServicePlugin {
  static let manifest = Manifest(
    name: JobsAPI.name, api: JobsAPI.self,
    migrations: [Migration("jobs-001", why: "a database", ["CREATE TABLE things (id BIGINT PRIMARY KEY)"])])

  let features: [any Feature] = []
  let environment: ServiceEnvironment

  init(environment: ServiceEnvironment) { self.environment = environment }
}
