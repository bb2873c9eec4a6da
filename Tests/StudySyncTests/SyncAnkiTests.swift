import Contracts
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

/// The four ordinary conflicts of two devices in which Anki loses data or does not converge
/// (`references/evidence/anki_conflict_repro.py`).
@Suite(.serialized)
struct SyncAnkiTests {
  /// The phone's answer is lost in Anki when the desktop reschedules the card later.
  @Test(arguments: TestDatabase.allCases)
  func t1AReviewIsNotUndoneByALaterChangeOfItsCard(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let again = devices.phone.raw.review(devices.card, of: devices.set, rating: 1)
      host.test.time.advance(seconds: 5)
      let easy = devices.desktop.raw.review(devices.card, of: devices.set, rating: 4)
      let edit = TwoDevices.edit(&devices.desktop, devices.card, "back", "the water")
      #expect(try await devices.desktop.sync([easy, edit]).map(\.status) == [.applied, .applied])
      #expect(try await devices.phone.sync([again]).map(\.status) == [.applied])
      try await devices.settle()
      for device in [devices.phone, devices.desktop] {
        #expect(device.records[again.record]?.fields?["rating"] == 1)
        #expect(device.records[easy.record]?.fields?["rating"] == 4)
        #expect(device.records[devices.card]?.fields?["back"] == "the water")
        #expect(device.ownChecksums == device.checksums)
      }
    }
  }

  /// Two edits in the same millisecond stay different on the devices forever in Anki (there: the same second).
  @Test(arguments: TestDatabase.allCases)
  func t2EditsAtTheSameTimeConverge(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let phones = devices.phone.raw.operation(
        .cards, devices.card, ["position": "a"], seen: devices.phone.seen(devices.card))
      let desktops = devices.desktop.raw.operation(
        .cards, devices.card, ["position": "b"], seen: devices.desktop.seen(devices.card))
      #expect(phones.version.milliseconds == desktops.version.milliseconds)
      #expect(try await devices.desktop.sync([desktops]).map(\.status) == [.applied])
      let result = try await devices.phone.sync([phones])
      #expect(result.map(\.status) == [.merged])
      #expect(result[0].record?.fields?["position"] == "b")
      try await devices.settle()
      #expect(devices.phone.records == devices.desktop.records)
      #expect(devices.phone.records[devices.card]?.fields?["position"] == "b")
      #expect(devices.phone.ownChecksums == devices.phone.checksums)
    }
  }

  /// The first of two edits of different fields is lost in Anki.
  @Test(arguments: TestDatabase.allCases)
  func t3EditsOfDifferentFieldsAreBothKept(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let front = TwoDevices.edit(&devices.phone, devices.card, "front", "aqua, -ae f.")
      host.test.time.advance(seconds: 1.2)
      let back = TwoDevices.edit(&devices.desktop, devices.card, "back", "the water")
      try await devices.desktop.sync([back])
      try await devices.phone.sync([front])
      try await devices.settle()
      for device in [devices.phone, devices.desktop] {
        #expect(device.records[devices.card]?.fields?["front"] == "aqua, -ae f.")
        #expect(device.records[devices.card]?.fields?["back"] == "the water")
        #expect(device.ownChecksums == device.checksums)
      }
    }
  }

  /// The edit of a card that another device has deleted is lost without notice in Anki.
  @Test(arguments: TestDatabase.allCases)
  func t4AnEditOfADeletedCardIsReportedAndRestored(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let deletion = devices.phone.raw.operation(
        .cards, devices.card, action: .delete, seen: devices.phone.seen(devices.card))
      host.test.time.advance(seconds: 1)
      let edit = TwoDevices.edit(&devices.desktop, devices.card, "back", "the water")
      #expect(try await devices.phone.sync([deletion]).map(\.status) == [.applied])
      let result = try await devices.desktop.sync([edit])
      #expect(result.map(\.status) == [.merged])
      #expect(result[0].conflict == .deleted)
      #expect(result[0].record?.isDeleted == true)

      let conflicts = try await ada.client.send(StudyAPI.ListSyncConflicts()).items
      #expect(conflicts.map(\.record.id) == [devices.card])
      #expect(conflicts[0].record.fields?["back"] == "the water")
      _ = try await ada.client.send(StudyAPI.RestoreRecord(id: SyncedRecordID(trusted: devices.card)))
      try await devices.settle()
      for device in [devices.phone, devices.desktop] {
        #expect(device.records[devices.card]?.isDeleted == nil)
        #expect(device.records[devices.card]?.fields?["front"] == "aqua")
        #expect(device.records[devices.card]?.fields?["back"] == "the water")
        #expect(device.ownChecksums == device.checksums)
      }
      #expect(try await ada.client.send(StudyAPI.ListSyncConflicts()).items.isEmpty)
    }
  }
}
