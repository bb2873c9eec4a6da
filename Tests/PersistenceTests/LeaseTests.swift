import Contracts
import Logging
import TestKit
import Testing

@testable import Persistence

/// The process that has a right that one at a time can have.
struct LeaseTests {
  private func run(
    on kind: TestDatabase, _ body: (any Database, ManualTime) async throws -> Void
  ) async throws {
    let time = ManualTime()
    try await kind.run(time: time.source) { database async throws in
      try await database.migrate(PlatformMigrations.all, logger: Logger(label: "test"))
      try await body(database, time)
    }
  }

  private func lease(of holder: String, in database: any Database) -> Lease {
    Lease("upkeep", holder: holder, seconds: 15, in: database)
  }

  @Test(arguments: TestDatabase.allCases)
  func oneHolderAtATime(on kind: TestDatabase) async throws {
    try await run(on: kind) { database, time async throws in
      let (one, other) = (lease(of: "one", in: database), lease(of: "other", in: database))
      #expect(try await one.take()?.token == 1)
      #expect(try await other.take() == nil)
      // Renewed, it is the same grant.
      time.advance(seconds: 14)
      #expect(try await one.take()?.token == 1)
      time.advance(seconds: 14)
      #expect(try await other.take() == nil)
      time.advance(seconds: 1)
      #expect(try await other.take()?.token == 2)
      #expect(try await one.take() == nil)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aReleasedLeaseIsFreeAtOnceAndWakesOthers(on kind: TestDatabase) async throws {
    try await run(on: kind) { database, _ async throws in
      let (one, other) = (lease(of: "one", in: database), lease(of: "other", in: database))
      let first = try #require(try await one.take())
      let wakeUp = database.wakeUps.make(on: Lease.topic)
      // Without effect, because it holds nothing.
      try await other.release()
      #expect(try await other.take() == nil)
      try await one.release()
      await wakeUp.wait(atMost: .seconds(Waiting.limit))
      let second = try #require(try await other.take())
      #expect(second.token == first.token + 1)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func manyWhoWantItGetItOnce(on kind: TestDatabase) async throws {
    try await run(on: kind) { database, time async throws in
      for token in 1...3 {
        let grants = try await concurrently(0..<12) { number in
          try await retryingConflicts { try await lease(of: "\(token) \(number)", in: database).take() }
        }
        #expect(grants.compactMap { $0?.token } == [Int64(token)])
        time.advance(seconds: 15)
      }
    }
  }

  /// A process was paused for longer than its lease, and does not know.
  @Test(arguments: TestDatabase.allCases)
  func theLastHolderCannotWriteAnyMore(on kind: TestDatabase) async throws {
    try await run(on: kind) { database, time async throws in
      let old = try #require(try await lease(of: "one", in: database).take())
      try await database.write { tx in try tx.require(old) }
      time.advance(seconds: 15)
      let new = try #require(try await lease(of: "other", in: database).take())
      try await database.write { tx in try tx.require(new) }
      let error = await #expect(throws: DatabaseError.self) { try await database.write { tx in try tx.require(old) } }
      #expect(error?.kind == .leaseLost)
    }
  }

  @Test func everyTransactionOfATaskRequiresItsLease() async throws {
    try await run(on: .postgresql) { database, time async throws in
      // Services have their database in a wrapper, by which it is observed.
      let old = try #require(try await lease(of: "one", in: RecordingDatabase(database)).take())
      time.advance(seconds: 15)
      _ = try await lease(of: "other", in: database).take()
      let error = await #expect(throws: DatabaseError.self) {
        try await Lease.$required.withValue(old) { try await database.write { _ in } }
      }
      #expect(error?.kind == .leaseLost)
      // Another database has leases of its own, also when the same task writes to it.
      try await run(on: .postgresql) { second, _ async throws in
        try await Lease.$required.withValue(old) { _ = try await second.write { _ in } }
      }
    }
  }

  /// The clocks of machines may be wrong by days.
  @Test(arguments: [-86_400.0, 86_400])
  func onlyTheDatabasesClockEndsALease(skew: Double) async throws {
    try await TestDatabase.postgresql.run { database async throws in
      try await database.migrate(PlatformMigrations.all, logger: Logger(label: "test"))
      let schema: String = try #require(
        try await database.read { db in try db.value("SELECT CAST(current_schema() AS TEXT)") })
      let wrong = try PostgresDatabase(
        url: TestDatabase.postgresURL(), schema: schema,
        time: TimeSource(isLocal: true) { TimeSource.system.now().advanced(bySeconds: skew) })
      try await attempt {
        let lease = Lease("upkeep", holder: "one", seconds: 3600, in: database)
        let other = Lease("upkeep", holder: "other", seconds: 3600, in: wrong)
        #expect(try await lease.take()?.token == 1)
        #expect(try await other.take() == nil)
        try await lease.release()
        #expect(try await other.take()?.token == 2)
        #expect(try await lease.take() == nil)
      } finally: {
        await wrong.close()
      }
    }
  }
}
