import Contracts
import Logging
import Persistence
import TestKit
import Testing

@testable import ServiceKit

/// The rate limit as a pure value, and its storage in a database.
struct RateLimitTests {
  private static let start = Timestamp.example
  private static func at(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }

  @Test func bucketsFillEvenly() throws {
    let limit = try #require(RateLimit("3/6"))
    var state: RateLimit.State?
    func take(_ seconds: Double) -> RateLimit.Verdict { limit.take(&state, at: Self.at(seconds)) }
    #expect((0..<3).map { _ in take(100).remaining } == [2, 1, 0])
    #expect(take(100) == .init(isAllowed: false, remaining: 0, seconds: 2))
    #expect(take(101.9).isAllowed == false)
    #expect(take(102) == .init(isAllowed: true, remaining: 0, seconds: 6))
    #expect(take(90).isAllowed == false)  // the clock went back
    #expect(take(1000).remaining == 2)
    #expect(["3", "3/0", "-1/1", "x/y", "1/2/3"].allSatisfy { RateLimit($0) == nil })
  }

  @Test func multiplesKeepTheirPeriod() throws {
    #expect(try #require(RateLimit("3/6")).multiplied(by: 10) == RateLimit("30/6"))
    // More than one a microsecond is no limit that could be counted.
    #expect(try #require(RateLimit("1000000/1")).multiplied(by: 10) == RateLimit("1000000/1"))
    #expect(try #require(RateLimit("1000000/1")).multiplied(by: .max) == RateLimit("1000000/1"))
    #expect(try #require(RateLimit("0/1")).multiplied(by: 10).isUnlimited)
  }

  /// Of two requests at once, the one that read the clock first may be counted second.
  @Test(arguments: [RateLimit.Pause.untilOneIsForgotten, .untilAllAreForgotten, .doubling])
  func attemptsAtOnceAreAllowedInAnyOrder(_ pause: RateLimit.Pause) {
    let limit = RateLimit(3, per: 60, pause: pause)
    var state: RateLimit.State?
    #expect(limit.take(&state, at: Self.at(0.001)).isAllowed)
    #expect(limit.take(&state, at: Self.at(0)).isAllowed)
  }

  @Test func pausesLastUntilAllIsForgotten() {
    let limit = RateLimit(5, per: 3600, pause: .untilAllAreForgotten)
    var state: RateLimit.State?
    for _ in 0..<5 { #expect(limit.take(&state, at: Self.at(0)).isAllowed) }
    #expect(limit.take(&state, at: Self.at(600)) == .init(isAllowed: false, remaining: 0, seconds: 3000))
    #expect(limit.take(&state, at: Self.at(3600)).remaining == 4)
  }

  @Test func pausesDoubleUpToAQuarterOfAnHour() {
    let limit = RateLimit(5, per: 9000, pause: .doubling)
    var state: RateLimit.State?
    var now = Self.start
    let pauses = (1...1000).map { _ in
      #expect(limit.take(&state, at: now).isAllowed)
      let next = max(now, state?.blockedUntil ?? now)
      defer { now = next }
      return next.seconds(since: now)
    }
    #expect(pauses.prefix(9) == [0, 0, 0, 0, 1, 2, 4, 8, 16])
    #expect(pauses.dropFirst(14).allSatisfy { $0 == 900 })
  }

  /// In any sequence of attempts: no period has more than the attempts allowed at once plus those forgotten meanwhile; a
  /// caller who waits as long as the refusal says is allowed; and a refusal changes nothing.
  @Test(arguments: [RateLimit.Pause.untilOneIsForgotten, .untilAllAreForgotten, .doubling])
  func limitsHold(_ pause: RateLimit.Pause) {
    var generator = SeededGenerator()
    for _ in 0..<200 {
      let limit = RateLimit(
        .random(in: 1...20, using: &generator), per: .random(in: 1...3600, using: &generator), pause: pause)
      var state: RateLimit.State?
      var now = Self.start
      var allowed: [Timestamp] = []
      for _ in 0..<100 {
        now = now.advanced(bySeconds: .random(in: 0...Double(limit.seconds) / Double(limit.count), using: &generator))
        let before = state
        let verdict = limit.take(&state, at: now)
        if verdict.isAllowed {
          allowed.append(now)
          #expect(verdict.remaining < limit.count, "\(generator)")
        } else {
          #expect(state == before, "\(generator)")
          var later = state
          #expect(limit.take(&later, at: now.advanced(bySeconds: Double(verdict.seconds))).isAllowed, "\(generator)")
        }
      }
      guard pause != .doubling else { continue }
      for (index, first) in allowed.enumerated() {
        for (offset, last) in allowed[index...].enumerated() {
          let forgotten = (last.microseconds - first.microseconds) / limit.interval
          #expect(offset + 1 <= limit.count + Int(forgotten), "\(generator)")
        }
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func attemptsAreStored(_ database: TestDatabase) async throws {
    let time = ManualTime()
    try await TemporaryFolder.run { folder in
      let keys = try DataKeys.forTests(folder)
      try await database.run(time: time.source) { database in
        _ = try await database.migrate(PlatformMigrations.all, logger: Logger(label: "test"))
        let rare = RateLimit(2, per: 60, pause: .untilAllAreForgotten)
        let (ada, bob) = (
          StoredLimit(rare, of: "ada", for: "test", keys), StoredLimit(rare, of: "bob", for: "test", keys)
        )
        func take(_ limit: StoredLimit) async throws -> Int? { try await database.write { try limit.take(in: $0) } }
        #expect(try await [take(ada), take(ada), take(ada), take(bob)] == [nil, nil, 60, nil])
        #expect(try await take(StoredLimit(rare, of: "ada", for: "other", keys)) == nil)
        try await database.write { try ada.undo(in: $0) }
        #expect(try await [take(ada), take(ada)] == [nil, 60])
        try await database.write { try ada.reset(in: $0) }
        #expect(try await [take(ada), take(ada), take(ada)] == [nil, nil, 60])
        time.advance(seconds: 59)
        try await StoredLimit.purge(database)
        #expect(try await take(ada) == 1)
        time.advance(seconds: 1)
        try await StoredLimit.purge(database)
        let count = try await database.read { try $0.count("SELECT COUNT(*) FROM rate_limit_states") }
        #expect(count == 0)
      }
    }
  }
}
