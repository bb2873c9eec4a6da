import Contracts
import TestKit
import Testing

@testable import StudyClient

/// The due cards, without the server.
struct ScheduleTests {
  @Test func schedulesAreThoseOfTheServer() async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let phone = try host.device(of: ada)
      let set = try await phone.addSet(title: "Latin")
      try await phone.changeSettings(desiredRetention: 0.85, others: ["learningSteps": [60, 300]])
      var cards: [CardID] = []
      for number in 0..<6 { cards.append(try await phone.addCard(to: set, front: "card \(number)", back: "")) }
      var generator = SeededGenerator()
      for _ in 0..<60 {
        let card = cards[Int.random(in: 0..<5, using: &generator)]
        try await phone.recordReview(
          of: card, in: set, rating: .random(in: 1...4, using: &generator), milliseconds: 900, utcOffsetMinutes: 0)
        host.test.time.advance(seconds: .random(in: 30...90_000, using: &generator))
      }
      // Before anything was sent.
      var schedules: [CardSchedule?] = []
      for card in cards { schedules.append(try await phone.schedule(of: card)) }
      let due = try await phone.due(in: set)
      #expect(try await phone.unseenCards(in: set).map(\.id) == [cards[5]], "\(generator)")

      try await phone.sync()
      var theirs: [CardSchedule?] = []
      for card in cards { theirs.append(try await ada.client.send(StudyAPI.GetCardSchedule(id: card)).schedule) }
      #expect(schedules == theirs, "\(generator)")
      let list = try await ada.client.send(StudyAPI.GetDueCards(id: set, utcOffsetMinutes: nil))
      let seen = list.cards.map(\.schedule).filter { $0.stage != .new }
      #expect(due.map(\.schedule) == seen, "\(generator)")
    }
  }

  @Test func aCardIsDueWhenItsTimeHasCome() async throws {
    try await ClientHost.run { host async throws in
      let phone = try host.device(of: try await host.user())
      let set = try await phone.addSet(title: "Latin")
      let card = try await phone.addCard(to: set, front: "aqua", back: "water")
      try await phone.recordReview(of: card, in: set, rating: 4, milliseconds: 900, utcOffsetMinutes: 0)
      let time = try #require(try await phone.schedule(of: card)?.due)
      #expect(try await phone.due(in: set) == [])
      #expect(try await phone.due(in: set, at: time.advanced(bySeconds: -1)) == [])
      #expect(try await phone.due(in: set, at: time).map(\.card.id) == [card])
      try await phone.deleteCard(card)
      #expect(try await phone.due(in: set, at: time) == [])
    }
  }
}
