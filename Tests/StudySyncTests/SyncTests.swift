import Contracts
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct SyncTests {
  @Test(arguments: TestDatabase.allCases)
  func anotherDeviceReceivesWhatOneDid(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var (phone, tablet) = (host.device(1, of: ada), host.device(2, of: ada))
      let (set, card) = (phone.newID(), phone.newID())
      let operations = [
        phone.operation(.sets, set, ["title": "Latin"]),
        phone.operation(.cards, card, set: StudySetID(set), ["front": "aqua", "back": "water"]),
      ]
      let pushed = try await phone.sync(operations)
      #expect(pushed.results.map(\.status) == [.applied, .applied])
      #expect(pushed.changes == [])

      let pulled = try await tablet.sync()
      #expect(pulled.changes.map(\.id) == [set, card])
      #expect(pulled.changes[1].set?.rawValue == set)
      #expect(pulled.changes[1].fields?["back"] == "water")
      #expect(pulled.changes[1].version == operations[1].version)
      #expect(try await tablet.sync().changes == [])
      #expect(pulled.checksums == pushed.checksums)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aRepeatedRequestTakesEffectOnce(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var phone = host.device(1, of: ada)
      let set = phone.newID()
      let review = phone.newID()
      let operations = [
        phone.operation(.sets, set, ["title": "Latin"]),
        phone.operation(
          .reviews, review,
          [
            "at": .string(host.test.time.source.now().description), "milliseconds": 1200, "utcOffsetMinutes": 60,
            "set": .string(set), "card": .string(phone.newID()), "rating": 3,
          ]),
      ]
      let first = try await phone.sync(operations)
      #expect(first.results.map(\.status) == [.applied, .applied])
      let second = try await phone.sync(operations)
      #expect(second.results.map(\.status) == [.duplicate, .duplicate])
      #expect(second.results[0].record?.fields?["title"] == "Latin")
      #expect(second.checksums == first.checksums)
      #expect(first.checksums?.first { $0.collection == .reviews }?.count == 1)
    }
  }
}
