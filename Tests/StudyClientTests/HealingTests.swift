import Contracts
import Persistence
import SyncMerge
import TestKit
import Testing

@testable import StudyClient
@testable import StudySyncService

/// Copies that are not what the server has.
struct HealingTests {
  enum Damage: CaseIterable { case changed, missing, invented, unreadable }

  @Test(arguments: Damage.allCases)
  func aDivergenceIsFoundAndHealedInOneSynchronization(_ damage: Damage) async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let path = try host.newFile()
      let phone = try host.open(path, of: ada, limits: .init(operations: 500, page: 3))
      let set = try await phone.addSet(title: "Latin")
      var cards: [CardID] = []
      for number in 0..<10 { cards.append(try await phone.addCard(to: set, front: "card \(number)", back: "")) }
      try await phone.sync()
      let good = try await phone.content()
      try await phone.write(.received) { [card = cards[4].rawValue] tx in
        switch damage {
        case .changed:
          try tx.db.run("UPDATE records SET server = replace(server, 'card 4', 'card X') WHERE id = '\(card)'")
        case .missing: try tx.db.run("DELETE FROM records WHERE id = '\(card)'")
        case .invented:
          var record = DeviceRecord(RecordKey(collection: "cards", id: "00000000-0000-4000-8000-000000000001"))
          record.server = MergeRecord(fields: [.init(name: "front", value: "ghost", version: .zero)])
          record.generation = tx.state.generation
          try tx.save(record)
        case .unreadable: try tx.db.run("UPDATE records SET server = '{' WHERE id = '\(card)'")
        }
      }
      // Unsent operations survive the healing.
      let reopened = try host.open(path, of: ada, limits: .init(operations: 500, page: 3))
      try await reopened.editCard(cards[5], back: "pending")
      let summary = try await reopened.sync()
      #expect(summary.healed == [.cards])
      #expect(summary.differing == [])
      #expect(try await reopened.card(cards[5])?.back == "pending")
      try await reopened.editCard(cards[5], back: "")
      try await reopened.sync()
      #expect(try await reopened.content().records == good.records)
      #expect(try await reopened.sync().healed == [])
    }
  }

  @Test func theContentIsVerifiedOnceADay() async throws {
    try await ClientHost.run { host async throws in
      let phone = try await host.device(of: host.user())
      let set = try await phone.addSet(title: "Latin")
      try await phone.sync()
      try await phone.write(.received) { tx in
        try tx.db.run("UPDATE records SET server = replace(server, 'Latin', 'Greek')")
      }
      #expect(try await phone.sync().healed == [])
      host.test.time.advance(seconds: 90_000)
      #expect(try await phone.sync().healed == [.sets])
      #expect(try await phone.set(set)?.title == "Latin")
    }
  }

  @Test func healingGoesOnAfterAnInterruption() async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let path = try host.newFile()
      let limits = StudyClient.Limits(operations: 500, page: 2)
      let phone = try host.open(path, of: ada, limits: limits)
      let set = try await phone.addSet(title: "Latin")
      for number in 0..<9 { _ = try await phone.addCard(to: set, front: "card \(number)", back: "") }
      try await phone.sync()
      let good = try await phone.content()
      try await phone.write(.received) { tx in try tx.db.run("DELETE FROM records WHERE collection = 'cards'") }
      let count = Counter()
      let dying = try host.open(path, of: ada, limits: limits) { step in
        guard step == .applied else { return }
        count.add()
        if count.value == 4 { throw Killed() }
      }
      await #expect(throws: Killed.self) { try await dying.sync() }
      let reopened = try host.open(path, of: ada, limits: limits)
      try await reopened.sync()
      #expect(try await reopened.content() == good)
    }
  }

  @Test func aDeviceThatWasAwayTooLongSendsWhatItDidAndBeginsAgain() async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let (phone, tablet) = (try host.device(of: ada), try host.device(of: ada))
      let set = try await phone.addSet(title: "Latin")
      let card = try await phone.addCard(to: set, front: "aqua", back: "water")
      let deleted = try await phone.addCard(to: set, front: "ignis", back: "fire")
      try await phone.sync()
      try await tablet.sync()
      try await tablet.editCard(card, back: "fresh water")
      host.test.time.advance(seconds: 181 * 86_400)
      try await phone.deleteCard(deleted)
      try await phone.sync()
      // The server no longer knows of the deletion.
      try await host.write { tx in _ = try tx.execute("DELETE FROM sync_records WHERE id = \(deleted)") }

      let summary = try await tablet.sync()
      #expect(summary.healed == [])
      #expect(try await tablet.pendingCount() == 0)
      #expect(try await tablet.card(deleted) == nil)
      try await phone.sync()
      #expect(try await phone.card(card)?.back == "fresh water")
      #expect(try await phone.content().records == tablet.content().records)
    }
  }

  @Test func beginningAgainGoesOnAfterAnInterruption() async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let path = try host.newFile()
      let limits = StudyClient.Limits(operations: 500, page: 2)
      let phone = try host.open(path, of: ada, limits: limits)
      let set = try await phone.addSet(title: "Latin")
      for number in 0..<9 { _ = try await phone.addCard(to: set, front: "card \(number)", back: "") }
      try await phone.sync()
      let good = try await phone.content()
      host.test.time.advance(seconds: 181 * 86_400)
      let count = Counter()
      let dying = try host.open(path, of: ada, limits: limits) { step in
        guard step == .applied else { return }
        count.add()
        if count.value == 3 { throw Killed() }
      }
      await #expect(throws: Killed.self) { try await dying.sync() }
      // Meanwhile everything is still shown.
      let reopened = try host.open(path, of: ada, limits: limits)
      #expect(try await reopened.cards(in: set).count == 9)
      #expect(try await reopened.sync().requests <= 3)
      #expect(try await reopened.content() == good)
    }
  }
}
