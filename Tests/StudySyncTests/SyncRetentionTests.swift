import Contracts
import Persistence
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

/// The data that is forgotten, and when.
@Suite(.serialized)
struct SyncRetentionTests {
  private static let day = 86_400.0

  @Test(arguments: TestDatabase.allCases)
  func aDeletedCardIsClearedAndThenForgotten(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.lastingUser("ada")
      var devices = try await TwoDevices(host, ada)
      let deletion = devices.desktop.raw.operation(
        .cards, devices.card, action: .delete, seen: devices.desktop.seen(devices.card))
      try await devices.phone.sync([TwoDevices.edit(&devices.phone, devices.card, "back", "liquid")])
      host.test.time.advance(seconds: 1)
      #expect(try await devices.desktop.sync([deletion])[0].conflict == .deletedUnseenEdits)

      host.test.time.advance(seconds: 29 * Self.day)
      try await host.purge()
      #expect(try await ada.client.send(StudyAPI.ListSyncConflicts()).items.count == 1)
      host.test.time.advance(seconds: Self.day)
      try await host.purge()
      #expect(try await ada.client.send(StudyAPI.ListSyncConflicts()).items.isEmpty)
      let restoration = StudyAPI.RestoreRecord(id: SyncedRecordID(trusted: devices.card))
      #expect(try await problem { _ = try await ada.client.send(restoration) }?.is(.restoreExpired) == true)
      let offline = devices.desktop.raw.operation(
        .cards, devices.card, action: .restore, seen: devices.desktop.seen(devices.card))
      #expect(try await devices.desktop.sync([offline])[0].code == "restore-expired")

      // A device that comes back late learns of the deletion, until every cursor is newer.
      try await devices.phone.sync()
      #expect(devices.phone.records[devices.card]?.isDeleted == true)
      host.test.time.advance(seconds: 150 * Self.day)
      try await host.purge()
      let left = try await host.count(
        "SELECT COUNT(*) FROM sync_records WHERE id = \(RecordID(trusted: devices.card))")
      #expect(left == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeletedSetGoesWithItsCardsAfterThirtyDays(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let (ada, bob) = (try await host.lastingUser("ada"), try await host.lastingUser("bob"))
      var devices = try await TwoDevices(host, ada)
      let set = StudySetID(trusted: devices.set)
      // More than a batch.
      let cards = (0..<600).map { _ in
        devices.phone.raw.operation(.cards, devices.phone.raw.newID(), set: set, ["front": "x"])
      }
      try await devices.phone.sync(cards)
      try await host.grant(.viewer, to: bob, in: devices.set)
      var tablet = KeepingDevice(host.device(3, of: bob))
      try await tablet.sync()
      try await devices.phone.sync([
        devices.phone.raw.operation(.sets, devices.set, action: .delete, seen: devices.phone.seen(devices.set))
      ])
      try await tablet.sync()
      #expect(tablet.records[devices.set]?.isDeleted == true)
      #expect(tablet.ownChecksums == tablet.checksums)
      host.test.time.advance(seconds: 30 * Self.day)
      try await host.purge()
      #expect(try await host.count("SELECT COUNT(*) FROM sync_records") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM spaces WHERE id = \(set)") == 0)
      for var device in [tablet, devices.phone] {
        try await device.sync()
        #expect(device.records.values.allSatisfy { $0.collection != "cards" && $0.collection != "sets" })
        #expect(device.ownChecksums == device.checksums)
      }
      host.test.time.advance(seconds: 180 * Self.day + 1)
      try await host.purge()
      #expect(try await host.count("SELECT COUNT(*) FROM space_members WHERE space_id = \(set)") == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeviceThatWasAwayForTooLongBeginsAgainAndLosesNothing(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.lastingUser("ada")
      var devices = try await TwoDevices(host, ada)
      let pending = TwoDevices.edit(&devices.phone, devices.card, "back", "liquid")
      host.test.time.advance(seconds: 180 * Self.day + 1)
      #expect(try await problem { try await devices.phone.sync([pending]) }?.is(.mustRefetch) == true)
      var fresh = host.device(1, of: ada)
      let response = try await fresh.sync([pending])
      #expect(response.results.map(\.status) == [.duplicate])
      #expect(response.changes.first { $0.id == devices.card }?.fields?["back"] == "liquid")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func operationsAndDevicesAreForgotten(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.lastingUser("ada")
      var devices = try await TwoDevices(host, ada)
      host.test.time.advance(seconds: 181 * Self.day)
      devices.desktop.raw.cursor = nil
      try await devices.desktop.sync()
      try await host.purge()
      #expect(try await host.count("SELECT COUNT(*) FROM sync_operations") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM sync_devices") == 1)
      #expect(devices.desktop.live.count == 2)
    }
  }
}
