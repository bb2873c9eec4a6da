import Contracts
import TestKit
import Testing

@testable import StudyClient

/// A device that was offline for long and did much.
@Suite(.serialized)
struct LongAbsenceTests {
  private static let days = 30

  @Test func thirtyDaysAndTenThousandOperationsMergeWithinAMinute() async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let (phone, tablet) = (try host.device(of: ada), try host.device(of: ada))
      let set = try await phone.addSet(title: "Latin")
      var cards: [CardID] = []
      for number in 0..<100 { cards.append(try await phone.addCard(to: set, front: "card \(number)", back: "")) }
      try await phone.sync()
      try await tablet.sync()

      for day in 0..<Self.days {
        host.test.time.advance(seconds: 86_400)
        try await Self.study(on: phone, set, cards, day: day, count: 334)
        try await tablet.editCard(cards[day], back: "tablet \(day)")
      }
      try await tablet.sync()
      let count = try await phone.pendingCount()
      #expect(count > 10_000)

      let start = ContinuousClock.now
      let summary = try await phone.sync()
      let duration = ContinuousClock.now - start
      print("\(count) operations of \(Self.days) days merged in \(duration)")
      // A minute is the requirement on an idle machine; tests share theirs with others.
      #expect(duration < .seconds(600))
      #expect(summary.sentOperations == count)
      #expect(summary.refusedOperations == 0)
      #expect(summary.healed == [])
      try await tablet.sync()
      #expect(try await phone.content() == tablet.content())
      for day in 0..<Self.days {
        #expect(try await phone.card(cards[day])?.back.contains("tablet \(day)") == true)
      }
    }
  }

  /// Answers, edits and new cards of one day, in one transaction.
  private static func study(on phone: StudyClient, _ set: StudySetID, _ cards: [CardID], day: Int, count: Int)
    async throws
  {
    let ids = phone.ids
    let at = try await phone.currentTime()
    try await phone.write(.local) { tx in
      for number in 0..<count {
        let card = cards[(number + day) % cards.count].rawValue
        let key = RecordKey(collection: SyncCollection.cards.rawValue, id: card)
        switch number % 3 {
        case 0:
          try tx.enqueue(
            .put, key, set: set, id: ids.text(), fields: ["tags": .array([.string("day \(day)"), "offline"])])
        case 1:
          let id = ids.text()
          let review = RecordKey(collection: SyncCollection.reviews.rawValue, id: id)
          try tx.enqueue(
            .put, review, set: nil, id: id,
            fields: [
              "at": .string(at.description), "milliseconds": 1200, "utcOffsetMinutes": 60, "rating": 3,
              "set": .string(set.rawValue), "card": .string(card),
            ])
        default:
          let new = RecordKey(collection: SyncCollection.cards.rawValue, id: ids.text())
          try tx.enqueue(
            .put, new, set: set, id: ids.text(), fields: ["front": .string("new \(day) \(number)"), "back": "x"])
        }
      }
    }
  }
}
