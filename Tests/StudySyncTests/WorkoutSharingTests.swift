import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct WorkoutSharingTests {
  private func share(_ workout: Workout, by user: TestUser, includesKilocalories: Bool? = nil) async throws -> Workout {
    try await user.client.send(StudyAPI.ShareWorkout(id: workout.id, includesKilocalories: includesKilocalories))
  }

  @Test(arguments: TestDatabase.allCases)
  func followersSeeWhatIsShared(_ database: TestDatabase) async throws {
    try await StudyHost.runWithFollowers(database) { host async throws in
      let (ada, bob, eve) = (try await host.user("ada"), try await host.user("bob"), try await host.user("eve"))
      try await host.follow(bob, ada)
      let workout = try await host.squats(of: ada)
      _ = try await host.squats(of: ada)
      #expect(try await host.shared(by: ada, seenBy: bob) == [])
      _ = try await share(workout, by: ada)
      let seen = try await host.shared(by: ada, seenBy: bob)
      #expect(seen.map(\.id) == [workout.id])
      #expect(seen.map(\.activeSeconds) == [1800])
      #expect(seen.map(\.kilocalories) == [nil])
      #expect(try await host.shared(by: ada, seenBy: ada) == seen)
      #expect(try await code { _ = try await host.shared(by: ada, seenBy: eve) } == "user-not-found")
      #expect(try await code { _ = try await host.shared(by: bob, seenBy: ada) } == "user-not-found")
      _ = try await share(workout, by: ada, includesKilocalories: true)
      #expect(try await host.shared(by: ada, seenBy: bob).map(\.kilocalories) == [202.39])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func followersAreNotifiedOfTwentyWorkoutsAnHour(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      for _ in 0..<22 {
        let workout = try await host.squats(of: ada)
        _ = try await share(workout, by: ada)
      }
      let events = try await host.test.recorded(UserTopicEvent.self, by: StudyAPI.self)
      #expect(events.count == 20)
      #expect(try await host.count("SELECT COUNT(*) FROM workouts WHERE shared_at IS NOT NULL") == 22)
    }
  }

  @Test func aRunningWorkoutIsNotShared() async throws {
    try await StudyHost.runWithFollowers { host async throws in
      let ada = try await host.user("ada")
      let running = try await ada.client.send(StudyAPI.StartWorkout(type: "running"))
      #expect(try await code { _ = try await share(running, by: ada) } == "workout-unfinished")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func followersAreNotifiedOnceThroughMatching(_ database: TestDatabase) async throws {
    try await StudyHost.runWithFollowers(database) { host async throws in
      let ada = try await host.user("ada")
      let workout = try await host.squats(of: ada)
      for _ in 1...2 { _ = try await share(workout, by: ada, includesKilocalories: true) }
      let events = try await host.test.recorded(UserTopicEvent.self, by: StudyAPI.self)
      #expect(events.map(\.name) == ["workout.shared"])
      let event = try #require(events.first)
      let expected: JSONValue = [
        "id": .string(workout.id.rawValue), "type": "squats", "minutes": 30, "kilocalories": 202,
      ]
      #expect(event.data == expected)
      try await host.test.deliver(event, from: StudyAPI.self, to: MatchingAPI.self)
      let sent = try await host.test.recorded(TopicEvent.self, by: MatchingAPI.self)
      #expect(sent.map(\.topic) == [UserTopic.progress.of(ada.id)])
      #expect(sent.map(\.data) == [expected])
    }
  }

  @Test func aDeviceSharesWhatItFinishes() async throws {
    try await StudyHost.runWithFollowers { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      try await host.follow(bob, ada)
      var phone = host.device(1, of: ada)
      var fields = host.workoutFields(from: 3600, to: 1800)
      fields.members.append(.init(name: "isShared", value: true))
      let id = phone.newID()
      try await phone.sync([phone.operation(.workouts, id, fields)])
      #expect(try await host.shared(by: ada, seenBy: bob).map(\.id.rawValue) == [id])
      let events = try await host.test.recorded(UserTopicEvent.self, by: StudyAPI.self)
      #expect(events.map { $0.data["kilocalories"] } == [nil])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func followersReactAndTheOwnerIsNotified(_ database: TestDatabase) async throws {
    try await StudyHost.runWithFollowers(database) { host async throws in
      let (ada, bob, eve) = (try await host.user("ada"), try await host.user("bob"), try await host.user("eve"))
      try await host.follow(bob, ada)
      let workout = try await share(host.squats(of: ada), by: ada)
      for _ in 1...2 { try await host.react("💪", to: workout, by: bob) }
      host.test.time.advance(seconds: 1)
      try await host.react("🎉", to: workout, by: ada)
      #expect(try await code { try await host.react("💪", to: workout, by: eve) } == "workout-not-found")
      let reactions = try await host.shared(by: ada, seenBy: bob).map(\.sharing.reactions)
      let expected = [
        FollowerReaction(emoji: "💪", count: 1, isMine: true), FollowerReaction(emoji: "🎉", count: 1, isMine: false),
      ]
      #expect(reactions == [expected])
      #expect(try await host.workout(workout, of: ada).sharing?.reactions.map(\.isMine) == [false, true])
      let notices = try await host.test.recorded(RealtimeEvent.self, by: StudyAPI.self)
      #expect(notices.filter { $0.name == "workout.reaction" }.map(\.userID) == [ada.id])
      _ = try await bob.client.send(StudyAPI.RemoveWorkoutReaction(id: workout.id, emoji: "💪"))
      #expect(try await host.workout(workout, of: ada).sharing?.reactions.map(\.emoji) == ["🎉"])
    }
  }

  @Test func reactionsOfAUserAreLimited() async throws {
    try await StudyHost.runWithFollowers { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      try await host.follow(bob, ada)
      let workout = try await share(host.squats(of: ada), by: ada)
      for emoji in ["💪", "🎉", "🔥", "👍", "😀"] as [Emoji] { try await host.react(emoji, to: workout, by: bob) }
      #expect(try await code { try await host.react("🚀", to: workout, by: bob) } == "reaction-limit")
      #expect(try await host.workout(workout, of: ada).sharing?.reactions.count == 5)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aBlockEndsSeeingAndReacting(_ database: TestDatabase) async throws {
    try await StudyHost.runWithFollowers(database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      try await host.follow(bob, ada)
      let workout = try await share(host.squats(of: ada), by: ada)
      try await host.react("💪", to: workout, by: bob)
      // The event alone ends it, even while matching still answers that Bob follows.
      let block = BlockChanged(blocker: ada.id, blocked: bob.id, isBlocked: true)
      try await host.test.deliver(block, from: MatchingAPI.self, to: StudyAPI.self)
      #expect(try await code { _ = try await host.shared(by: ada, seenBy: bob) } == "user-not-found")
      #expect(try await code { try await host.react("🔥", to: workout, by: bob) } == "workout-not-found")
      #expect(try await host.workout(workout, of: ada).sharing?.reactions == [])
    }
  }

  @Test func matchingAloneEndsItToo() async throws {
    try await StudyHost.runWithFollowers { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      try await host.follow(bob, ada)
      let workout = try await share(host.squats(of: ada), by: ada)
      _ = try await ada.client.send(MatchingAPI.BlockUser(userID: bob.id))
      #expect(try await code { _ = try await host.shared(by: ada, seenBy: bob) } == "user-not-found")
      #expect(try await code { try await host.react("🔥", to: workout, by: bob) } == "workout-not-found")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func whatIsNoLongerSharedLosesItsReactions(_ database: TestDatabase) async throws {
    try await StudyHost.runWithFollowers(database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      try await host.follow(bob, ada)
      let (hidden, deleted) = (
        try await share(host.squats(of: ada), by: ada), try await share(host.squats(of: ada), by: ada)
      )
      for workout in [hidden, deleted] { try await host.react("💪", to: workout, by: bob) }
      _ = try await ada.client.send(StudyAPI.UnshareWorkout(id: hidden.id))
      _ = try await ada.client.send(StudyAPI.DeleteWorkout(id: deleted.id))
      #expect(try await host.shared(by: ada, seenBy: bob) == [])
      let rows = try await host.database.read { db in try db.count("SELECT COUNT(*) FROM workout_reactions") }
      #expect(rows == 0)
      let events = try await host.test.recorded(UserTopicEvent.self, by: StudyAPI.self).filter {
        $0.name == "workout.unshared"
      }
      #expect(events.map { $0.data["id"]?.string } == [hidden.id.rawValue, deleted.id.rawValue])
    }
  }

  @Test func withoutMatchingThereAreNoFollowers() async throws {
    try await StudyHost.run { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let workout = try await share(host.squats(of: ada), by: ada)
      #expect(try await host.shared(by: ada, seenBy: ada).map(\.id) == [workout.id])
      #expect(try await code { _ = try await host.shared(by: ada, seenBy: bob) } == "user-not-found")
    }
  }
}
