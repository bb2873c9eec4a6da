import AuthService
import Contracts
import GatewayService
import MatchingService
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import CatalogService

@Suite(.serialized)
struct ExerciseSharingTests {
  private static let plank = Slug(checked: "plank")
  private static let burpee = Slug(checked: "burpee")

  /// With matching, which knows who follows whom.
  private func runWithFollowers(_ database: TestDatabase = .sqlite, _ body: (TestPlatform) async throws -> Void)
    async throws
  {
    let plugins: [any ServicePlugin.Type] = [
      GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self, MatchingPlugin.self,
    ]
    let settings = ["services.orders.url": "http://127.0.0.1:1"]
    try await TestPlatform.run(plugins, settings: settings, database: database, time: ManualTime(), body)
  }

  /// Ada, and Bob who follows her.
  private func pair(_ host: TestPlatform) async throws -> (TestUser, TestUser) {
    let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
    _ = try await bob.client.send(MatchingAPI.FollowUser(userID: ada.id))
    return (ada, bob)
  }

  @discardableResult
  private func share(_ exercise: Slug = plank, by user: TestUser) async throws -> SharedExerciseID {
    _ = try await user.client.send(CatalogAPI.SaveExercise(id: exercise))
    return try #require(try await user.client.send(CatalogAPI.ShareExercise(id: exercise)).sharing).id
  }

  private func shared(by user: TestUser, seenBy viewer: TestUser) async throws -> [SharedExercise] {
    try await viewer.client.send(CatalogAPI.ListSharedExercises(user: user.id)).items
  }

  private func react(_ emoji: String, to id: SharedExerciseID, by user: TestUser) async throws {
    _ = try await user.client.send(CatalogAPI.ReactToExercise(id: id, emoji: Emoji(checked: emoji)))
  }

  private func code(_ body: () async throws -> Void) async throws -> String? { try await problem(body)?.code }

  private func reactionRows(_ host: TestPlatform) async throws -> Int {
    try await host.database.read { db in try db.count("SELECT COUNT(*) FROM exercise_reactions") }
  }

  @Test(arguments: TestDatabase.allCases)
  func followersSeeWhatIsShared(_ database: TestDatabase) async throws {
    try await runWithFollowers(database) { host async throws in
      let (ada, bob) = try await pair(host)
      let eve = try await host.user("eve")
      _ = try await ada.client.send(CatalogAPI.SaveExercise(id: Slug(checked: "deadlift")))
      host.time.advance(seconds: 1)
      let first = try await share(by: ada)
      host.time.advance(seconds: 1)
      let second = try await share(Self.burpee, by: ada)
      let seen = try await shared(by: ada, seenBy: bob)
      #expect(seen.map(\.id) == [second, first])
      #expect(seen.map(\.exercise) == [Self.burpee, Self.plank])
      #expect(try await shared(by: ada, seenBy: ada) == seen)
      let pages = try await allPages { cursor in
        try await bob.client.send(
          CatalogAPI.ListSharedExercises(user: ada.id, limit: PageSize(checked: 1), cursor: cursor))
      }
      #expect(pages == seen)
      #expect(try await code { _ = try await shared(by: ada, seenBy: eve) } == "user-not-found")
      #expect(try await code { _ = try await shared(by: bob, seenBy: ada) } == "user-not-found")
      let saved = try await ada.client.send(CatalogAPI.ListSavedExercises()).items
      #expect(saved.map { $0.sharing?.id } == [second, first, nil])
      #expect(try await bob.client.send(CatalogAPI.GetExercise(id: Self.plank)).sharing == nil)
    }
  }

  @Test func onlySavedExercisesAreShared() async throws {
    try await runWithFollowers { host async throws in
      let ada = try await host.user("ada")
      func refusal(_ id: Slug) async throws -> String? {
        try await code { _ = try await ada.client.send(CatalogAPI.ShareExercise(id: id)) }
      }
      #expect(try await refusal(Self.plank) == "exercise-unsaved")
      #expect(try await refusal(Slug(checked: "flying")) == "exercise-not-found")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func followersAreNotifiedOnceThroughMatching(_ database: TestDatabase) async throws {
    try await runWithFollowers(database) { host async throws in
      let ada = try await host.user("ada")
      let id = try await share(by: ada)
      try await share(by: ada)
      let events = try await host.recorded(UserTopicEvent.self, by: CatalogAPI.self)
      #expect(events.map(\.name) == ["exercise.shared"])
      let event = try #require(events.first)
      let expected: JSONValue = ["id": .string(id.rawValue), "exercise": "plank"]
      #expect(event.data == expected)
      try await host.deliver(event, from: CatalogAPI.self, to: MatchingAPI.self)
      let sent = try await host.recorded(TopicEvent.self, by: MatchingAPI.self)
      #expect(sent.map(\.topic) == [UserTopic.progress.of(ada.id)])
      #expect(sent.map(\.data) == [expected])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func followersReactAndTheOwnerIsNotified(_ database: TestDatabase) async throws {
    try await runWithFollowers(database) { host async throws in
      let (ada, bob) = try await pair(host)
      let eve = try await host.user("eve")
      let id = try await share(by: ada)
      for _ in 1...2 { try await react("💪", to: id, by: bob) }
      host.time.advance(seconds: 1)
      try await react("🎉", to: id, by: ada)
      #expect(try await code { try await react("💪", to: id, by: eve) } == "exercise-not-found")
      let expected = [
        FollowerReaction(emoji: Emoji(checked: "💪"), count: 1, isMine: true),
        FollowerReaction(emoji: Emoji(checked: "🎉"), count: 1, isMine: false),
      ]
      #expect(try await shared(by: ada, seenBy: bob).map(\.reactions) == [expected])
      let own = try await ada.client.send(CatalogAPI.GetExercise(id: Self.plank)).sharing
      #expect(own?.reactions.map(\.isMine) == [false, true])
      let notices = try await host.recorded(RealtimeEvent.self, by: CatalogAPI.self)
      #expect(notices.map(\.name) == ["exercise.reaction"])
      #expect(notices.map(\.userID) == [ada.id])
      _ = try await bob.client.send(CatalogAPI.RemoveExerciseReaction(id: id, emoji: Emoji(checked: "💪")))
      #expect(try await shared(by: ada, seenBy: ada).map { $0.reactions.map(\.emoji.rawValue) } == [["🎉"]])
    }
  }

  @Test func reactionsOfAUserAreLimited() async throws {
    try await runWithFollowers { host async throws in
      let (ada, bob) = try await pair(host)
      let id = try await share(by: ada)
      for emoji in ["💪", "🎉", "🔥", "👍", "😀"] { try await react(emoji, to: id, by: bob) }
      #expect(try await code { try await react("🚀", to: id, by: bob) } == "reaction-limit")
      #expect(try await reactionRows(host) == 5)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aBlockEndsSeeingAndReacting(_ database: TestDatabase) async throws {
    try await runWithFollowers(database) { host async throws in
      let (ada, bob) = try await pair(host)
      let id = try await share(by: ada)
      try await react("💪", to: id, by: bob)
      // The event alone ends it, even while matching still answers that Bob follows.
      try await host.deliver(BlockChanged(blocker: ada.id, blocked: bob.id, isBlocked: true), from: MatchingAPI.self)
      #expect(try await code { _ = try await shared(by: ada, seenBy: bob) } == "user-not-found")
      #expect(try await code { try await react("🔥", to: id, by: bob) } == "exercise-not-found")
      #expect(try await reactionRows(host) == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func whatIsNoLongerSharedOrSavedLosesItsReactions(_ database: TestDatabase) async throws {
    try await runWithFollowers(database) { host async throws in
      let (ada, bob) = try await pair(host)
      let (hidden, unsaved) = (try await share(by: ada), try await share(Self.burpee, by: ada))
      for id in [hidden, unsaved] { try await react("💪", to: id, by: bob) }
      for _ in 1...2 {
        _ = try await ada.client.send(CatalogAPI.UnshareExercise(id: Self.plank))
        _ = try await ada.client.send(CatalogAPI.UnsaveExercise(id: Self.burpee))
      }
      #expect(try await shared(by: ada, seenBy: bob) == [])
      #expect(try await reactionRows(host) == 0)
      #expect(try await ada.client.send(CatalogAPI.ListSavedExercises()).items.map(\.id) == [Self.plank])
      let events = try await host.recorded(UserTopicEvent.self, by: CatalogAPI.self).filter {
        $0.name == "exercise.unshared"
      }
      #expect(events.map { $0.data["id"]?.string } == [hidden.rawValue, unsaved.rawValue])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func sharedExercisesAndReactionsAreExportedAndErased(_ database: TestDatabase) async throws {
    try await runWithFollowers(database) { host async throws in
      let (ada, bob) = try await pair(host)
      _ = try await ada.client.send(MatchingAPI.FollowUser(userID: bob.id))
      let (adas, bobs) = (try await share(by: ada), try await share(Self.burpee, by: bob))
      try await react("💪", to: adas, by: bob)
      try await react("🔥", to: bobs, by: ada)
      let exported = try await host.export("sharedExercises", of: ada.id)?.elements
      #expect(exported?.map { $0["exercise"] } == ["plank"])
      let reactions = try await host.export("exerciseReactions", of: ada.id)
      #expect(reactions == [["exercise": .string(bobs.rawValue), "emoji": "🔥"]])
      try await host.deliver(UserDeleted(userID: ada.id), from: AuthAPI.self)
      #expect(try await reactionRows(host) == 0)
      #expect(try await shared(by: bob, seenBy: bob).map(\.id) == [bobs])
    }
  }

  @Test func withoutMatchingThereAreNoFollowers() async throws {
    try await TestPlatform.catalog { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let id = try await share(by: ada)
      #expect(try await shared(by: ada, seenBy: ada).map(\.id) == [id])
      #expect(try await code { _ = try await shared(by: ada, seenBy: bob) } == "user-not-found")
    }
  }
}
