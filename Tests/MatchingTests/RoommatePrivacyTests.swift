import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MatchingService

@Suite(.serialized)
struct RoommatePrivacyTests {
  @Test(arguments: TestDatabase.allCases)
  func erasureLeavesNothingOfAPerson(_ database: TestDatabase) async throws {
    try await TestPlatform.roommates(database: database) { host async throws in
      let (ada, eve, other) = (try await host.roommate(), try await host.roommate(), try await host.roommate())
      try await ada.swipe(.like, eve)
      try await eve.swipe(.like, ada)
      try await other.swipe(.like, ada)
      _ = try await ada.client.send(MatchingAPI.GetRoommateSuggestion())
      #expect(Set(try await other.deck()) == [eve.id])
      let plugin = try host.plugin(MatchingPlugin.self)
      let database = try host.database(of: MatchingAPI.self)
      try await database.write { tx in try plugin.eraseAll(of: ada.id, in: tx) }
      let counts = try await database.read { db in
        [
          try db.count("SELECT COUNT(*) FROM roommate_profiles WHERE user_id = \(ada.id)"),
          try db.count("SELECT COUNT(*) FROM roommate_swipers WHERE user_id = \(ada.id)"),
          try db.count("SELECT COUNT(*) FROM roommate_swipes WHERE user_id = \(ada.id) OR target_id = \(ada.id)"),
          try db.count("SELECT COUNT(*) FROM roommate_matches WHERE user_id = \(ada.id) OR other_id = \(ada.id)"),
          try db.count("SELECT COUNT(*) FROM roommate_suggestions WHERE user_id = \(ada.id) OR other_id = \(ada.id)"),
        ]
      }
      #expect(counts == [0, 0, 0, 0, 0])
      #expect(try await eve.client.send(MatchingAPI.ListRoommateMatches()).items.isEmpty)
      #expect(try await eve.deck() == [other.id])
      // Nor does the id remain in the changes that indexes follow.
      try await database.write { tx in
        try RoommateProfileStore.purgeChanges(before: tx.now.advanced(bySeconds: 1), in: tx)
      }
      #expect(try await database.read { db in try db.count("SELECT COUNT(*) FROM roommate_changes") } == 0)
    }
  }

  @Test func theExportHasProfileSwipesAndMatches() async throws {
    try await TestPlatform.roommates { host async throws in
      let (ada, eve, other) = (try await host.roommate(), try await host.roommate(), try await host.roommate())
      try await ada.swipe(.like, eve)
      try await eve.swipe(.like, ada)
      try await ada.swipe(.dislike, other)
      let plugin = try host.plugin(MatchingPlugin.self)
      let export = try await plugin.export(ada.id, from: host.database(of: MatchingAPI.self))
      let text = String(decoding: try WireJSON.encode(export), as: UTF8.self)
      for part in ["+14155550100", "Ada Lovelace", "2000-06-15", "roommateMatches", eve.id.rawValue, other.id.rawValue]
      {
        #expect(text.contains(part))
      }
    }
  }

  @Test func guestsSeeNoOneAndNoOneSeesThem() async throws {
    try await TestPlatform.roommates { host async throws in
      let (ada, guest) = (try await host.roommate(), try await host.swiper(host.ids.make(), [.guest]))
      // Nor does a profile that exists already help a guest.
      let known = try await host.swiper(ada.id, [.guest])
      for user in [guest, known] {
        let refusals = [
          try await problem { try await user.put(.in("Austin")) },
          try await problem { _ = try await user.client.send(MatchingAPI.GetRoommateProfile()) },
          try await problem { _ = try await user.client.send(MatchingAPI.DeleteRoommateProfile()) },
          try await problem { _ = try await user.deck() },
          try await problem { _ = try await user.swipe(.like, ada) },
          try await problem { _ = try await user.client.send(MatchingAPI.UndoRoommateSwipe()) },
          try await problem { _ = try await user.client.send(MatchingAPI.ListRoommateLikes()) },
          try await problem { _ = try await user.client.send(MatchingAPI.ListRoommateMatches()) },
          try await problem { _ = try await user.client.send(MatchingAPI.GetRoommateMatch(userID: ada.id)) },
          try await problem { _ = try await user.client.send(MatchingAPI.GetRoommateSuggestion()) },
        ]
        #expect(refusals.map { $0?.code } == Array(repeating: "forbidden", count: refusals.count))
      }
      let profiles = try await host.database(of: MatchingAPI.self).read { db in
        try db.values("SELECT user_id FROM roommate_profiles", as: UserID.self)
      }
      #expect(profiles == [ada.id])
    }
  }

  @Test func aNewProfileBeginsAnewButIsNotShownToThoseWhoHaveSeenIt() async throws {
    try await TestPlatform.roommates { host async throws in
      let (ada, eve) = (try await host.roommate(), try await host.roommate())
      try await ada.swipe(.like, eve)
      try await eve.swipe(.like, ada)
      #expect(try await ada.deck().isEmpty)
      _ = try await ada.client.send(MatchingAPI.DeleteRoommateProfile())
      #expect(try await eve.client.send(MatchingAPI.ListRoommateMatches()).items.isEmpty)
      try await ada.put(.in("Austin"))
      #expect(try await ada.deck() == [eve.id])
      #expect(try await eve.deck().isEmpty)
    }
  }
}
