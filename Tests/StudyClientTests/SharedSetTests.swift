import Contracts
import Persistence
import TestKit
import Testing

@testable import StudyClient
@testable import StudySyncService

/// Sets of others.
struct SharedSetTests {
  @Test func aRevokedShareIsPurgedAndUnsentEditsStayExportable() async throws {
    try await ClientHost.run { host async throws in
      let (ada, bob) = (try await host.user(), try await host.user())
      let (hers, his) = (try host.device(of: ada), try host.device(of: bob))
      let set = try await hers.addSet(title: "Latin")
      let card = try await hers.addCard(to: set, front: "aqua", back: "water")
      try await hers.sync()
      try await host.write { tx in try SpaceStore.grant(.editor, to: bob.id, in: set.space, source: "share", tx) }
      try await his.sync()
      #expect(try await his.card(card)?.front == "aqua")
      try await his.recordReview(of: card, in: set, rating: 3, milliseconds: 900, utcOffsetMinutes: 0)

      try await host.write { tx in _ = try SpaceStore.revoke(bob.id, in: set.space, source: "share", tx) }
      try await his.editCard(card, back: "my own note")
      let own = try await his.addSet(title: "My own")
      let summary = try await his.sync()
      #expect(summary.healed == [])
      #expect(try await his.sets().map(\.id) == [own])
      #expect(try await his.record(.cards, card.rawValue) == nil)
      #expect(try await his.pendingCount() == 0)
      // His reviews stay his.
      #expect(try await his.reviews(of: card).count == 1)
      let unsent = try await his.unsentOperations()
      #expect(unsent.refused.map { $0.operation.fields?["back"] } == ["my own note"])
      let exported = try await his.exportUnsent()
      #expect(try WireJSON.decode(UnsentOperations.self, from: exported) == unsent)
      #expect(try await hers.card(card)?.back == "water")
    }
  }

  /// An edit is only a part of a record: done again, it must not make one.
  @Test func anEditThatIsTriedAgainStaysAnEdit() async throws {
    try await ClientHost.run { host async throws in
      let (ada, bob) = (try await host.user(), try await host.user())
      let (hers, his) = (try host.device(of: ada), try host.device(of: bob))
      let set = try await hers.addSet(title: "Latin")
      try await hers.sync()
      try await host.write { tx in try SpaceStore.grant(.editor, to: bob.id, in: set.space, source: "share", tx) }
      try await his.sync()
      try await his.editSet(set, title: "Bob's Latin")
      try await host.write { tx in _ = try SpaceStore.revoke(bob.id, in: set.space, source: "share", tx) }
      try await his.sync()
      let refused = try await his.refusedOperations().map(\.operation)
      try #require(refused.count == 1)
      _ = try #require(refused[0].seen)
      try await his.retryRefused(refused[0].id)
      #expect(try await his.unsentOperations().pending.map(\.seen) == [refused[0].seen])
      try await his.sync()
      #expect(try await his.refusedOperations().map(\.code) == ["not-found"])
    }
  }

  @Test func aViewersEditIsRefusedAndTheSharedTextIsShownAgain() async throws {
    try await ClientHost.run { host async throws in
      let (ada, bob) = (try await host.user(), try await host.user())
      let (hers, his) = (try host.device(of: ada), try host.device(of: bob))
      let set = try await hers.addSet(title: "Latin")
      try await hers.sync()
      try await host.write { tx in try SpaceStore.grant(.viewer, to: bob.id, in: set.space, source: "share", tx) }
      try await his.sync()
      try await his.editSet(set, title: "Bob's Latin")
      #expect(try await his.set(set)?.title == "Bob's Latin")
      try await his.sync()
      #expect(try await his.refusedOperations().map(\.code) == ["forbidden"])
      #expect(try await his.set(set)?.title == "Latin")
    }
  }

  @Test func aSetThatIsSharedAgainComesBack() async throws {
    try await ClientHost.run { host async throws in
      let (ada, bob) = (try await host.user(), try await host.user())
      let (hers, his) = (try host.device(of: ada), try host.device(of: bob))
      let set = try await hers.addSet(title: "Latin")
      let card = try await hers.addCard(to: set, front: "aqua", back: "water")
      try await hers.sync()
      for _ in 0..<3 {
        try await host.write { tx in try SpaceStore.grant(.editor, to: bob.id, in: set.space, source: "share", tx) }
        #expect(try await his.sync().healed == [])
        #expect(try await his.card(card)?.front == "aqua")
        try await host.write { tx in _ = try SpaceStore.revoke(bob.id, in: set.space, source: "share", tx) }
      }
      // Revoked and shared again between two synchronizations.
      try await host.write { tx in try SpaceStore.grant(.editor, to: bob.id, in: set.space, source: "share", tx) }
      try await his.editCard(card, back: "fresh water")
      #expect(try await his.sync().healed == [])
      try await hers.sync()
      #expect(try await hers.card(card)?.back == "fresh water")
      #expect(try await his.refusedOperations() == [])
    }
  }
}
