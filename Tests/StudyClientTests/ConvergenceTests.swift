import Contracts
import Foundation
import TestKit
import Testing

@testable import StudyClient

/// 300 of each test by default. `QUINTET_HISTORIES=10000 swift test --filter ConvergenceTests` runs as many of each;
/// `QUINTET_SEED` repeats one.
enum Histories {
  static var count: Int {
    if ProcessInfo.processInfo.environment["QUINTET_SEED"] != nil { return 1 }
    return ProcessInfo.processInfo.environment["QUINTET_HISTORIES"].flatMap { Int($0) } ?? 300
  }

  /// Runs histories one after the other on several platforms, each with a clock of its own.
  static func run(
    _ body: @escaping @Sendable (_ seed: UInt64, ClientHost) async throws -> History.Result
  ) async throws -> History.Result {
    var generator = SeededGenerator()
    let seeds = count == 1 ? [generator.seed] : (0..<count).map { _ in generator.next() }
    let platforms = min(4, count)
    let results = try await concurrently(0..<platforms) { number in
      var total = History.Result()
      try await ClientHost.run { host async throws in
        for seed in stride(from: number, to: seeds.count, by: platforms).map({ seeds[$0] }) {
          let result = try await body(seed, host)
          total.operations += result.operations
          total.faults += result.faults
          total.kills += result.kills
          total.violations += result.violations.map { "QUINTET_SEED=\(seed): \($0)" }
        }
      }
      return total
    }
    return results.reduce(into: History.Result()) { total, result in
      total.operations += result.operations
      total.faults += result.faults
      total.kills += result.kills
      total.violations += result.violations
    }
  }
}

@Suite(.serialized)
struct ConvergenceTests {
  @Test func randomHistoriesConvergeAndLoseNothing() async throws {
    let result = try await Histories.run { seed, host in try await History.run(seed, on: host, steps: 30) }
    print("\(Histories.count) histories: \(result.operations) operations, \(result.faults) faults")
    #expect(result.violations == [])
  }

  @Test func aDeviceThatFailsAnywhereIsNeverWedged() async throws {
    let result = try await Histories.run { seed, host in
      try await History.run(seed, on: host, steps: 16, faultRate: 9)
    }
    print("\(Histories.count) runs: \(result.faults) faults, \(result.kills) restarts")
    #expect(result.violations == [])
  }

  /// The violations that the histories would show if a device dropped records.
  @Test func aDroppedRecordIsNoticed() async throws {
    try await ClientHost.run { host async throws in
      let random = RandomNumbers(1)
      var noticed = 0
      for seed in 0..<10 as Range<UInt64> {
        let result = try await History.run(seed, on: host, steps: 30, faultRate: 0) { response in
          if random.next() % 4 == 0, !response.changes.isEmpty { response.changes.removeLast() }
        }
        if !result.violations.isEmpty { noticed += 1 }
      }
      #expect(noticed > 5)
    }
  }
}
