import Contracts
import Persistence
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

/// Sets that are filled step by step, when a step fails.
@Suite(.serialized)
struct SetFillingTests {
  private static func cards(_ count: Int, of host: StudyHost) -> [SetFilling.Card] {
    (0..<count).map { number in
      SetFilling.Card(
        id: RecordID(trusted: host.test.ids.text()),
        fields: [.init(name: "front", value: .string("\(number)")), .init(name: "back", value: "x")])
    }
  }

  private static func finish(_ filling: SetFilling) async throws {
    try await filling.core.database.write { tx in
      try filling.finish([.init(name: "title", value: "Latin")], in: tx)
    }
  }

  /// As when the process stops after one of the steps.
  private static func removePart(_ filling: SetFilling) async throws {
    try await filling.core.database.write { tx in
      let rows = try UnfinishedSetStore.find(filling.set, in: tx)
      try SetFilling.end(filling.set, attempt: #require(rows).attempt, in: tx)
      _ = try RecordStore.delete(of: filling.set.space, limit: 500, in: tx)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anAttemptAfterAnInterruptedRemovalCountsItsCardsOnce(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let core = try host.core
      let (set, cards): (StudySetID, _) = (host.test.ids.make(), Self.cards(700, of: host))
      let first = SetFilling(core: core, user: ada.id, set: set)
      try await first.begin()
      try await first.add(cards)
      try await Self.removePart(first)
      #expect(try await host.count("SELECT COUNT(*) FROM sync_records") == 200)

      let second = SetFilling(core: core, user: ada.id, set: set)
      try await second.begin()
      try await second.add(cards)
      try await Self.finish(second)
      #expect(try await ada.set(set).cardCount == 700)
      #expect(try await SpaceRecount(core: core).run(set.space))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aSetThatIsBeingRemovedIsNotFilled(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let filling = SetFilling(core: try host.core, user: ada.id, set: host.test.ids.make())
      try await filling.begin()
      try await filling.add(Self.cards(700, of: host))
      try await Self.removePart(filling)
      #expect(try await code { try await filling.add(Self.cards(1, of: host)) } == "request-in-progress")
      #expect(try await code { try await Self.finish(filling) } == "request-in-progress")
      try await host.removeSpaces()
      #expect(try await host.count("SELECT COUNT(*) FROM sync_records") == 0)
      #expect(try await host.count("SELECT COUNT(*) FROM spaces WHERE id = \(filling.set)") == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anAttemptThatFailsLateLeavesItsSuccessorAlone(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      let core = try host.core
      let (set, cards): (StudySetID, _) = (host.test.ids.make(), Self.cards(10, of: host))
      let late = SetFilling(core: core, user: ada.id, set: set)
      try await late.begin()
      host.test.time.advance(seconds: SetFilling.idleSeconds + 1)
      let successor = SetFilling(core: core, user: ada.id, set: set)
      try await successor.begin()
      try await successor.add(cards)
      #expect(try await code { try await late.add(Self.cards(1, of: host)) } == "request-in-progress")
      #expect(try await code { try await Self.finish(late) } == "request-in-progress")
      await late.cancel()
      try await Self.finish(successor)
      #expect(try await ada.set(set).cardCount == 10)
      #expect(try await host.count("SELECT COUNT(*) FROM sync_records") == 11)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func checksumsAreCountedAgain(_ database: TestDatabase) async throws {
    try await StudyHost.unlimited(database) { host async throws in
      let ada = try await host.member("ada")
      var devices = try await TwoDevices(host, ada)
      try await devices.phone.sync([devices.phone.raw.review(devices.card, of: devices.set, rating: 3)])
      let recount = SpaceRecount(core: try host.core)
      for space in [SpaceID(trusted: devices.set), ada.id.space] {
        #expect(try await recount.run(space))
        try await host.database.write { tx in
          var wrong = try #require(try SpaceStore.find(space, in: tx))
          wrong.checksums[.cards].insert(1)
          wrong.checksums[.reviews].insert(1)
          try SpaceStore.update(wrong, in: tx)
        }
        #expect(try await !recount.run(space))
      }
      try await devices.settle()
      #expect(devices.phone.ownChecksums == devices.phone.checksums)
    }
  }
}
