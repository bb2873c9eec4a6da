import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MatchingService

/// Followers are notified of live workouts (LS19).
@Suite(.serialized)
struct FollowerPushTests {
  @Test(arguments: TestDatabase.allCases)
  func allFollowersAreNotifiedInBatches(_ database: TestDatabase) async throws {
    // Media's part is played by the test.
    let settings = ["services.media-index.url": "http://127.0.0.1:1"]
    try await TestPlatform.run(RelationHost.plugins, settings: settings, database: database) { test async throws in
      let host = RelationHost(test: test)
      let users = try await host.users("ada", "bob", "eve")
      let (ada, bob, eve) = (users[0], users[1], users[2])
      for follower in [bob, eve] { try await host.follow(follower, ada) }
      // More than fit into one event.
      let many: [UserID] = (0..<250).map { _ in host.test.ids.make() }
      try await host.database.write { [ids = host.test.ids] tx in
        for follower in many { _ = try FollowStore.insert(ids.make(), follower, of: ada.id, in: tx) }
      }
      try await host.block(ada, eve)
      let request = FollowersPushRequested(
        toFollowersOf: ada.id, about: Topic("livestream", "one"), title: "Live now", text: "Someone is live.",
        kind: .liveWorkouts)
      try await host.test.deliver(request, from: MediaAPI.self, to: MatchingAPI.self)
      let matching = try host.test.plugin(MatchingPlugin.self)
      while try await matching.runOnce("follower-pushes") > 0 {}
      let pushes = try await host.events(GroupPushRequested.self)
      #expect(pushes.map(\.users.count) == [200, 51])
      #expect(Set(pushes.flatMap(\.users)) == Set(many + [bob.id]))
      #expect(Set(pushes.map(\.kind)) == [.liveWorkouts])
    }
  }
}
