import Contracts
import TestKit
import Testing

@testable import StudyClient

/// Concurrent edits of two devices.
struct ConflictTests {
  /// Two devices of a user that have the same card.
  private static func run(
    _ body: (_ phone: StudyClient, _ tablet: StudyClient, CardID, ManualTime) async throws -> Void
  ) async throws {
    try await ClientHost.run { host async throws in
      let ada = try await host.user()
      let (phone, tablet) = (try host.device(of: ada), try host.device(of: ada))
      let set = try await phone.addSet(title: "Latin")
      let card = try await phone.addCard(to: set, front: "aqua", back: "water")
      try await phone.sync()
      try await tablet.sync()
      host.test.time.advance(seconds: 10)
      try await body(phone, tablet, card, host.test.time)
      #expect(try await phone.content() == tablet.content())
    }
  }

  @Test func editsOfDifferentFieldsAreBothKept() async throws {
    try await Self.run { phone, tablet, card, time in
      try await phone.editCard(card, front: "the aqua")
      time.advance(seconds: 1.2)
      try await tablet.editCard(card, back: "the water")
      try await tablet.sync()
      try await phone.sync()
      try await tablet.sync()
      #expect(try await tablet.card(card)?.front == "the aqua")
      #expect(try await phone.card(card)?.back == "the water")
    }
  }

  @Test func editsOfATextThatFitAreMerged() async throws {
    try await Self.run { phone, tablet, card, _ in
      try await phone.editCard(card, front: "in aqua")
      try await tablet.editCard(card, front: "aqua pura")
      try await phone.sync()
      try await tablet.sync()
      try await phone.sync()
      #expect(try await phone.card(card)?.front == "in aqua pura")
      #expect(try await phone.conflicts() == [])
    }
  }

  @Test func editsThatDoNotFitAreBothShownUntilSomeoneDecides() async throws {
    try await Self.run { phone, tablet, card, time in
      try await phone.editCard(card, front: "aqua from the phone")
      time.advance(seconds: 1)
      try await tablet.editCard(card, front: "aqua from the tablet")
      try await tablet.sync()
      try await phone.sync()
      let conflicts = try await phone.conflicts()
      #expect(conflicts.map(\.kind) == [.variants])
      #expect(conflicts.first?.record.text("front") == "aqua from the tablet")
      #expect(conflicts.first?.record.variants.map(\.text) == ["aqua from the phone"])

      let conflict = try #require(conflicts.first)
      try await phone.resolve(conflict, keeping: ["front": "aqua from both"])
      #expect(try await phone.conflicts() == [])
      try await phone.sync()
      try await tablet.sync()
      #expect(try await tablet.card(card)?.front == "aqua from both")
      #expect(try await tablet.conflicts() == [])
    }
  }

  @Test func anEditThatADeletionTookIsReportedAndComesBack() async throws {
    try await Self.run { phone, tablet, card, time in
      try await phone.deleteCard(card)
      time.advance(seconds: 5)
      try await tablet.editCard(card, back: "fresh water")
      try await phone.sync()
      try await tablet.sync()
      try await phone.sync()
      #expect(try await phone.card(card) == nil)
      let conflict = try #require(try await phone.conflicts().first)
      #expect(conflict.kind == .lostEdits)
      try await phone.resolve(conflict, keeping: [:])
      let summary = try await phone.sync()
      #expect(summary.healed == [])
      try await tablet.sync()
      #expect(try await phone.card(card)?.back == "fresh water")
      #expect(try await tablet.card(card)?.back == "fresh water")
      #expect(try await tablet.conflicts() == [])
    }
  }

  @Test func lostEditsCanBeDismissed() async throws {
    try await Self.run { phone, tablet, card, _ in
      try await phone.deleteCard(card)
      try await tablet.editCard(card, back: "fresh water")
      try await phone.sync()
      try await tablet.sync()
      try await phone.sync()
      let conflict = try #require(try await phone.conflicts().first)
      try await phone.resolve(conflict)
      try await phone.sync()
      #expect(try await phone.conflicts() == [])
      #expect(try await phone.card(card) == nil)
    }
  }

  @Test func reviewsOfTwoDevicesAreAllKept() async throws {
    try await Self.run { phone, tablet, card, time in
      let set = try #require(try await phone.card(card)?.set)
      try await phone.recordReview(of: card, in: set, rating: 1, milliseconds: 800, utcOffsetMinutes: 0)
      time.advance(seconds: 60)
      try await tablet.recordReview(of: card, in: set, rating: 3, milliseconds: 900, utcOffsetMinutes: 0)
      try await tablet.sync()
      try await phone.sync()
      try await tablet.sync()
      #expect(try await phone.reviews(of: card).map { $0["rating"] } == [1, 3])
      #expect(try await tablet.reviews(of: card).map { $0["rating"] } == [1, 3])
    }
  }
}
