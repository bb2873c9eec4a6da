import Contracts
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

/// Devices whose clocks are wrong.
@Suite(.serialized)
struct SyncClockTests {
  struct Clock: Sendable, CustomStringConvertible {
    let description: String
    /// How far it is ahead, in seconds, of the tests' time, 1 January 2026.
    let skew: Double
  }

  static let clocks = [
    Clock(description: "1970", skew: -1_767_225_600), Clock(description: "2100", skew: 2_335_219_200),
    Clock(description: "ten years ahead", skew: 315_576_000),
  ]

  @Test(arguments: TestDatabase.allCases, clocks)
  func aWrongClockNeitherWinsNorBlocks(_ database: TestDatabase, _ clock: Clock) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      devices.phone.raw.skew = clock.skew
      let wrong = devices.phone.raw.operation(
        .cards, devices.card, ["position": "wrong"], seen: devices.phone.seen(devices.card))
      let response = try await devices.phone.raw.sync([wrong])
      #expect(response.results.map(\.status) == [.applied])
      let version = try #require(response.results[0].version ?? Optional(wrong.version))
      let now = host.test.time.source.now().hybridMilliseconds
      #expect(version.milliseconds <= now + 1)
      #expect(response.clockSkewMilliseconds == Int64(-clock.skew * 1000))

      // The desktop has not seen the edit, and is later.
      host.test.time.advance(seconds: 2)
      let right = devices.desktop.raw.operation(
        .cards, devices.card, ["position": "right"], seen: devices.desktop.seen(devices.card))
      try await devices.desktop.sync([right])
      #expect(devices.desktop.records[devices.card]?.fields?["position"] == "right")

      // And then the device with the wrong clock, which has seen that.
      try await devices.phone.sync()
      host.test.time.advance(seconds: 2)
      let later = devices.phone.raw.operation(
        .cards, devices.card, ["position": "later"], seen: devices.phone.seen(devices.card))
      #expect(try await devices.phone.sync([later]).map(\.status) == [.applied])
      try await devices.settle()
      for device in [devices.phone, devices.desktop] {
        #expect(device.records[devices.card]?.fields?["position"] == "later")
        #expect(device.ownChecksums == device.checksums)
      }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theOrderIsKeptAlsoAroundARejectedOperation(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      devices.phone.raw.skew = Self.clocks[2].skew
      var operations: [SyncOperation] = []
      for number in 0..<5 {
        let position: JSONValue = number == 2 ? 7 : .string("p\(number)")
        operations.append(
          devices.phone.raw.operation(
            .cards, devices.card, SyncFields([.init(name: "position", value: position)]),
            seen: devices.phone.seen(devices.card)))
      }
      let results = try await devices.phone.sync(operations)
      #expect(results.map(\.status) == [.applied, .applied, .rejected, .applied, .applied])
      let versions = results.compactMap(\.version)
      #expect(versions.count == 4)
      #expect(versions == versions.sorted())
      try await devices.desktop.sync()
      #expect(devices.desktop.records[devices.card]?.fields?["position"] == "p4")
    }
  }

  /// The slow first request makes its edit seem later than the second.
  @Test(arguments: TestDatabase.allCases)
  func anEditAfterALostReplyWins(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      devices.phone.raw.skew = Self.clocks[2].skew
      let seen = devices.phone.seen(devices.card)
      let first = devices.phone.raw.operation(.cards, devices.card, ["position": "first"], seen: seen)
      host.test.time.advance(seconds: 10)
      var lost = devices.phone.raw
      lost.skew -= 10
      try await lost.sync([first])
      let second = devices.phone.raw.operation(.cards, devices.card, ["position": "second"], seen: seen)
      var early = second
      early.version = first.version.next(device: first.version.device)
      let results = try await devices.phone.sync([first, early])
      #expect(results.map(\.status) == [.duplicate, .applied])
      try await devices.desktop.sync()
      #expect(devices.desktop.records[devices.card]?.fields?["position"] == "second")
    }
  }

  @Test(arguments: TestDatabase.allCases, clocks)
  func reviewsGetTheTimeAtWhichTheyHappened(_ database: TestDatabase, _ clock: Clock) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let now = host.test.time.source.now()
      devices.phone.raw.skew = clock.skew
      let review = devices.phone.raw.review(devices.card, of: devices.set, rating: 3)
      let result = try await devices.phone.raw.sync([review]).results[0]
      #expect(result.status == .merged)
      #expect(result.record?.fields?["at"]?.string == now.description)
      host.test.time.advance(seconds: 3)
      let again = try await devices.phone.raw.sync([review]).results[0]
      #expect(again.status == .duplicate)
      #expect(again.record?.fields?["at"]?.string == now.description)
    }
  }
}
