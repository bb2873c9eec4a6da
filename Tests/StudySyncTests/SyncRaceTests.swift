import Contracts
import Persistence
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

/// Devices that synchronize at once.
@Suite(.serialized)
struct SyncRaceTests {
  @Test(arguments: TestDatabase.allCases)
  func firstSynchronizationsAtOnceAllSucceed(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let cards = try await concurrently(1...8) { number -> String in
        var device = host.device(UInt64(number), of: ada)
        let (set, card) = (device.newID(), device.newID())
        let operations = [
          device.operation(.sets, set, ["title": "Latin"]),
          device.operation(.cards, card, set: StudySetID(set), ["front": "aqua"]),
          device.review(card, of: set, rating: 3), device.review(card, of: set, rating: 4),
        ]
        let results = try await device.sync(operations).results
        #expect(results.map(\.status) == [.applied, .applied, .applied, .applied])
        return card
      }
      var device = KeepingDevice(host.device(100, of: ada))
      try await device.sync()
      #expect(cards.allSatisfy { device.records[$0] != nil })
      #expect(device.live.count == 32)
      #expect(device.ownChecksums == device.checksums)
      #expect(try await host.count("SELECT COUNT(*) FROM space_members WHERE user_id = \(ada.id)") == 9)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func oneRequestSentTwiceAtOnceTakesEffectOnce(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let devices = try await TwoDevices(host, ada)
      var phone = devices.phone.raw
      let operations = (0..<20).flatMap { number in
        [
          phone.operation(.cards, phone.newID(), set: StudySetID(devices.set), ["front": .string("\(number)")]),
          phone.review(devices.card, of: devices.set, rating: 3),
        ]
      }
      let sender = phone
      let statuses = try await concurrently(0..<6) { _ -> [SyncStatus] in
        var copy = sender
        return try await copy.sync(operations).results.map(\.status)
      }
      #expect(statuses.flatMap { $0 }.counts == [.applied: 40, .duplicate: 200])
      #expect(try await host.count("SELECT COUNT(*) FROM study_log") == 20)
      #expect(try await host.count("SELECT COUNT(*) FROM sync_records") == 22)
    }
  }
}
