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
      let events = try await host.test.recorded(ConsentChanged.self, by: AuthAPI.self).filter { $0.userID == ada.id }
      let withdrawal = try #require(events.last)
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

  /// A consent or its withdrawal, and its way to the study service.
  private func decide(_ isGiven: Bool, by user: TestUser, _ host: StudyHost) async throws {
    try await user.client.consent(to: .healthData, isGiven: isGiven)
    let events = try await host.test.recorded(ConsentChanged.self, by: AuthAPI.self).filter { $0.userID == user.id }
    try await host.test.deliver(try #require(events.last), from: AuthAPI.self, to: StudyAPI.self)
  }

  private func erase(_ host: StudyHost) async throws -> Int {
    try await host.test.plugin(StudySyncPlugin.self).runOnce("health-erasure")
  }

  @Test(arguments: TestDatabase.allCases)
  func aRestoredWorkoutDoesNotBringTheWeightBack(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let workout = try await host.squats(of: ada)
      let fields = { (record: SyncRecord?) in
        Set((record?.fields?.members ?? []).filter { $0.value != .null }.map(\.name))
      }
      #expect(workout.weight != nil)
      _ = try await ada.client.send(StudyAPI.DeleteWorkout(id: workout.id))
      try await decide(false, by: ada, host)
      #expect(try await erase(host) == 1)
      // A deleted workout is no conflict because of it.
      #expect(try await ada.client.send(StudyAPI.ListSyncConflicts()).items.isEmpty)
      let restored = try await ada.client.send(StudyAPI.RestoreRecord(id: SyncedRecordID(trusted: workout.id.rawValue)))
      #expect(fields(restored).isSuperset(of: ["type", "startedAt", "finishedAt", "activeSeconds"]))
      #expect(fields(restored).isDisjoint(with: ["weight", "kilocalories"]))
      let seen = try await host.workout(workout, of: ada)
      #expect(seen.weight == nil)
      #expect(seen.energy == nil)
      #expect(seen.activeSeconds == 1800)
      var phone = host.device(1, of: ada)
      let pulled = try #require(try await phone.sync().changes.first)
      #expect(fields(pulled).isDisjoint(with: ["weight", "kilocalories"]))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func everyBatchOfAWithdrawalIsErased(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var phone = host.device(1, of: ada)
      let operations = (0..<110).map { number in
        let end = Double(1800 + 60 * number)
        return phone.operation(.workouts, phone.newID(), host.workoutFields(from: end + 60, to: end))
      }
      for start in stride(from: 0, to: operations.count, by: 10) {
        _ = try await phone.sync(Array(operations[start..<start + 10]))
      }
      func weights() async throws -> Int {
        try await host.export("workouts", of: ada.id).filter { $0["weight"]?.double != nil }.count
      }
      #expect(try await weights() == 110)
      try await decide(false, by: ada, host)
      #expect(try await erase(host) == 1)
      #expect(try await weights() == 10)
      #expect(try await erase(host) == 1)
      #expect(try await weights() == 0)
    }
  }

  /// A request that auth has confirmed before the withdrawal may be stored after it.
  @Test func whatArrivesJustAfterAWithdrawalIsErasedToo() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      try await decide(false, by: ada, host)
      #expect(try await erase(host) == 1)
      // Auth says yes, and the study service has not heard of a new consent.
      try await ada.client.consent(to: .healthData)
      let late = try await host.squats(of: ada)
      host.test.time.advance(seconds: 119)
      #expect(try await erase(host) == 0)
      #expect(try await host.workout(late, of: ada).weight != nil)
      host.test.time.advance(seconds: 2)
      #expect(try await erase(host) == 1)
      #expect(try await host.workout(late, of: ada).weight == nil)
      host.test.time.advance(seconds: 3600)
      #expect(try await erase(host) == 0)
    }
  }

  @Test func whatFollowsANewConsentStays() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      try await decide(false, by: ada, host)
      try await decide(true, by: ada, host)
      let workout = try await host.squats(of: ada)
      #expect(try await erase(host) == 1)
      #expect(try await host.workout(workout, of: ada).weight == workout.weight)
    }
  }

  @Test("a new consent does not take the withdrawal before it back", arguments: TestDatabase.allCases)
  func aWithdrawalHoldsInSpiteOfANewConsent(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let (before, deleted) = (try await host.squats(of: ada), try await host.squats(of: ada))
      _ = try await ada.client.send(StudyAPI.DeleteWorkout(id: deleted.id))
      host.test.time.advance(seconds: 1)
      try await decide(false, by: ada, host)
      host.test.time.advance(seconds: 1)
      try await decide(true, by: ada, host)
      host.test.time.advance(seconds: 1)
      let after = try await host.squats(of: ada)
      // Neither does yet another consent reach what was stored after the first.
      try await decide(true, by: ada, host)
      #expect(try await erase(host) == 1)
      let restored = try await ada.client.send(StudyAPI.RestoreRecord(id: SyncedRecordID(trusted: deleted.id.rawValue)))
      #expect(restored.fields?["weight"]?.double == nil)
      for erased in [before, deleted] {
        let left = try await host.workout(erased, of: ada)
        #expect(left.weight == nil)
        #expect(left.energy == nil)
      }
      host.test.time.advance(seconds: 121)
      #expect(try await erase(host) == 1)
      let kept = try await host.workout(after, of: ada)
      #expect(kept.weight == after.weight)
      #expect(kept.energy?.kilocalories == 202.39)
      host.test.time.advance(seconds: 3600)
      #expect(try await erase(host) == 0)
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
