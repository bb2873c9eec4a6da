import Contracts
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

/// Edits of one thing on two devices, and what is made of those that lose.
@Suite(.serialized)
struct SyncConflictTests {
  @Test(arguments: TestDatabase.allCases)
  func textsMergeWhereBothEditsFit(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada, back: "the water of a well")
      let one = TwoDevices.edit(&devices.phone, devices.card, "back", "the cold water of a well")
      let other = TwoDevices.edit(&devices.desktop, devices.card, "back", "the water of a deep well")
      try await devices.phone.sync([one])
      let result = try await devices.desktop.sync([other])
      #expect(result.map(\.status) == [.merged])
      #expect(result[0].conflict == nil)
      try await devices.settle()
      #expect(devices.phone.records[devices.card]?.fields?["back"] == "the cold water of a deep well")
      #expect(devices.phone.records == devices.desktop.records)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func textsThatDoNotFitAreBothKeptUntilSomeoneChooses(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let one = TwoDevices.edit(&devices.phone, devices.card, "back", "liquid")
      let other = TwoDevices.edit(&devices.desktop, devices.card, "back", "sea")
      try await devices.desktop.sync([other])
      let result = try await devices.phone.sync([one])
      #expect(result[0].conflict == .text)
      try await devices.settle()
      let record = try #require(devices.desktop.records[devices.card])
      #expect(record.fields?["back"] == "sea")
      #expect(record.variants?.map(\.text) == ["liquid"])
      #expect(devices.phone.ownChecksums == devices.phone.checksums)

      let conflicts = try await ada.client.send(StudyAPI.ListSyncConflicts()).items
      #expect(conflicts.map(\.record.id) == [devices.card])
      #expect(conflicts[0].restorableUntil == nil)
      let resolved = try await ada.client.send(
        StudyAPI.ResolveVariants(
          id: SyncedRecordID(trusted: devices.card), chosen: record.variants?.first?.version))
      #expect(resolved.fields?["back"] == "liquid")
      #expect(resolved.variants == nil)
      try await devices.settle()
      #expect(devices.phone.records[devices.card]?.fields?["back"] == "liquid")
      #expect(devices.phone.records == devices.desktop.records)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeviceDismissesAVariant(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      try await devices.desktop.sync([TwoDevices.edit(&devices.desktop, devices.card, "back", "sea")])
      try await devices.phone.sync([TwoDevices.edit(&devices.phone, devices.card, "back", "liquid")])
      var dismissal = devices.phone.raw.operation(.cards, devices.card, seen: devices.phone.seen(devices.card))
      dismissal.dismissed = devices.phone.records[devices.card]?.variants?.map(\.version)
      #expect(try await devices.phone.sync([dismissal]).map(\.status) == [.applied])
      try await devices.settle()
      #expect(devices.desktop.records[devices.card]?.variants == nil)
      #expect(devices.desktop.records[devices.card]?.fields?["back"] == "sea")
      #expect(devices.desktop.ownChecksums == devices.desktop.checksums)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeletionReportsWhatItsDeviceHadNotSeen(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      try await devices.phone.sync([TwoDevices.edit(&devices.phone, devices.card, "back", "liquid")])
      host.test.time.advance(seconds: 1)
      let deletion = devices.desktop.raw.operation(
        .cards, devices.card, action: .delete, seen: devices.desktop.seen(devices.card))
      let result = try await devices.desktop.sync([deletion])
      #expect(result[0].conflict == .deletedUnseenEdits)
      #expect(result[0].record?.hasLostEdits == true)
    }
  }

  /// The edit of another field is older than what the deleting device had seen of the card.
  @Test(arguments: TestDatabase.allCases)
  func anEditThatArrivesLateIsNotTakenForSeen(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let late = TwoDevices.edit(&devices.desktop, devices.card, "front", "aqua, -ae f.")
      host.test.time.advance(seconds: 1)
      try await devices.phone.sync([TwoDevices.edit(&devices.phone, devices.card, "back", "liquid")])
      let deletion = devices.phone.raw.operation(
        .cards, devices.card, action: .delete, seen: devices.phone.seen(devices.card))
      #expect(try await devices.desktop.sync([late]).map(\.status) == [.merged])
      #expect(try await devices.phone.sync([deletion])[0].conflict == .deletedUnseenEdits)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeletedSetReportsTheCardsThatItsDeviceHadNotSeen(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let deletion = devices.desktop.raw.operation(
        .sets, devices.set, action: .delete, seen: devices.desktop.seen(devices.set))
      try await devices.phone.sync([TwoDevices.edit(&devices.phone, devices.card, "back", "liquid")])
      #expect(try await devices.desktop.sync([deletion])[0].conflict == .deletedUnseenEdits)
      #expect(
        try await ada.client.send(StudyAPI.ListSyncConflicts()).items.map(\.record.id) == [devices.set])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aCardOfADeletedSetKeepsItsEditForTheRestoration(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let edit = TwoDevices.edit(&devices.phone, devices.card, "back", "liquid")
      let deletion = devices.desktop.raw.operation(
        .sets, devices.set, action: .delete, seen: devices.desktop.seen(devices.set))
      #expect(try await devices.desktop.sync([deletion]).map(\.status) == [.applied])
      #expect(try await devices.phone.sync([edit])[0].conflict == .setDeleted)
      #expect(devices.phone.records[devices.set]?.hasLostEdits == true)
      let restored = devices.phone.raw.operation(
        .sets, devices.set, action: .restore, seen: devices.phone.seen(devices.set))
      // A device may no longer have the content of what it restores.
      #expect(try await devices.phone.sync([restored])[0].record?.fields?["title"] == "Latin")
      try await devices.settle()
      #expect(devices.desktop.records[devices.set]?.fields?["title"] == "Latin")
      #expect(devices.desktop.records[devices.card]?.fields?["back"] == "liquid")
      #expect(devices.desktop.ownChecksums == devices.desktop.checksums)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func onlyWhoMayEditRestores(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let (ada, bob, eve) = (try await host.user("ada"), try await host.user("bob"), try await host.user("eve"))
      var devices = try await TwoDevices(host, ada)
      try await host.grant(.viewer, to: bob, in: devices.set)
      try await devices.phone.sync([TwoDevices.edit(&devices.phone, devices.card, "back", "liquid")])
      let deletion = devices.desktop.raw.operation(
        .cards, devices.card, action: .delete, seen: devices.desktop.seen(devices.card))
      try await devices.desktop.sync([deletion])
      let restoration = StudyAPI.RestoreRecord(id: SyncedRecordID(trusted: devices.card))
      #expect(try await problem { _ = try await bob.client.send(restoration) }?.is(.recordReadOnly) == true)
      #expect(try await problem { _ = try await eve.client.send(restoration) }?.is(.recordNotFound) == true)
      #expect(try await bob.client.send(StudyAPI.ListSyncConflicts()).items.isEmpty)
      for _ in 0..<2 { #expect(try await ada.client.send(restoration).isDeleted == nil) }
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func variantsAreBounded(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let devices = try await TwoDevices(host, ada)
      var statuses: [SyncStatus] = []
      for number in 0..<(UInt64(RecordRules.maxVariants) + 2) {
        var device = host.device(10 + number, of: ada)
        let edit = device.operation(
          .cards, devices.card, ["back": .string("liquid\(number)")], seen: devices.phone.seen(devices.card),
          base: ["back": "water"])
        let result = try await device.sync([edit]).results[0]
        statuses.append(result.status)
        if result.status == .rejected { #expect(result.code == "too-many-variants") }
      }
      #expect(statuses.filter { $0 == .rejected }.count == 1)
    }
  }
}
