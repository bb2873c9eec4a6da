import Contracts
import Logging
import Persistence
import Synchronization
import TestKit
import Testing

@testable import ServiceKit

/// The work that is done once per platform, by two instances on one PostgreSQL and by one on SQLite.
@Suite(.serialized)
struct LeadershipTests {
  private let logger = Logger(label: "test")

  /// Two instances of a service, on the clock of the system.
  private func two(_ body: (any Database, any Database) async throws -> Void) async throws {
    try await TestPlatform.runTwo(
      [JobsPlugin.self], settings: ["services.auth.url": "http://127.0.0.1:1"], clocks: [.system, .system]
    ) { one, other async throws in
      try await body(one.database(of: JobsAPI.self), other.database(of: JobsAPI.self))
    }
  }

  @Test func theOtherInstanceContinuesWhenTheLeaderStops() async throws {
    try await two { first, second async throws in
      let log = Log()
      let leaderships = [("one", first), ("other", second)].map { name, database in
        (name, Leadership(database, holder: name, logger: logger))
      }
      let running = leaderships.map { name, leadership in
        Task {
          try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await leadership.run() }
            let task = PeriodicTask("sweep", per: .platform, every: .milliseconds(5), logger: logger) { log.add(name) }
            group.addTask { try await task.led(by: leadership).run() }
            try await group.waitForAll()
          }
        }
      }
      try await eventually("one leads") { log.all.count > 10 }
      let leader = try #require(log.all.first)
      #expect(Set(log.all) == [leader])
      running[leader == "one" ? 0 : 1].cancel()
      _ = await running[leader == "one" ? 0 : 1].result
      let count = log.all.count
      try await eventually("the other one leads") { log.all.count > count + 10 }
      #expect(Set(log.all[count...]).count == 1)
      #expect(log.all.last != leader)
      for task in running { task.cancel() }
      for task in running { _ = await task.result }
    }
  }

  @Test func workIsCanceledWhenTheLeaseIsLost() async throws {
    try await two { database, _ async throws in
      let leadership = Leadership(database, holder: "one", logger: logger)
      let running = Task { try await leadership.run() }
      let (starts, started) = AsyncStream.makeStream(of: Void.self)
      let work = Task {
        try await leadership.perform {
          started.yield()
          try await Task.sleep(for: .seconds(86_400))
        }
      }
      for await _ in starts { break }
      // Another process has taken it over, as after a pause of this one.
      try await database.write { tx in
        try tx.execute("UPDATE leases SET holder = 'other', token = token + 1, expires_at = expires_at + 3600000000")
      }
      #expect(try await work.value == nil)
      #expect(!leadership.isLeading)
      running.cancel()
      _ = await running.result
    }
  }

  /// A SQLite file belongs to one process.
  @Test func oneProcessLeadsWithoutALease() async throws {
    try await TestPlatform.run([JobsPlugin.self], settings: ["services.auth.url": "http://127.0.0.1:1"]) {
      test async throws in
      let database = try test.database(of: JobsAPI.self)
      let leadership = Leadership(database, holder: "one", logger: logger)
      #expect(try await leadership.perform { 7 } == 7)
      #expect(try await database.read { db in try db.count("SELECT COUNT(*) FROM leases") } == 0)
    }
  }

  private final class Log: Sendable {
    private let names = Mutex<[String]>([])
    func add(_ name: String) { names.withLock { $0.append(name) } }
    var all: [String] { names.withLock { $0 } }
  }
}
