import Contracts
import Persistence
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

/// Edits of cards that arrive after their set was deleted.
@Suite(.serialized)
struct SyncLostEditTests {
  private static let day = 86_400.0

  private static func deleteSet(_ devices: inout TwoDevices) async throws {
    let deletion = devices.phone.raw.operation(
      .sets, devices.set, action: .delete, seen: devices.phone.seen(devices.set))
    #expect(try await devices.phone.sync([deletion]).map(\.status) == [.applied])
  }

  @Test(arguments: TestDatabase.allCases)
  func eachEditIsKeptForThirtyDays(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.lastingUser("ada")
      var devices = try await TwoDevices(host, ada)
      try await Self.deleteSet(&devices)
      for text in ["liquid", "fluid"] {
        host.test.time.advance(seconds: 20 * Self.day)
        let edit = TwoDevices.edit(&devices.desktop, devices.card, "back", text)
        #expect(try await devices.desktop.sync([edit])[0].conflict == .setDeleted)
      }
      host.test.time.advance(seconds: 20 * Self.day)
      try await host.purge()
      let set = StudySetID(trusted: devices.set)
      #expect(try await ada.client.send(StudyAPI.ListSets(deleted: true)).items.map(\.id) == [set])
      #expect(try await ada.client.send(StudyAPI.RestoreSet(id: set)).title == "Latin")
      #expect(try await ada.cards(set).map(\.back) == ["fluid"])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anEditThatConflictsIsKeptWithTheSetToo(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let late = TwoDevices.edit(&devices.desktop, devices.card, "back", "fluid")
      try await devices.phone.sync([TwoDevices.edit(&devices.phone, devices.card, "back", "liquid")])
      try await Self.deleteSet(&devices)
      #expect(try await devices.desktop.sync([late])[0].conflict == .setDeleted)
      let conflicts = try await ada.client.send(StudyAPI.ListSyncConflicts()).items
      #expect(conflicts.map(\.record.id).contains(devices.set))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anEditOfADeletedCardIsKeptWithTheSetToo(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let late = TwoDevices.edit(&devices.desktop, devices.card, "back", "fluid")
      let deletion = devices.phone.raw.operation(
        .cards, devices.card, action: .delete, seen: devices.phone.seen(devices.card))
      try await devices.phone.sync([deletion])
      try await Self.deleteSet(&devices)
      #expect(try await devices.desktop.sync([late])[0].conflict == .setDeleted)
      let conflicts = try await ada.client.send(StudyAPI.ListSyncConflicts()).items
      #expect(conflicts.map(\.record.id).contains(devices.set))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aRestorationNeedsRoom(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let deletion = devices.phone.raw.operation(
        .cards, devices.card, action: .delete, seen: devices.phone.seen(devices.card))
      try await devices.phone.sync([deletion])
      let space = SpaceID(trusted: devices.set)
      try await host.database.write { tx in
        var full = try #require(try SpaceStore.find(space, in: tx))
        full.checksums[.cards].count = RecordRules.maxRecords
        try SpaceStore.update(full, in: tx)
      }
      let restoration = devices.phone.raw.operation(
        .cards, devices.card, action: .restore, seen: devices.phone.seen(devices.card))
      #expect(try await devices.phone.sync([restoration])[0].code == "too-many")
    }
  }
}
