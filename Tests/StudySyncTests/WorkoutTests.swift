import Contracts
import Persistence
import ServiceKit
import StudyModel
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct WorkoutTests {
  @Test func typesAreListedForAnyone() async throws {
    try await StudyHost.run { host async throws in
      let table = try await host.test.client.send(StudyAPI.ListWorkoutTypes())
      #expect(table.items.count == WorkoutType.all.count)
      #expect(table.tableVersion == WorkoutType.tableVersion)
      let squats = table.items.first { $0.id.rawValue == "squats" }
      #expect(squats?.intensities == [.init(intensity: .moderate, met: 5, compendiumCode: "02052")])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theExampleOfTheFormulaGivesItsKilocalories(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let workout = try await host.squats(of: ada)
      // 5 × 3.5 × 77.1 ÷ 200 × 30 = 202.3875
      let expected = WorkoutEnergy(
        kilocalories: 202.39, met: 5, compendiumCode: "02052", tableVersion: WorkoutType.tableVersion,
        formulaVersion: Calories.formulaVersion)
      #expect(workout.energy == expected)
      #expect(workout.activeSeconds == 1800)
      #expect(workout.intensity == .moderate)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func theClockStopsDuringPauses(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let started = try await ada.client.send(StudyAPI.StartWorkout(type: "running"))
      #expect(started.status == .running)
      host.test.time.advance(seconds: 100)
      let paused = try await ada.client.send(StudyAPI.PauseWorkout(id: started.id))
      #expect(paused.status == .paused)
      host.test.time.advance(seconds: 50)
      #expect(try await ada.client.send(StudyAPI.PauseWorkout(id: started.id)).pauses == paused.pauses)
      #expect(try await host.workout(started, of: ada).activeSeconds == 100)
      let resumed = try await ada.client.send(StudyAPI.ResumeWorkout(id: started.id))
      #expect(resumed.status == .running)
      host.test.time.advance(seconds: 30)
      #expect(try await host.workout(started, of: ada).activeSeconds == 130)
      _ = try await ada.client.send(StudyAPI.PauseWorkout(id: started.id))
      host.test.time.advance(seconds: 20)
      let finished = try await ada.client.send(StudyAPI.FinishWorkout(id: started.id))
      #expect(finished.activeSeconds == 130)
      #expect(finished.pauses.map { $0.to?.seconds(since: $0.from) } == [50, 20])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func oneWorkoutRunsAtATime(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let first = try await ada.client.send(StudyAPI.StartWorkout(type: "running"))
      let second = StudyAPI.StartWorkout(type: "yoga")
      #expect(try await code { _ = try await ada.client.send(second) } == "workout-running")
      // A finished one may be recorded meanwhile.
      _ = try await host.squats(of: ada)
      host.test.time.advance(seconds: 60)
      _ = try await ada.client.send(StudyAPI.FinishWorkout(id: first.id))
      #expect(try await ada.client.send(second).status == .running)
    }
  }

  @Test func aFinishedWorkoutStaysFinished() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      let workout = try await host.squats(of: ada)
      let again = StudyAPI.FinishWorkout(id: workout.id, weight: BodyWeight(checked: 90_000))
      #expect(try await ada.client.send(again) == workout)
      let pause = StudyAPI.PauseWorkout(id: workout.id)
      #expect(try await code { _ = try await ada.client.send(pause) } == "workout-finished")
    }
  }

  @Test func impossibleTimesAndTypesAreProblems() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      let hour = 3600.0
      let table: [(type: WorkoutTypeID, start: Double, end: Double?, code: String)] = [
        ("running", -120, nil, "workout-order"), ("running", 3600, 3600, "workout-order"),
        ("running", 3600, 7200, "workout-order"), ("running", 3600, -120, "workout-order"),
        ("running", 60 * hour, 11 * hour, "workout-too-long"), ("flying", 60, nil, "workout-type-unknown"),
      ]
      for row in table {
        let request = StudyAPI.StartWorkout(
          type: row.type, startedAt: host.ago(row.start), finishedAt: row.end.map { host.ago($0) })
        #expect(try await code { _ = try await ada.client.send(request) } == row.code, "\(row)")
      }
      let lightSquats = StudyAPI.StartWorkout(type: "squats", intensity: .light)
      #expect(try await code { _ = try await ada.client.send(lightSquats) } == "workout-type-unknown")
      #expect(try await host.workouts(of: ada) == [])
    }
  }

  @Test func aForgottenWorkoutIsFinishedWithTheTimeOfItsEnd() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      let started = try await ada.client.send(StudyAPI.StartWorkout(type: "running"))
      let end = host.now.advanced(bySeconds: 1200)
      host.test.time.advance(seconds: 50 * 3600)
      let later = try await host.logIn("ada")
      #expect(
        try await code { _ = try await later.client.send(StudyAPI.FinishWorkout(id: started.id)) } == "workout-too-long"
      )
      let finished = try await later.client.send(StudyAPI.FinishWorkout(id: started.id, finishedAt: end))
      #expect(finished.activeSeconds == 1200)
    }
  }

  @Test func theWeightOfTheLatestWorkoutIsUsed() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      #expect(try await host.squats(of: ada, weight: nil).energy == nil)
      let known = try await host.squats(of: ada)
      let next = try await host.squats(of: ada, weight: nil)
      #expect(next.weight == known.weight)
      #expect(next.energy == known.energy)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func changesComputeTheEnergyAgainWithTheStoredNumbers(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      let workout = try await host.squats(of: ada)
      let lighter = try await ada.client.send(
        StudyAPI.UpdateWorkout(
          id: workout.id, weight: .set(BodyWeight(checked: 50_000)), note: .set(LongText(checked: "hard"))))
      #expect(lighter.energy?.kilocalories == 131.25)
      #expect(lighter.note == "hard")
      let weightless = try await ada.client.send(
        StudyAPI.UpdateWorkout(id: workout.id, weight: .remove, note: .remove))
      #expect(weightless.energy == nil)
      #expect(weightless.note == nil)
      let boxing = try await ada.client.send(
        StudyAPI.UpdateWorkout(
          id: workout.id, type: "boxing", intensity: .vigorous, weight: .set(BodyWeight(checked: 50_000))))
      #expect(boxing.energy?.compendiumCode == "15100")
      let early = StudyAPI.UpdateWorkout(id: workout.id, finishedAt: host.ago(7200))
      #expect(try await code { _ = try await ada.client.send(early) } == "workout-order")
      #expect(try await host.workout(workout, of: ada) == boxing)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func historyIsPagedNewestFirst(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var ids: [WorkoutID] = []
      // Not in the order in which they were done.
      for hours in [5.0, 2, 9, 7, 3] {
        let start = host.ago(hours * 3600)
        let request = StudyAPI.StartWorkout(
          type: "yoga", startedAt: start, finishedAt: start.advanced(bySeconds: 600))
        ids.append(try await ada.client.send(request).id)
      }
      var (found, cursor): ([WorkoutID], String?) = ([], nil)
      repeat {
        let page = try await ada.client.send(StudyAPI.ListWorkouts(limit: PageSize(checked: 2), cursor: cursor))
        found += page.items.map(\.id)
        cursor = page.nextCursor
      } while cursor != nil
      #expect(found == [1, 4, 0, 3, 2].map { ids[$0] })
    }
  }

  @Test func aWorkoutIsOfOneUserAndGoneWhenItIsDeleted() async throws {
    try await StudyHost.run { host async throws in
      let (ada, bob) = (try await host.user("ada"), try await host.user("bob"))
      let workout = try await host.squats(of: ada)
      #expect(try await code { _ = try await host.workout(workout, of: bob) } == "workout-not-found")
      let delete = StudyAPI.DeleteWorkout(id: workout.id)
      #expect(try await code { _ = try await bob.client.send(delete) } == "workout-not-found")
      _ = try await ada.client.send(delete)
      #expect(try await host.workouts(of: ada) == [])
      #expect(try await code { _ = try await ada.client.send(delete) } == "workout-not-found")
      let totals = try await ada.client.send(StudyAPI.GetWorkoutTotals(from: host.day(-1), to: host.day()))
      #expect(totals.all == WorkoutTotals.Sum())
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func erasingAUserDeletesTheirLists(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      _ = try await host.squats(of: ada)
      let exported = try await host.export("workouts", of: ada.id)
      #expect(exported.map { $0["weight"] } == [77_100])
      try await host.erase(ada)
      let rows = try await host.database.read { db in
        try db.count("SELECT (SELECT COUNT(*) FROM workouts) + (SELECT COUNT(*) FROM workout_reactions)")
      }
      #expect(rows == 0)
    }
  }

  @Test func aRepeatedRequestRecordsOneWorkoutAndStoresNoWeightInTheClear() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      let request = StudyAPI.StartWorkout(
        type: "squats", startedAt: host.ago(3600), finishedAt: host.ago(1800), weight: BodyWeight(checked: 77_123))
      let first = try await ada.client.send(request, idempotencyKey: "one")
      #expect(try await ada.client.send(request, idempotencyKey: "one") == first)
      #expect(try await host.workouts(of: ada) == [first])
      let stored = try await host.database.read { db in
        try db.values("SELECT answer FROM idempotency_keys UNION ALL SELECT content FROM sync_records", as: String.self)
      }
      #expect(stored.count == 2)
      #expect(stored.allSatisfy { !$0.contains("77123") })
    }
  }
}
