import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import StudySyncService

/// Weights of workouts are kept with their user's consent only (LS21), and minors share nothing without their guardian's
/// (SD17).
@Suite(.serialized)
struct HealthConsentTests {
  @Test(arguments: TestDatabase.allCases)
  func weightsAreNotTakenWithoutConsent(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      try await ada.client.consent(to: .healthData, isGiven: false)
      let refused = try await problem { _ = try await host.squats(of: ada) }
      #expect(refused?.code == "consent-required")
      #expect(refused?.errors?.map(\.message) == ["healthData"])
      let plain = try await host.squats(of: ada, weight: nil)
      #expect(plain.energy == nil)
      for attempt in [
        try await problem {
          _ = try await ada.client.send(
            StudyAPI.UpdateWorkout(id: plain.id, weight: .set(BodyWeight(checked: 60_000))))
        },
        try await problem {
          _ = try await ada.client.send(
            StudyAPI.FinishWorkout(id: plain.id, weight: BodyWeight(checked: 60_000)))
        },
      ] { #expect(attempt?.is(.consentRequired) == true) }

      var phone = host.device(1, of: ada)
      let results = try await phone.sync([
        phone.operation(.workouts, phone.newID(), host.workoutFields(from: 7200, to: 5400)),
        phone.operation(.workouts, phone.newID(), host.workoutFields(from: 7200, to: 5400, weight: nil)),
      ]).results
      #expect(results.map(\.code) == ["consent-required", nil])
      #expect(results.map(\.field) == ["fields.weight", nil])
      #expect(try await host.workouts(of: ada).map(\.weight) == [nil, nil])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aWithdrawalDeletesTheWeightsOnEveryDevice(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let workout = try await host.squats(of: ada)
      #expect(workout.energy?.kilocalories == 202.39)
      _ = try await host.squats(of: bob)
      var watch = host.device(2, of: ada)
      #expect(try await watch.sync().changes.first?.fields?["kilocalories"]?.double == 202.39)

      try await ada.client.consent(to: .healthData, isGiven: false)
      let told = try await host.test.recorded(ConsentChanged.self, by: AuthAPI.self).filter { $0.userID == ada.id }
      let withdrawal = try #require(told.last)
      try await host.test.deliver(withdrawal, from: AuthAPI.self, to: StudyAPI.self)
      #expect(try await host.test.plugin(StudySyncPlugin.self).runOnce("health-erasure") == 1)
      let left = try await host.workout(workout, of: ada)
      #expect(left.weight == nil)
      #expect(left.energy == nil)
      #expect(left.activeSeconds == 1800)
      let pulled = try #require(try await watch.sync().changes.first)
      #expect(pulled.fields?["weight"]?.double == nil)
      #expect(pulled.fields?["kilocalories"]?.double == nil)
      // Another one starts without the weight of those before.
      #expect(try await host.squats(of: ada, weight: nil).energy == nil)
      #expect(try await host.workouts(of: bob).map { $0.energy?.kilocalories } == [202.39])
    }
  }

  @Test func minorsShareNeitherSetsNorWorkouts() async throws {
    try await StudyHost.run { host async throws in
      let session = try await host.test.client.signUp("max")
      var patch = ProfilePatch()
      patch.birthday = .set(try #require(CalendarDate("2012-06-01")))
      _ = try await host.test.client.with(accessToken: session.accessToken).send(AuthAPI.UpdateMe(details: patch))
      let renewed = try await host.test.client.send(AuthAPI.Refresh(refreshToken: session.refreshToken))
      let max = TestUser(renewed, host.test.client)
      let workout = try await host.squats(of: max, weight: nil)
      let share = try await problem { _ = try await max.client.send(StudyAPI.ShareWorkout(id: workout.id)) }
      #expect(share?.code == "guardian-consent-required")
      // Neither by way of a device.
      var phone = host.device(1, of: max)
      let results = try await phone.sync([
        phone.operation(.workouts, workout.id.rawValue, ["isShared": true]),
        phone.operation(.workouts, workout.id.rawValue, ["note": "hard"]),
      ]).results
      #expect(results.map(\.code) == ["guardian-consent-required", nil])
      #expect(try await host.workout(workout, of: max).sharing == nil)
      #expect(try await host.count("SELECT COUNT(*) FROM workouts WHERE shared_at IS NOT NULL") == 0)
    }
  }
}
