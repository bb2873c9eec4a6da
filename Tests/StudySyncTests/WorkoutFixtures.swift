import AuthService
public import Contracts
import GatewayService
import MatchingService
import Persistence
import ServiceKit
import TestKit

@testable import StudySyncService

extension StudyHost {
  /// With matching, which knows who follows whom.
  static func runWithFollowers(
    _ database: TestDatabase = .sqlite, time: ManualTime = ManualTime(), _ body: (StudyHost) async throws -> Void
  ) async throws {
    let plugins = plugins + [MatchingPlugin.self as any ServicePlugin.Type]
    try await TestPlatform.run(plugins, database: database, time: time) { try await body(StudyHost(test: $0)) }
  }

  func ago(_ seconds: Double) -> Timestamp { now.advanced(bySeconds: -seconds) }

  /// Half an hour of squats at 5 MET, done an hour ago.
  func squats(of user: TestUser, weight: Int? = 77_100) async throws -> Workout {
    try await user.client.send(
      StudyAPI.StartWorkout(
        type: "squats", startedAt: ago(3600), finishedAt: ago(1800),
        weight: weight.map { BodyWeight(checked: $0) }))
  }

  func workout(_ workout: Workout, of user: TestUser) async throws -> Workout {
    try await user.client.send(StudyAPI.GetWorkout(id: workout.id))
  }

  func workouts(of user: TestUser) async throws -> [Workout] {
    try await user.client.send(StudyAPI.ListWorkouts(limit: PageSize(checked: 100))).items
  }

  func day(_ offset: Double = 0) -> CalendarDate { CalendarDate(now.advanced(bySeconds: offset * 86_400)) }

  /// The fields that a device stores of a finished workout.
  func workoutFields(_ type: String = "squats", from start: Double, to end: Double, weight: Int64? = 77_100)
    -> SyncFields
  {
    SyncFields(
      JSONValue.object([
        ("type", .string(type)), ("intensity", "moderate"), ("startedAt", JSONValue(ago(start))),
        ("finishedAt", JSONValue(ago(end))), ("weight", weight.map { .integer($0) }),
      ]).members)
  }

  func follow(_ user: TestUser, _ other: TestUser) async throws {
    _ = try await user.client.send(MatchingAPI.FollowUser(userID: other.id))
  }

  func shared(by user: TestUser, seenBy viewer: TestUser) async throws -> [SharedWorkout] {
    try await viewer.client.send(StudyAPI.ListSharedWorkouts(user: user.id)).items
  }

  func react(_ emoji: Emoji, to workout: Workout, by user: TestUser) async throws {
    _ = try await user.client.send(StudyAPI.ReactToWorkout(id: workout.id, emoji: emoji))
  }
}

extension WorkoutTypeID: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self.init(checked: value) }
}

extension Emoji: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self.init(checked: value) }
}
