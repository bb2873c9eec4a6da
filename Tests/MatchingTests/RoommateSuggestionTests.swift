import Contracts
import Observability
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MatchingService

@Suite(.serialized)
struct RoommateSuggestionTests {
  private static func suggestion(_ user: TestUser) async throws -> UserID? {
    try await user.client.send(MatchingAPI.GetRoommateSuggestion()).card?.userID
  }

  @Test(arguments: TestDatabase.allCases)
  func twoPeopleAreSuggestedToEachOtherForADay(_ database: TestDatabase) async throws {
    try await TestPlatform.roommates(database: database) { host async throws in
      let users = try await host.roommates(6)
      let found = try await concurrently(users) { user in (user.id, try await Self.suggestion(user)) }
      let partners = Dictionary(uniqueKeysWithValues: found)
      for (user, partner) in found where partner != nil { #expect(partners[partner ?? user] == user) }
      for user in users { #expect(try await Self.suggestion(user) == partners[user.id] ?? nil) }
      // All suit each other equally, so their orders are arbitrary: one of each circle of three may be left out.
      #expect(found.count { $0.1 != nil } >= 4)
      host.time.advance(seconds: 86_400)
      let next = try await concurrently(users) { user in try await Self.suggestion(user) }
      #expect(Set(next.compactMap(\.self)).count >= 4)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func simultaneousFirstRequestsPairThePeopleOnce(_ database: TestDatabase) async throws {
    try await TestPlatform.roommates(database: database) { host async throws in
      let users = try await host.roommates(24)
      _ = try await concurrently(users) { user in try await Self.suggestion(user) }
      let line = /\nroommate_suggestion_computations_total (\d+)/
      #expect(try #require(host.platform.metrics.text().firstMatch(of: line)).1 == "1")
      host.time.advance(seconds: 86_400)
      _ = try await concurrently(users) { user in try await Self.suggestion(user) }
      #expect(try #require(host.platform.metrics.text().firstMatch(of: line)).1 == "2")
    }
  }

  @Test func aFailureIsNotKept() async throws {
    let flight = SingleFlight<Int>()
    await #expect(throws: CancellationError.self) { try await flight.run(1) { throw CancellationError() } }
    try await confirmation { done in try await flight.run(1) { done() } }
  }

  @Test func theOneWhoSuitsBestIsSuggested() async throws {
    try await TestPlatform.roommates { host async throws in
      func sleeper(_ own: SleepRhythm) async throws -> TestUser {
        try await host.roommate(
          .in("Austin").with { $0.sleep = ChoicePreference(own: own, accepts: [own], weight: .prefer) })
      }
      let users = [
        try await sleeper(.early), try await sleeper(.late), try await sleeper(.late), try await sleeper(.early),
      ]
      #expect(try await Self.suggestion(users[0]) == users[3].id)
      #expect(try await Self.suggestion(users[2]) == users[1].id)
    }
  }

  @Test func aSwipeEndsTheSuggestionForBoth() async throws {
    try await TestPlatform.roommates { host async throws in
      let (ada, eve) = (try await host.roommate(), try await host.roommate())
      #expect(try await Self.suggestion(ada) == eve.id)
      try await ada.swipe(.like, eve)
      #expect(try await Self.suggestion(ada) == nil)
      #expect(try await Self.suggestion(eve) == nil)
      host.time.advance(seconds: 86_400)
      #expect(try await Self.suggestion(ada) == nil)
    }
  }

  @Test func hiddenProfilesAreNotSuggested() async throws {
    try await TestPlatform.roommates { host async throws in
      let (ada, eve) = (try await host.roommate(), try await host.roommate())
      #expect(try await Self.suggestion(ada) == eve.id)
      try await eve.put(.in("Austin"), isComplete: false)
      #expect(try await Self.suggestion(ada) == nil)
      #expect(try await problem { _ = try await Self.suggestion(eve) }?.code == "roommate-profile-incomplete")
    }
  }

  @Test func whoIsNoLongerEligibleIsNotSuggested() async throws {
    try await TestPlatform.roommates { host async throws in
      let (ada, eve) = (try await host.roommate(), try await host.roommate())
      #expect(try await Self.suggestion(ada) == eve.id)
      try await eve.put(.in("Austin").with { $0.smoking = ChoicePreference(accepts: [.never], weight: .must) })
      #expect(try await Self.suggestion(ada) == nil)
      #expect(try await Self.suggestion(eve) == nil)
    }
  }

  @Test func whatWasDecidedEarlierIsPurged() async throws {
    try await TestPlatform.roommates { host async throws in
      let users = try await host.roommates(2)
      _ = try await Self.suggestion(users[0])
      let plugin = try host.plugin(MatchingPlugin.self)
      let count: @Sendable () async throws -> Int = {
        try await host.database(of: MatchingAPI.self).read { db in
          try db.count("SELECT COUNT(*) FROM roommate_suggestions")
        }
      }
      _ = try await plugin.runOnce("roommates.purge-suggestions")
      #expect(try await count() == 2)
      host.time.advance(seconds: 2 * 86_400)
      _ = try await plugin.runOnce("roommates.purge-suggestions")
      #expect(try await count() == 0)
    }
  }
}
