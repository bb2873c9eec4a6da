import Contracts
import Foundation
import Persistence
import TestKit
import Testing

@testable import MatchingService

@Suite(.serialized)
struct RoommateProfileTests {
  private static func errors(_ user: TestUser, _ request: MatchingAPI.PutRoommateProfile) async throws -> [String] {
    let refusal = try await problem { _ = try await user.client.send(request) }
    #expect(refusal?.code == "invalid-request")
    return (refusal?.errors ?? []).map(\.location)
  }

  /// The rows of all tables that a profile may leave something in.
  private static func rows(_ host: TestPlatform) async throws -> [Int] {
    let tables: [SQL] = [
      "SELECT COUNT(*) FROM roommate_profiles", "SELECT COUNT(*) FROM roommate_changes",
      "SELECT COUNT(*) FROM roommate_swipes", "SELECT COUNT(*) FROM roommate_swipers",
      "SELECT COUNT(*) FROM roommate_matches", "SELECT COUNT(*) FROM roommate_suggestions",
      "SELECT COUNT(*) FROM audit", "SELECT COUNT(*) FROM idempotency_keys", "SELECT COUNT(*) FROM jobs",
    ]
    return try await host.database(of: MatchingAPI.self).read { db in try tables.map { try db.count($0) } }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDraftTakesStagesInAnyOrder(_ database: TestDatabase) async throws {
    try await TestPlatform.roommates(database: database) { host async throws in
      let user = try await host.swiper()
      #expect(
        try await problem { _ = try await user.client.send(MatchingAPI.GetRoommateProfile()) }?.code
          == "roommate-profile-not-found")
      let complete = MatchingAPI.PutRoommateProfile.complete()
      let first = try await user.client.send(MatchingAPI.PutRoommateProfile(photos: complete.photos))
      #expect(first.missingStages == [.contact, .identity, .about, .preferences])
      #expect(!first.isComplete)
      let second = try await user.client.send(
        MatchingAPI.PutRoommateProfile(identity: complete.identity, photos: complete.photos))
      #expect(second.missingStages == [.contact, .about, .preferences])
      #expect(second.version == 2)
      let done = try await user.client.send(complete)
      #expect(done.missingStages.isEmpty)
      #expect(try await user.client.send(MatchingAPI.GetRoommateProfile()) == done)
    }
  }

  @Test func aCompleteProfileHasEveryStage() async throws {
    try await TestPlatform.roommates { host async throws in
      let user = try await host.swiper()
      #expect(
        try await Self.errors(user, MatchingAPI.PutRoommateProfile(isComplete: true)) == [
          "body.contact", "body.identity", "body.about", "body.preferences", "body.photos",
        ])
      #expect(try await Self.errors(user, .complete(RoommatePreferences())) == ["body.preferences.place"])
    }
  }

  @Test func aCompleteProfileStaysComplete() async throws {
    try await TestPlatform.roommates { host async throws in
      let user = try await host.roommate()
      var less = MatchingAPI.PutRoommateProfile.complete()
      less.photos = nil
      #expect(try await Self.errors(user, less) == ["body.photos"])
      less.isComplete = false
      #expect(try await user.client.send(less).missingStages == [.photos])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func cancelingTheSetUpLeavesNothing(_ database: TestDatabase) async throws {
    try await TestPlatform.roommates(database: database) { host async throws in
      let before = try await Self.rows(host)
      let user = try await host.swiper()
      var draft = MatchingAPI.PutRoommateProfile.complete(.at(52.5, 13.4))
      draft.isComplete = false
      _ = try await user.client.send(draft)
      draft.photos = nil
      _ = try await user.client.send(draft)
      #expect(try await Self.rows(host) != before)
      _ = try await user.client.send(MatchingAPI.DeleteRoommateProfile())
      #expect(try await Self.rows(host) == before)
      let uses = try await host.recorded(MediaReferencesChanged.self, by: MatchingAPI.self).map(\.uses.isEmpty)
      #expect(uses.first == false)
      #expect(uses.last == true)
      let number = try await host.database(of: MatchingAPI.self).read { db in
        try RoommateProfileStore.changeNumber(in: db)
      }
      #expect(number == 0)
      // Canceling again changes nothing.
      _ = try await user.client.send(MatchingAPI.DeleteRoommateProfile())
    }
  }

  @Test func valuesAreNotReadableInTheDatabase() async throws {
    try await TestPlatform.roommates { host async throws in
      _ = try await host.roommate(.in("Ouagadougou", "BF"))
      let rows = try await host.database(of: MatchingAPI.self).read { db in
        try db.all("SELECT sealed, region FROM roommate_profiles") { row -> String in
          "\(try row["sealed"] as String) \(try row["region"] as String)"
        }
      }
      #expect(rows.count == 1)
      for secret in ["Ouagadougou", "Lovelace", "4155550100", "2000-06-15", "College", "Quiet"] {
        #expect(!rows.contains { $0.contains(secret) })
      }
    }
  }

  @Test func anEditExpectsItsVersion() async throws {
    try await TestPlatform.roommates { host async throws in
      let user = try await host.roommate()
      var edit = MatchingAPI.PutRoommateProfile.complete(.in("Boston"))
      edit.ifMatch = EntityTag(version: 1)
      #expect(try await user.client.send(edit).version == 2)
      // The same request again is answered as the first time.
      #expect(try await user.client.send(edit).version == 2)
      edit.about = RoommateAbout(bio: Biography(checked: "Loud."))
      #expect(try await problem { _ = try await user.client.send(edit) }?.code == "version-mismatch")
      let other = try await host.swiper()
      #expect(try await problem { _ = try await other.client.send(edit) }?.code == "version-mismatch")
    }
  }

  @Test func someoneBecomesVisibleTenTimesADay() async throws {
    try await TestPlatform.roommates { host async throws in
      let user = try await host.roommate()
      for _ in 0..<9 {
        _ = try await user.client.send(MatchingAPI.DeleteRoommateProfile())
        try await user.put(.in("Austin"))
      }
      _ = try await user.client.send(MatchingAPI.DeleteRoommateProfile())
      let refusal = try await problem { try await user.put(.in("Austin")) }
      #expect(refusal?.code == "too-many-requests")
      #expect(refusal?.retryAfter == 8640)
      // Neither does it help to begin with a draft.
      try await user.put(.in("Austin"), isComplete: false)
      #expect(try await problem { try await user.put(.in("Austin")) }?.code == "too-many-requests")
      host.time.advance(seconds: 8640)
      try await user.put(.in("Austin"))
    }
  }

  @Test func aVisibleProfileIsChangedSixtyTimesAnHour() async throws {
    try await TestPlatform.roommates { host async throws in
      let (user, other) = (try await host.roommate(), try await host.roommate())
      for number in 0..<60 { try await user.put(.in("City \(number)")) }
      #expect(try await problem { try await user.put(.in("Austin")) }?.code == "too-many-requests")
      #expect(try await user.client.send(MatchingAPI.GetRoommateProfile()).version == 61)
      try await other.put(.in("Boston"))
      host.time.advance(seconds: 60)
      try await user.put(.in("Austin"))
    }
  }

  @Test func roommatesAreAdults() async throws {
    try await TestPlatform.roommates { host async throws in
      let user = try await host.swiper()
      // The clock says January 1, 2026.
      func born(_ day: String) throws -> MatchingAPI.PutRoommateProfile {
        let birthday = try #require(CalendarDate(day))
        return MatchingAPI.PutRoommateProfile(
          identity: RoommateIdentity(fullName: PersonName(checked: "Ada"), birthday: birthday, gender: .female))
      }
      #expect(try await Self.errors(user, born("2008-01-02")) == ["body.identity.birthday"])
      #expect(try await Self.errors(user, born("1850-01-02")) == ["body.identity.birthday"])
      _ = try await user.client.send(born("2008-01-01"))
    }
  }

  @Test func invalidPreferencesAreNamed() async throws {
    try await TestPlatform.roommates { host async throws in
      let user = try await host.swiper()
      let wrong = RoommatePreferences(place: RoommatePlace()).with {
        $0.budget = BudgetPreference(from: -1, to: Price.limit + 1, currency: .usd)
        $0.stay = StayPreference(from: StayMonths(checked: 6), to: StayMonths(checked: 5))
        $0.smoking = ChoicePreference(own: .never, weight: .must)
        $0.pets = SetPreference(own: [.none, .cat])
        $0.gender = GenderPreference(accepts: [], weight: .prefer)
        $0.sleep = ChoicePreference(accepts: [.early, .early])
      }
      #expect(
        try await Self.errors(user, MatchingAPI.PutRoommateProfile(preferences: wrong)) == [
          "body.preferences.place", "body.preferences.budget.from", "body.preferences.budget.to",
          "body.preferences.stay.to", "body.preferences.gender.accepts", "body.preferences.smoking.accepts",
          "body.preferences.sleep.accepts", "body.preferences.pets.own",
        ])
      var photos = MatchingAPI.PutRoommateProfile()
      photos.photos = RoommatePhotos(card: IDGenerator().make(), others: (0..<9).map { _ in IDGenerator().make() })
      #expect(try await Self.errors(user, photos) == ["body.photos.others"])
    }
  }

  @Test func theTableDescribesEveryField() async throws {
    try await TestPlatform.roommates { host async throws in
      let fields = try await host.client.send(MatchingAPI.GetPreferenceFields()).items
      let properties = Mirror(reflecting: RoommatePreferences()).children.compactMap(\.label)
      #expect(fields.map(\.key) == properties)
      #expect(fields.first { $0.key == "smoking" }?.values == ["never", "outside", "inside"])
    }
  }
}
