import Contracts
import Persistence
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

/// Cursors, pages, and copies that are begun again.
@Suite(.serialized)
struct SyncPagingTests {
  /// The numbers of what a device has sent are left out as a whole.
  @Test(arguments: TestDatabase.allCases)
  func aDeviceIsSentTheEntriesOfOthersOnly(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var ada = try await host.learner("ada")
      var phone = host.device(2, of: ada.user)
      try await phone.sync()
      let other = ada.review(3, at: host.ago(hours: 3))
      try await ada.device.sync([other])
      let sent = [
        phone.review(ada.cards[0], of: ada.set, 3, at: host.ago(hours: 2)), phone.settings(["newCardsPerDay": 5]),
        phone.review(ada.cards[0], of: ada.set, 3, at: host.ago(hours: 1)),
      ]
      #expect(try await phone.sync(sent).changes.map(\.id) == [other.record])
      #expect(try await phone.sync().changes.isEmpty)
      #expect(try await ada.device.sync().changes.map(\.id) == sent.map(\.record))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aFirstSyncIsResumedWhileOthersWrite(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let set = StudySetID(trusted: devices.set)
      let cards = (0..<40).map { _ in devices.phone.raw.newID() }
      try await devices.phone.sync(
        cards.map { devices.phone.raw.operation(.cards, $0, set: set, ["front": .string($0)]) }
          + cards.prefix(10).map { devices.phone.raw.review($0, of: devices.set, rating: 3) })
      var (writer, number) = (devices.phone, 0)
      var tablet = KeepingDevice(host.device(3, of: ada))
      // A record that changes moves to the end; each page is asked for by an app that was started again.
      try await tablet.sync(limit: 7) {
        host.test.time.advance(seconds: 1)
        let new = writer.raw.operation(.cards, writer.raw.newID(), set: set, ["front": "new"])
        var operations = [new]
        if number < cards.count { operations.append(TwoDevices.edit(&writer, cards[number], "front", "edited")) }
        number += 11
        if number < 100 { try await writer.sync(operations) }
      }
      try await writer.sync()
      #expect(tablet.ownChecksums == tablet.checksums)
      // Fields have no order.
      #expect(tablet.records.mapValues(\.content) == writer.records.mapValues(\.content))
      let unchanged = cards.filter { tablet.records[$0]?.fields?["front"] == .string($0) }
      #expect(unchanged.count > 30)
      #expect(unchanged.allSatisfy { card in tablet.received.filter { $0 == card }.count == 1 })
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeviceDoesNotReceiveItsOwnChanges(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      try await devices.phone.sync([TwoDevices.edit(&devices.phone, devices.card, "back", "liquid")])
      try await devices.phone.sync([devices.phone.raw.review(devices.card, of: devices.set, rating: 3)])
      try await devices.phone.sync()
      #expect(devices.phone.received == [])
      #expect(devices.phone.ownChecksums == devices.phone.checksums)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aLosingWriteIsAnsweredAlsoBehindTheCursor(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let old = devices.desktop.raw.operation(
        .cards, devices.card, ["position": "old"], seen: devices.desktop.seen(devices.card))
      host.test.time.advance(seconds: 1)
      try await devices.phone.sync([
        devices.phone.raw.operation(
          .cards, devices.card, ["position": "new"], seen: devices.phone.seen(devices.card))
      ])
      // It has already received what its operation loses against.
      _ = try await devices.desktop.raw.sync()
      let response = try await devices.desktop.raw.sync([old])
      #expect(response.results[0].status == .merged)
      #expect(response.results[0].record?.fields?["position"] == "new")
      let again = try await devices.desktop.raw.sync([old])
      #expect(again.results[0].status == .duplicate)
      #expect(again.results[0].record?.fields?["position"] == "new")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aLostReplyIsAnsweredAgain(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let operations = [
        TwoDevices.edit(&devices.phone, devices.card, "back", "liquid"),
        devices.phone.raw.review(devices.card, of: devices.set, rating: 3),
      ]
      var lost = devices.phone.raw
      try await lost.sync(operations)
      #expect(try await devices.phone.sync(operations).map(\.status) == [.duplicate, .duplicate])
      #expect(devices.phone.ownChecksums == devices.phone.checksums)
      #expect(devices.phone.records[devices.card]?.fields?["back"] == "liquid")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aRefetchHealsADivergence(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let devices = try await TwoDevices(host, try await host.user("ada"))
      var (phone, desktop) = (devices.phone, devices.desktop)
      let set = StudySetID(trusted: devices.set)
      try await phone.sync(
        (0..<20).map { _ in phone.raw.operation(.cards, phone.raw.newID(), set: set, ["front": "x"]) })
      try await desktop.sync()
      desktop.corrupt(devices.card)
      try await desktop.sync()
      let differing = zip(desktop.checksums, desktop.ownChecksums).filter { $0 != $1 }
      #expect(differing.map(\.0.collection) == [.cards])
      // While pages are read again, something changes that the device has not received yet.
      var isFirst = true
      try await desktop.sync(limit: 6, refetch: [.cards]) {
        if isFirst { try await phone.sync([TwoDevices.edit(&phone, devices.card, "back", "liquid")]) }
        isFirst = false
      }
      #expect(desktop.ownChecksums == desktop.checksums)
      #expect(desktop.records == phone.records)
    }
  }

  /// A client that repeats `refetch` with every page must come to an end too.
  @Test func aRepeatedRefetchEnds() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let set = StudySetID(trusted: devices.set)
      try await devices.phone.sync(
        (0..<20).map { _ in devices.phone.raw.operation(.cards, devices.phone.raw.newID(), set: set, ["front": "x"]) })
      var pages = 0
      while try await devices.desktop.raw.sync(limit: 3, refetch: [.cards]).hasMore, pages < 50 { pages += 1 }
      #expect(pages < 20)
    }
  }

  @Test(
    arguments: TestDatabase.allCases,
    ["", "garbage", "AAAA", "////", "AQ", "Av____8P", String(repeating: "A", count: 100_000)])
  func garbageForACursorIsARefetch(_ database: TestDatabase, _ cursor: String) async throws {
    try await StudyHost.run(database) { host async throws in
      var phone = host.device(1, of: try await host.user("ada"))
      let operation = phone.operation(.sets, phone.newID(), ["title": "Latin"])
      phone.cursor = cursor
      #expect(try await problem { try await phone.sync([operation]) }?.is(.mustRefetch) == true)
      // The operations that it sent were taken.
      phone.cursor = nil
      let response = try await phone.sync([operation])
      #expect(response.results.map(\.status) == [.duplicate])
      #expect(response.changes.map(\.id) == [operation.record])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aForgedCursorShowsNothingOfOthers(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let (ada, eve) = (try await host.user("ada"), try await host.user("eve"))
      let devices = try await TwoDevices(host, ada)
      var stranger = host.device(9, of: eve)
      stranger.cursor = devices.phone.raw.cursor
      #expect(try await problem { try await stranger.sync() }?.is(.mustRefetch) == true)
      let now = host.test.time.source.now()
      for cursor in [
        SyncCursor(issuedAt: now.advanced(bySeconds: 400 * 86_400)), SyncCursor(issuedAt: now, positions: [7: 1]),
      ] {
        stranger.cursor = cursor.text
        #expect(try await problem { try await stranger.sync() }?.is(.mustRefetch) == true)
      }
      stranger.cursor = SyncCursor(issuedAt: now).text
      #expect(try await stranger.sync().changes == [])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aServerThatWasRestoredFromABackupAsksForARefetch(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      let (set, card) = (SpaceID(trusted: devices.set), RecordID(trusted: devices.card))
      try await host.database.write { tx in
        try tx.execute("DELETE FROM sync_records WHERE id = \(card)")
        try tx.execute("UPDATE spaces SET sequence = 1 WHERE id = \(set)")
      }
      #expect(try await problem { try await devices.phone.sync() }?.is(.mustRefetch) == true)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aRevokedSetIsRemovedAndComesBackWithTheShare(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      var devices = try await TwoDevices(host, ada)
      try await host.grant(.editor, to: bob, in: devices.set)
      try await host.grant(.viewer, to: bob, in: devices.set, source: "course:1")
      var tablet = KeepingDevice(host.device(3, of: bob))
      try await tablet.sync()
      let sent = TwoDevices.edit(&tablet, devices.card, "back", "liquid")
      try await tablet.sync([sent])
      // Another grant is left.
      try await host.revoke(bob, in: devices.set)
      try await tablet.sync()
      #expect(tablet.live.count == 2)
      try await host.revoke(bob, in: devices.set, source: "course:1")
      let unsent = TwoDevices.edit(&tablet, devices.card, "back", "sea")
      let results = try await tablet.sync([unsent, sent])
      #expect(results.map(\.status) == [.rejected, .duplicate])
      #expect(results.map(\.code) == ["not-found", nil])
      // The answer to what was sent before shows no more than that.
      #expect(results.allSatisfy { $0.record == nil })
      #expect(tablet.records.isEmpty)
      #expect(tablet.checksums.allSatisfy { $0.count == 0 })

      try await devices.phone.sync()
      try await devices.phone.sync([TwoDevices.edit(&devices.phone, devices.card, "front", "unda")])
      try await host.grant(.viewer, to: bob, in: devices.set)
      try await tablet.sync()
      #expect(tablet.records[devices.card]?.fields?["front"] == "unda")
      #expect(tablet.ownChecksums == tablet.checksums)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeletionIsSentToOthers(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var devices = try await TwoDevices(host, ada)
      try await devices.phone.sync([
        devices.phone.raw.operation(.cards, devices.card, action: .delete, seen: devices.phone.seen(devices.card))
      ])
      try await devices.desktop.sync()
      #expect(devices.desktop.records[devices.card]?.isDeleted == true)
      #expect(devices.desktop.records[devices.card]?.fields == nil)
      #expect(devices.desktop.seen(devices.card) == devices.phone.seen(devices.card))
      #expect(devices.desktop.ownChecksums == devices.desktop.checksums)
    }
  }
}
