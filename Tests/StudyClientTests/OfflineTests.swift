import Contracts
import TestKit
import Testing

@testable import StudyClient

/// The operations that an app can perform without a connection.
struct OfflineTests {
  @Test func whatWasDoneOfflineIsShownAtOnceAndAfterARestart() async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let path = try host.newFile()
      let phone = try host.open(path, of: ada)
      let set = try await phone.addSet(title: "Latin", tags: ["language"])
      let first = try await phone.addCard(to: set, front: "aqua", back: "water")
      let second = try await phone.addCard(to: set, front: "ignis", back: "fire")
      try await phone.editCard(first, back: "the water")
      try await phone.recordReview(of: first, in: set, rating: 3, milliseconds: 1500, utcOffsetMinutes: 60)

      let again = try host.open(path, of: ada)
      #expect(try await again.sets().map(\.title) == ["Latin"])
      #expect(try await again.sets().first?.tags == ["language"])
      #expect(try await again.cards(in: set).map(\.id) == [first, second])
      #expect(try await again.card(first)?.back == "the water")
      #expect(try await again.card(first)?.record.isPending == true)
      #expect(try await again.reviews(of: first).map { $0["rating"] } == [3])
      #expect(try await again.pendingCount() == 5)
    }
  }

  @Test func anotherDeviceGetsEverythingInOneSynchronization() async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let (phone, tablet) = (try host.device(of: ada), try host.device(of: ada))
      let set = try await phone.addSet(title: "Latin")
      let card = try await phone.addCard(to: set, front: "aqua", back: "water")
      try await phone.recordReview(of: card, in: set, rating: 3, milliseconds: 1500, utcOffsetMinutes: 60)
      try await phone.changeSettings(desiredRetention: 0.85)
      let workout = try await phone.addWorkout(["type": "running", "note": "in the park"])
      let sent = try await phone.sync()
      #expect(sent.sentOperations == 5)
      #expect(sent.refusedOperations == 0)
      #expect(try await phone.pendingCount() == 0)

      let received = try await tablet.sync()
      #expect(received.healed == [])
      #expect(try await tablet.content() == phone.content())
      #expect(try await tablet.settings()?["desiredRetention"] == .number(0.85))
      #expect(try await tablet.workouts().map(\.id) == [workout])
      #expect(try await tablet.record(.cards, card.rawValue)?.isPending == false)
    }
  }

  @Test func anUnchangedFieldIsNotSent() async throws {
    try await ClientHost.run { host async throws in
      let phone = try await host.device(of: host.user())
      let set = try await phone.addSet(title: "Latin")
      try await phone.editSet(set, title: "Latin")
      #expect(try await phone.pendingCount() == 1)
    }
  }

  @Test func cardsMoveBetweenOthers() async throws {
    try await ClientHost.run { host async throws in
      let phone = try await host.device(of: host.user())
      let set = try await phone.addSet(title: "Latin")
      for word in ["one", "two", "three"] { _ = try await phone.addCard(to: set, front: word, back: word) }
      let cards = try await phone.cards(in: set)
      try await phone.moveCard(cards[2].id, after: nil, before: cards[0])
      try await phone.moveCard(cards[0].id, after: cards[1], before: nil)
      #expect(try await phone.cards(in: set).map(\.front) == ["three", "two", "one"])
    }
  }

  @Test func listsArePaged() async throws {
    try await ClientHost.run { host async throws in
      let phone = try await host.device(of: host.user())
      let set = try await phone.addSet(title: "Latin")
      for number in 0..<7 { _ = try await phone.addCard(to: set, front: "card \(number)", back: "") }
      var fronts: [String] = []
      var last: LocalCard?
      repeat {
        let page = try await phone.cards(in: set, after: last, limit: 3)
        fronts += page.map(\.front)
        last = page.last
      } while last != nil
      #expect(fronts == (0..<7).map { "card \($0)" })
    }
  }

  @Test func theFileOfAnotherUserIsNotOpened() async throws {
    try await ClientHost.run { host async throws in
      let path = try host.newFile()
      _ = try await host.open(path, of: host.user())
      let other = try await host.user()
      #expect(throws: StudyClientError.belongsToAnotherUser) { try host.open(path, of: other) }
    }
  }

  @Test func aFileThatWasRestoredElsewhereIsAnotherDevice() async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let path = try host.newFile()
      func device(_ installation: String) async throws -> StudyDeviceID {
        let client = try StudyClient(
          path: path, user: ada.id, transport: ada.client, installation: installation, time: host.test.time.source)
        return try await client.read { $0.state.device }
      }
      let first = try await device("phone 1")
      #expect(try await device("phone 1") == first)
      #expect(try await device("phone 2") != first)
    }
  }

  @Test func whatCannotBeSentIsRefusedAtOnce() async throws {
    try await ClientHost.run { host async throws in
      let phone = try await host.device(of: host.user())
      let set = try await phone.addSet(title: "Latin")
      await #expect(throws: StudyClientError.self) {
        try await phone.editSet(set, description: String(repeating: "a", count: 300_000))
      }
      await #expect(throws: StudyClientError.self) {
        try await phone.put(.sets, set.rawValue, ["ratio": .number(.nan)])
      }
      await #expect(throws: StudyClientError.invalidID("set 1")) { try await phone.put(.sets, "set 1", [:]) }
      await #expect(throws: StudyClientError.immutable) { try await phone.put(.reviews, set.rawValue, [:]) }
      let nested = (0..<70).reduce(JSONValue.string("deep")) { value, _ in .array([value]) }
      await #expect(throws: StudyClientError.self) { try await phone.put(.sets, set.rawValue, ["nested": nested]) }
      #expect(try await phone.pendingCount() == 1)
    }
  }
}
