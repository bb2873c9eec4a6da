import Contracts
import SyncMerge
import TestKit
import Testing

@testable import StudyClient

/// Devices whose clocks are wrong.
struct ClockTests {
  private static let tenYears = 315_360_000.0

  @Test(arguments: [tenYears, -tenYears])
  func aWrongClockNeitherWinsNorLosesAgainstLaterEdits(_ skew: Double) async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let right = try host.device(of: ada)
      let clock = Skew(skew)
      let wrong = try host.open(host.newFile(), of: ada, time: clock.source(host.test.time.source))
      let set = try await right.addSet(title: "Latin")
      try await right.sync()
      try await wrong.sync()

      // First the wrong one, then the right one; they arrive in the other order.
      try await wrong.put(.sets, set.rawValue, ["tags": ["wrong"]])
      host.test.time.advance(seconds: 3600)
      try await right.put(.sets, set.rawValue, ["tags": ["right"]])
      try await right.sync()
      try await wrong.sync()
      try await right.sync()
      #expect(try await right.set(set)?.tags == ["right"])
      #expect(try await wrong.set(set)?.tags == ["right"])

      // A later edit of the device wins.
      host.test.time.advance(seconds: 60)
      try await wrong.put(.sets, set.rawValue, ["tags": ["later"]])
      try await wrong.sync()
      try await right.sync()
      #expect(try await right.set(set)?.tags == ["later"])
      #expect(try await right.content() == wrong.content())
    }
  }

  @Test(arguments: [tenYears, -tenYears])
  func whatWasDoneBeforeTheFirstSynchronizationGetsItsRightTime(_ skew: Double) async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let clock = Skew(skew)
      let phone = try host.open(host.newFile(), of: ada, time: clock.source(host.test.time.source))
      let set = try await phone.addSet(title: "Latin")
      let studied = host.test.time.source.now()
      try await phone.recordReview(
        of: CardID(trusted: phone.newID()), in: set, rating: 3, milliseconds: 900, utcOffsetMinutes: 0)
      host.test.time.advance(seconds: 7200)
      try await phone.sync()

      let tablet = try host.device(of: ada)
      try await tablet.sync()
      #expect(try await tablet.records(in: .reviews).map { $0["at"] } == [.string(studied.description)])
      let version = try await tablet.read { tx in
        try tx.find(RecordKey(collection: SyncCollection.sets.rawValue, id: set.rawValue))?.server?.version
      }
      #expect(version?.milliseconds == studied.hybridMilliseconds)
      #expect(try await phone.content() == tablet.content())
    }
  }

  @Test func aClockThatIsPutRightWhileOfflineIsNoticed() async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let clock = Skew(Self.tenYears)
      let phone = try host.open(host.newFile(), of: ada, time: clock.source(host.test.time.source))
      let set = try await phone.addSet(title: "Latin")
      try await phone.sync()
      clock.add(-Self.tenYears)
      try await phone.editSet(set, title: "Latin I")
      try await phone.editSet(set, title: "Latin II")
      try await phone.sync()
      #expect(try await phone.set(set)?.title == "Latin II")
      #expect(try await phone.currentTime() == host.test.time.source.now())
      host.test.time.advance(seconds: 5)
      try await phone.editSet(set, title: "Latin III")
      let summary = try await phone.sync()
      #expect(summary.healed == [])
      let tablet = try host.device(of: ada)
      try await tablet.sync()
      #expect(try await tablet.set(set)?.title == "Latin III")
    }
  }

  /// Also those that were not in the request whose response showed that the clock is wrong.
  @Test(arguments: [tenYears, -tenYears])
  func allEntriesOfAWrongClockGetTheirRightTimes(_ skew: Double) async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let clock = Skew(0)
      let phone = try host.open(
        host.newFile(), of: ada, time: clock.source(host.test.time.source),
        limits: StudyClient.Limits(operations: 2, page: 100))
      let set = try await phone.addSet(title: "Latin")
      try await phone.sync()
      clock.add(skew)
      let card = CardID(trusted: phone.newID())
      var times: [JSONValue?] = []
      for _ in 0..<5 {
        times.append(.string(host.test.time.source.now().description))
        try await phone.recordReview(of: card, in: set, rating: 3, milliseconds: 900, utcOffsetMinutes: 0)
        host.test.time.advance(seconds: 60)
      }
      try await phone.sync()
      let tablet = try host.device(of: ada)
      try await tablet.sync()
      #expect(try await tablet.records(in: .reviews).map { $0["at"] } == times)
      #expect(try await phone.content() == tablet.content())
    }
  }

  @Test func theClockDoesNotFallBelowAPendingVersion() async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let plan = FaultPlan()
      let phone = try host.open(
        host.newFile(), of: ada, transport: Versioning(user: ada), limits: StudyClient.Limits(operations: 1, page: 100),
        reach: plan.reach)
      let set = try await phone.addSet(title: "Latin")
      try await phone.sync()
      plan.plan([.killedAfterStoring])
      try await phone.editSet(set, title: "Latin I")
      try await phone.editSet(set, title: "Latin II")
      await #expect(throws: Killed.self) { try await phone.sync() }
      try await phone.editSet(set, title: "Latin III")
      let versions = try await phone.unsentOperations().pending.map(\.version)
      try #require(versions.count == 2)
      #expect(versions[0] < versions[1])
    }
  }

  /// Confirms the versions of operations as if they had been corrected.
  private struct Versioning: StudyTransport {
    let user: TestUser

    func synchronize(_ request: StudyAPI.Sync) async throws(CallError) -> SyncResponse {
      var response = try await user.client.synchronize(request)
      for (index, operation) in (request.operations ?? []).enumerated() {
        if case .valid(let operation) = operation { response.results[index].version = operation.version }
      }
      return response
    }
  }
}
