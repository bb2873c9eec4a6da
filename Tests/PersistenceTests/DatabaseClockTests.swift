import Contracts
import TestKit
import Testing

@testable import Persistence

/// The database's clock, as machines with wrong clocks see it.
struct DatabaseClockTests {
  @Test(arguments: [-86_400.0, 3600])
  func aWrongClockIsCorrected(skew: Double) async throws {
    try await TestDatabase.postgresql.run { database async throws in
      let clock = DatabaseClock(TimeSource(isLocal: true) { TimeSource.system.now().advanced(bySeconds: skew) })
      try await clock.measure(in: database)
      #expect(abs(clock.source.now().seconds(since: TimeSource.system.now())) < 600)
    }
  }
}
