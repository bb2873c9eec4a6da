import Contracts
import MatchingService
import Persistence
import TestKit
import Testing

/// Ten thousand people like each other at the same time.
@Suite(.serialized)
struct RoommateRaceTests {
  private static let pairs = 5000
  private static let lanes = 64

  @Test func everyMutualLikeMakesOneMatch() async throws {
    try await TestPlatform.roommates { host async throws in
      var generator = SeededGenerator()
      let users = (0..<2 * Self.pairs).map { _ in host.ids.make(UserID.self) }
      let profile = MatchingAPI.PutRoommateProfile.complete()
      try await host.plugin(MatchingPlugin.self).addRoommates(users.map { ($0, profile) })
      // Both likes of a pair are close to each other, in either order.
      let order = (0..<Self.pairs).flatMap { pair -> [(Int, Int)] in
        let (one, other) = (2 * pair, 2 * pair + 1)
        return [(one, other), (other, one)].shuffled(using: &generator)
      }
      _ = try await concurrently(0..<Self.lanes) { lane in
        for position in stride(from: lane, to: order.count, by: Self.lanes) {
          let (from, to) = order[position]
          let user = try await host.swiper(users[from])
          _ = try await user.client.send(MatchingAPI.SwipeRoommate(userID: users[to], decision: .like))
        }
      }
      let matches = try await host.database(of: MatchingAPI.self).read { db in
        try db.all("SELECT user_id, other_id FROM roommate_matches WHERE ended_at IS NULL") {
          row -> [UserID] in [try row["user_id"], try row["other_id"]]
        }
      }
      // Each match is stored in both directions.
      let expected = (0..<users.count).map { [users[$0], users[$0 ^ 1]] }
      #expect(matches.counts == expected.counts, "\(generator)")
      #expect(try await host.recorded(RealtimeEvent.self).count == users.count, "\(generator)")
      #expect(try await host.recorded(PushRequested.self).count == users.count, "\(generator)")
    }
  }
}
