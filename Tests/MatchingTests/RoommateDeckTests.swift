import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MatchingService

@Suite(.serialized)
struct RoommateDeckTests {
  @Test(arguments: TestDatabase.allCases)
  func showsThoseOnWhomTheViewerHasNotSwiped(_ database: TestDatabase) async throws {
    try await TestPlatform.roommates(database: database) { host async throws in
      let viewer = try await host.roommate()
      let others = try await host.roommates(5)
      _ = try await host.roommate(.in("Boston"))
      let deck = try await viewer.deck()
      #expect(Set(deck) == Set(others.map(\.id)))
      #expect(try await viewer.deck(2) == Array(deck.prefix(2)))
      try await viewer.swipe(.dislike, others[0])
      try await viewer.swipe(.like, others[1])
      #expect(try await viewer.deck() == deck.filter { $0 != others[0].id && $0 != others[1].id })
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func newEditedAndHiddenProfilesShowAtOnce(_ database: TestDatabase) async throws {
    try await TestPlatform.roommates(database: database) { host async throws in
      let viewer = try await host.roommate()
      #expect(try await viewer.deck().isEmpty)
      let other = try await host.roommate()
      #expect(try await viewer.deck() == [other.id])
      try await other.put(.in("Boston"))
      #expect(try await viewer.deck().isEmpty)
      try await other.put(.in("Austin").with { $0.smoking = ChoicePreference(own: .inside) })
      #expect(try await viewer.deck() == [other.id])
      try await viewer.put(.in("Austin").with { $0.smoking = ChoicePreference(accepts: [.never], weight: .must) })
      #expect(try await viewer.deck().isEmpty)
      try await other.put(.in("Austin").with { $0.smoking = ChoicePreference(own: .never) })
      #expect(try await viewer.deck() == [other.id])
      try await other.put(.in("Austin").with { $0.smoking = ChoicePreference(own: .never) }, isComplete: false)
      #expect(try await viewer.deck().isEmpty)
      try await other.put(.in("Austin").with { $0.smoking = ChoicePreference(own: .never) })
      #expect(try await viewer.deck() == [other.id])
      _ = try await other.client.send(MatchingAPI.DeleteRoommateProfile())
      #expect(try await viewer.deck().isEmpty)
    }
  }

  @Test func cardsShowWhatEveryoneMaySee() async throws {
    try await TestPlatform.roommates { host async throws in
      let (viewer, other) = (try await host.roommate(), try await host.roommate(born: 1999))
      let deck = try await viewer.client.send(MatchingAPI.GetRoommateDeck())
      let card = try #require(deck.items.first)
      #expect(card.userID == other.id)
      #expect(card.age == 26)
      #expect(card.score == 100)
      #expect(card.reasons.map(\.code) == [.sameSchool])
      #expect(!deck.isStale)
      let raw = try await host.send(.get, "/v1/roommates/deck", by: viewer)
      let text = String(decoding: raw.body, as: UTF8.self)
      #expect(text.contains("Some College"))
      for secret in ["4155550100", "1999-06-15", "Lovelace"] { #expect(!text.contains(secret)) }
    }
  }

  @Test func theBestComeFirst() async throws {
    try await TestPlatform.roommates { host async throws in
      let viewer = try await host.roommate(
        .in("Austin").with { $0.sleep = ChoicePreference(accepts: [.early], weight: .prefer) })
      func sleeper(_ rhythm: SleepRhythm) async throws -> TestUser {
        try await host.roommate(.in("Austin").with { $0.sleep = ChoicePreference(own: rhythm) })
      }
      let late = try await sleeper(.late)
      let early = [try await sleeper(.early), try await sleeper(.early)]
      let cards = try await viewer.client.send(MatchingAPI.GetRoommateDeck()).items
      #expect(Set(cards.prefix(2).map(\.userID)) == Set(early.map(\.id)))
      #expect(cards.map(\.userID).last == late.id)
      #expect(cards.map(\.score) == [100, 100, 0])
    }
  }

  @Test func noOneIsShownTwiceUntilEveryoneWas() async throws {
    try await TestPlatform.roommates { host async throws in
      let viewer = try await host.roommate()
      let others = try await host.roommates(30)
      let byID = Dictionary(uniqueKeysWithValues: others.map { ($0.id, $0) })
      var seen: [UserID] = []
      while true {
        let deck = try await viewer.deck(4)
        if deck.isEmpty { break }
        for user in deck { try await viewer.swipe(seen.count % 2 == 0 ? .like : .dislike, try #require(byID[user])) }
        seen += deck
      }
      #expect(seen.count == 30)
      #expect(Set(seen) == Set(others.map(\.id)))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func undoingADislikeShowsThePersonAgain(_ database: TestDatabase) async throws {
    try await TestPlatform.roommates(database: database) { host async throws in
      let viewer = try await host.roommate()
      let others = try await host.roommates(3)
      try await viewer.swipe(.dislike, others[0])
      try await viewer.swipe(.dislike, others[1])
      try await viewer.swipe(.like, others[2])
      #expect(try await viewer.deck().isEmpty)
      #expect(try await viewer.client.send(MatchingAPI.UndoRoommateSwipe()).userID == others[1].id)
      #expect(try await viewer.deck() == [others[1].id])
      #expect(try await viewer.client.send(MatchingAPI.UndoRoommateSwipe()).userID == others[0].id)
      #expect(Set(try await viewer.deck()) == Set(others.prefix(2).map(\.id)))
      #expect(
        try await problem { _ = try await viewer.client.send(MatchingAPI.UndoRoommateSwipe()) }?.code
          == "nothing-to-undo")
      try await viewer.swipe(.dislike, others[0])
      #expect(try await viewer.deck() == [others[1].id])
    }
  }

  @Test func onlyCompleteProfilesHaveADeck() async throws {
    try await TestPlatform.roommates { host async throws in
      let user = try await host.swiper()
      #expect(try await problem { _ = try await user.deck() }?.code == "roommate-profile-incomplete")
      try await user.put(.in("Austin"), isComplete: false)
      #expect(try await problem { _ = try await user.deck() }?.code == "roommate-profile-incomplete")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anIndexThatIsTooFarBehindIsLoadedAgain(_ database: TestDatabase) async throws {
    try await TestPlatform.roommates(database: database) { host async throws in
      let viewer = try await host.roommate()
      #expect(try await viewer.deck().isEmpty)
      let others = try await host.roommates(3)
      try await host.database(of: MatchingAPI.self).write { tx in
        try RoommateProfileStore.purgeChanges(before: tx.now.advanced(bySeconds: 1), in: tx)
      }
      #expect(Set(try await viewer.deck()) == Set(others.map(\.id)))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func changesAreNumberedWithoutGaps(_ database: TestDatabase) async throws {
    try await TestPlatform.roommates(database: database) { host async throws in
      let users = try await host.roommates(6)
      _ = try await concurrently(users) { user in
        for city in ["Boston", "Chicago", "Denver"] { try await user.put(.in(city)) }
      }
      let numbers = try await host.database(of: MatchingAPI.self).read { db in
        try db.values("SELECT number FROM roommate_changes ORDER BY number", as: Int.self)
      }
      #expect(numbers == Array(1...24))
    }
  }

  @Test func anotherInstanceAgrees() async throws {
    try await TestPlatform.roommates { host async throws in
      let viewer = try await host.roommate()
      #expect(try await viewer.deck().isEmpty)
      // A profile that another instance stores is in the database only.
      let user: UserID = IDGenerator().make()
      let request = MatchingAPI.PutRoommateProfile.complete()
      let stages = RoommateStages(
        contact: request.contact, identity: request.identity, about: request.about, preferences: request.preferences,
        photos: request.photos)
      let store = RoommateProfileStore(keys: try .forTests(host.folder))
      try await host.database(of: MatchingAPI.self).write { tx in
        let profile = StoredRoommate(
          userID: user, generation: "1", isComplete: true, version: 1, stages: stages, updatedAt: tx.now,
          activeAt: tx.now)
        try store.save(profile, wasVisible: false, in: tx)
      }
      #expect(try await viewer.deck() == [user])
    }
  }

  @Test func theDeckAnswersWithoutAuth() async throws {
    try await TestPlatform.roommates { host async throws in
      let viewer = try await host.roommate()
      let others = try await host.roommates(3)
      try await host.database(of: AuthAPI.self).close()
      let deck = try await viewer.client.send(MatchingAPI.GetRoommateDeck())
      #expect(deck.isStale)
      #expect(Set(deck.items.map(\.userID)) == Set(others.map(\.id)))
      #expect(try await !viewer.swipe(.like, others[0]).isMatch)
    }
  }

  @Test func forgottenSetsAreReadAgain() {
    let seen = SwipedUsers(limit: 10)
    func swipes(_ count: Int) -> [StoredSwipe] {
      (1...count).map { StoredSwipe(target: IDGenerator().make(), sequence: Int64($0), decision: .like) }
    }
    let (ada, eve): (UserID, UserID) = (IDGenerator().make(), IDGenerator().make())
    let first = seen.update(ada, "1", known: nil, with: swipes(4))
    #expect(first.count == 4)
    #expect(seen.find(ada)?.sequence == 4)
    _ = seen.update(eve, "1", known: nil, with: swipes(8))
    #expect(seen.find(ada) == nil)
    // Swipes that the request knew still count.
    let known = SwipedUsers.Seen(generation: "1", sequence: 4, ids: first)
    #expect(seen.update(ada, "1", known: known, with: []).count == 4)
    #expect(seen.update(ada, "2", known: known, with: []).isEmpty)
  }
}
