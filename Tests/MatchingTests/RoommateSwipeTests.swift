import Contracts
import Persistence
import TestKit
import Testing

@testable import MatchingService

@Suite(.serialized)
struct RoommateSwipeTests {
  @Test(arguments: TestDatabase.allCases)
  func aMutualLikeIsAMatchThatBothLearnOf(_ database: TestDatabase) async throws {
    try await TestPlatform.roommates(database: database) { host async throws in
      let (ada, eve) = (try await host.roommate(), try await host.roommate())
      #expect(try await !ada.swipe(.like, eve).isMatch)
      #expect(try await host.recorded(RealtimeEvent.self).isEmpty)
      let answer = try await eve.swipe(.like, ada)
      #expect(answer.isMatch)
      #expect(answer.match?.profile?.fullName.rawValue == "Ada Lovelace")
      let events = try await host.recorded(RealtimeEvent.self).map {
        try WireJSON.decode(RealtimeEvent.self, from: $0.utf8)
      }
      #expect(events.map(\.name) == ["roommate.matched", "roommate.matched"])
      #expect(Set(events.map(\.userID)) == [ada.id, eve.id])
      let pushes = try await host.recorded(PushRequested.self)
      #expect(pushes.count == 2)
      #expect(!pushes.contains { $0.contains("Lovelace") })
      // The same like again: the same answer, and no other event.
      #expect(try await eve.swipe(.like, ada) == answer)
      #expect(try await ada.swipe(.like, eve).isMatch)
      #expect(try await host.recorded(RealtimeEvent.self).count == 2)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func matchingAgainWithANewProfileNotifiesNoOneAgain(_ database: TestDatabase) async throws {
    try await TestPlatform.roommates(database: database) { host async throws in
      let (ada, eve) = (try await host.roommate(), try await host.roommate())
      try await eve.swipe(.like, ada)
      #expect(try await ada.swipe(.like, eve).isMatch)
      for _ in 0..<3 {
        _ = try await ada.client.send(MatchingAPI.DeleteRoommateProfile())
        try await ada.put(.in("Austin"))
        #expect(try await ada.swipe(.like, eve).isMatch)
      }
      #expect(try await eve.client.send(MatchingAPI.ListRoommateMatches()).items.map(\.userID) == [ada.id])
      #expect(try await host.recorded(PushRequested.self).count == 2)
      #expect(try await host.recorded(RealtimeEvent.self).count == 2)
      // Another pair is notified.
      let bob = try await host.roommate()
      try await bob.swipe(.like, eve)
      try await eve.swipe(.like, bob)
      #expect(try await host.recorded(PushRequested.self).count == 4)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func concurrentMutualLikesMakeOneMatchEach(_ database: TestDatabase) async throws {
    try await TestPlatform.roommates(database: database) { host async throws in
      let users = try await host.roommates(40)
      let pairs = (0..<20).map { (users[2 * $0], users[2 * $0 + 1]) }
      var random = SeededGenerator()
      let likes = (pairs + pairs.map { ($0.1, $0.0) }).shuffled(using: &random)
      _ = try await concurrently(likes) { like in
        try await retryingUnavailable { try await like.0.swipe(.like, like.1) }
      }
      for (one, other) in pairs {
        for user in [one, other] {
          let matches = try await user.client.send(MatchingAPI.ListRoommateMatches()).items
          #expect(matches.map(\.userID) == [user.id == one.id ? other.id : one.id], "\(random)")
        }
      }
      let rows = try await host.database(of: MatchingAPI.self).read { db in
        try db.count("SELECT COUNT(*) FROM roommate_matches")
      }
      #expect(rows == 40)
      #expect(try await host.recorded(RealtimeEvent.self).count == 40)
    }
  }

  @Test func whoCannotBeSwipedOn() async throws {
    try await TestPlatform.roommates { host async throws in
      let (ada, draft) = (try await host.roommate(), try await host.swiper())
      try await draft.put(.in("Austin"), isComplete: false)
      #expect(try await problem { try await ada.swipe(.like, ada) }?.errors?.map(\.location) == ["body.userID"])
      #expect(try await problem { try await ada.swipe(.like, draft) }?.code == "roommate-not-found")
      let unknown = try await host.swiper()
      #expect(try await problem { try await ada.swipe(.like, unknown) }?.code == "roommate-not-found")
      let gone = try await host.roommate()
      #expect(try await ada.deck() == [gone.id])
      _ = try await gone.client.send(MatchingAPI.DeleteRoommateProfile())
      #expect(try await problem { try await ada.swipe(.like, gone) }?.code == "roommate-not-found")
      #expect(try await problem { try await unknown.swipe(.like, ada) }?.code == "roommate-profile-incomplete")
      #expect(try await problem { try await draft.swipe(.like, ada) }?.code == "roommate-profile-incomplete")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func onlyThoseWhomTheDeckMayShowCanBeSwipedOn(_ database: TestDatabase) async throws {
    try await TestPlatform.roommates(database: database) { host async throws in
      let women = RoommatePreferences.in("Austin").with {
        $0.gender = GenderPreference(accepts: [.female], weight: .must)
      }
      let (ada, bob) = (try await host.roommate(women), try await host.roommate(gender: .male))
      let far = try await host.roommate(.in("Boston"))
      for (viewer, other) in [(bob, ada), (ada, bob), (far, ada), (ada, far)] {
        for decision in [RoommateDecision.like, .dislike] {
          #expect(try await problem { try await viewer.swipe(decision, other) }?.code == "roommate-not-found")
        }
      }
      let swipes = try await host.database(of: MatchingAPI.self).read { db in
        try db.count("SELECT COUNT(*) FROM roommate_swipes")
      }
      #expect(swipes == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func whoIsNoLongerEligibleIsNotShownAndNotMatched(_ database: TestDatabase) async throws {
    try await TestPlatform.roommates(database: database) { host async throws in
      let (ada, eve) = (try await host.roommate(), try await host.roommate())
      func given() async throws -> [UserID] {
        try await eve.client.send(MatchingAPI.ListRoommateLikes(direction: .given)).items.map(\.card.userID)
      }
      func received() async throws -> [UserID] {
        try await ada.client.send(MatchingAPI.ListRoommateLikes()).items.map(\.card.userID)
      }
      try await eve.swipe(.like, ada)
      #expect(try await given() == [ada.id])
      #expect(try await received() == [eve.id])
      try await ada.put(.in("Austin").with { $0.smoking = ChoicePreference(accepts: [.never], weight: .must) })
      #expect(try await given().isEmpty)
      #expect(try await received().isEmpty)
      #expect(try await problem { try await ada.swipe(.like, eve) }?.code == "roommate-not-found")
      // The same like again is answered as before, and it can be taken back, but not be given anew.
      #expect(try await !eve.swipe(.like, ada).isMatch)
      try await eve.swipe(.dislike, ada)
      #expect(try await problem { try await eve.swipe(.like, ada) }?.code == "roommate-not-found")
      try await ada.put(.in("Austin"))
      try await eve.swipe(.like, ada)
      #expect(try await received() == [eve.id])
    }
  }

  @Test func aDecisionChangesUntilTheMatch() async throws {
    try await TestPlatform.roommates { host async throws in
      let (ada, eve) = (try await host.roommate(), try await host.roommate())
      try await ada.swipe(.like, eve)
      try await ada.swipe(.dislike, eve)
      #expect(try await !eve.swipe(.like, ada).isMatch)
      #expect(try await ada.swipe(.like, eve).isMatch)
      #expect(try await problem { try await ada.swipe(.dislike, eve) }?.code == "roommate-matched")
      #expect(
        try await problem { _ = try await ada.client.send(MatchingAPI.UndoRoommateSwipe()) }?.code
          == "nothing-to-undo")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func likesAreListedInBothDirections(_ database: TestDatabase) async throws {
    try await TestPlatform.roommates(database: database) { host async throws in
      let ada = try await host.roommate()
      let others = try await host.roommates(5)
      for other in others.prefix(4) { try await other.swipe(.like, ada) }
      try await ada.swipe(.dislike, others[0])
      try await ada.swipe(.like, others[1])
      try await ada.swipe(.like, others[4])
      let received = try await ada.client.send(MatchingAPI.ListRoommateLikes())
      #expect(received.items.map(\.card.userID) == [others[3].id, others[2].id])
      let given = try await ada.client.send(MatchingAPI.ListRoommateLikes(direction: .given))
      #expect(given.items.map(\.card.userID) == [others[4].id])
      try await others[3].put(.in("Austin"), isComplete: false)
      #expect(
        try await ada.client.send(MatchingAPI.ListRoommateLikes()).items.map(\.card.userID) == [others[2].id])
    }
  }

  @Test func likesAndMatchesHavePages() async throws {
    try await TestPlatform.roommates { host async throws in
      let ada = try await host.roommate()
      let others = try await host.roommates(5)
      for other in others { try await other.swipe(.like, ada) }
      var found: [UserID] = []
      var cursor: String?
      repeat {
        let page = try await ada.client.send(
          MatchingAPI.ListRoommateLikes(limit: PageSize(checked: 2), cursor: cursor))
        found += page.items.map(\.card.userID)
        cursor = page.nextCursor
      } while cursor != nil
      #expect(found == others.reversed().map(\.id))
      for other in others { try await ada.swipe(.like, other) }
      let first = try await ada.client.send(MatchingAPI.ListRoommateMatches(limit: PageSize(checked: 3)))
      let rest = try await ada.client.send(MatchingAPI.ListRoommateMatches(cursor: first.nextCursor))
      #expect((first.items + rest.items).map(\.userID) == others.reversed().map(\.id))
      #expect(
        try await problem { _ = try await ada.client.send(MatchingAPI.ListRoommateLikes(cursor: "x")) }?.code
          == "invalid-request")
    }
  }

  @Test func aMatchShowsTheFullProfileAsItIsNow() async throws {
    try await TestPlatform.roommates { host async throws in
      let (ada, eve, other) = (try await host.roommate(), try await host.roommate(), try await host.roommate())
      try await ada.swipe(.like, eve)
      try await eve.swipe(.like, ada)
      var edited = MatchingAPI.PutRoommateProfile.complete()
      edited.about?.bio = Biography(checked: "Louder now.")
      _ = try await eve.client.send(edited)
      let match = try await ada.client.send(MatchingAPI.GetRoommateMatch(userID: eve.id))
      #expect(match.profile?.card.bio.rawValue == "Louder now.")
      #expect(match.profile?.photos == edited.photos)
      #expect(
        try await problem { _ = try await ada.client.send(MatchingAPI.GetRoommateMatch(userID: other.id)) }?.code
          == "roommate-not-found")
      try await eve.put(.in("Austin"), isComplete: false)
      #expect(try await ada.client.send(MatchingAPI.GetRoommateMatch(userID: eve.id)).profile == nil)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anEndedMatchIsNeverMadeAgain(_ database: TestDatabase) async throws {
    try await TestPlatform.roommates(database: database) { host async throws in
      let (ada, eve, other) = (try await host.roommate(), try await host.roommate(), try await host.roommate())
      try await ada.swipe(.like, eve)
      try await eve.swipe(.like, ada)
      let database = try host.database(of: MatchingAPI.self)
      #expect(try await database.read { db in try MatchStore.areMatched(eve.id, ada.id, in: db) })
      try await database.write { tx in
        try MatchStore.end(between: ada.id, and: eve.id, in: tx)
        // Not a match, and no one has swiped.
        try MatchStore.end(between: other.id, and: ada.id, in: tx)
        try MatchStore.end(between: other.id, and: ada.id, in: tx)
      }
      #expect(try await !database.read { db in try MatchStore.areMatched(ada.id, eve.id, in: db) })
      for (user, partner) in [(ada, eve), (eve, ada), (ada, other), (other, ada)] {
        #expect(try await !user.deck().contains(partner.id))
        #expect(try await user.client.send(MatchingAPI.ListRoommateMatches()).items.isEmpty)
        #expect(try await user.client.send(MatchingAPI.ListRoommateLikes(direction: .given)).items.isEmpty)
        #expect(try await problem { try await user.swipe(.like, partner) }?.code == "roommate-not-found")
      }
    }
  }
}
