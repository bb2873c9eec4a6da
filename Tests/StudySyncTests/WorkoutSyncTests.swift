import Contracts
import Persistence
import ServiceKit
import StudyModel
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct WorkoutSyncTests {
  @Test(arguments: TestDatabase.allCases)
  func devicesReceiveWhatTheServerComputes(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var (phone, watch) = (host.device(1, of: ada), host.device(2, of: ada))
      let id = phone.newID()
      let operation = phone.operation(.workouts, id, host.workoutFields(from: 3600, to: 1800))
      let pushed = try await phone.sync([operation])
      #expect(pushed.results.map(\.status) == [.applied])
      #expect(pushed.changes.map(\.id) == [id])
      #expect(pushed.changes.first?.fields?["kilocalories"]?.double == 202.39)
      #expect(pushed.changes.first?.fields?["activeSeconds"]?.double == 1800)
      let pulled = try await watch.sync()
      #expect(pulled.changes == pushed.changes)
      #expect(pulled.checksums == pushed.checksums)
      #expect(try await host.workouts(of: ada).map { $0.energy?.kilocalories } == [202.39])
    }
  }

  @Test func whatADeviceHasComputedAlikeIsLeftAlone() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      var phone = host.device(1, of: ada)
      var fields = host.workoutFields(from: 3600, to: 1800)
      let kilocalories = Calories.burned(met: 5, kilograms: 77.1, activeSeconds: 1800)
      fields.members +=
        SyncFields(
          dictionaryLiteral: ("activeSeconds", 1800), ("met", 5), ("compendiumCode", "02052"),
          ("tableVersion", .string(WorkoutType.tableVersion)), ("formulaVersion", 1),
          ("kilocalories", .number(kilocalories))
        ).members
      let pushed = try await phone.sync([phone.operation(.workouts, phone.newID(), fields)])
      #expect(pushed.changes == [])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func pastTotalsKeepTheNumbersOfTheirTable(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var phone = host.device(1, of: ada)
      let id = phone.newID()
      var fields = host.workoutFields(from: 3600, to: 1800)
      fields.members +=
        SyncFields(
          dictionaryLiteral: ("met", 4), ("compendiumCode", "02000"), ("tableVersion", "compendium-2011"),
          ("formulaVersion", 1)
        ).members
      try await phone.sync([phone.operation(.workouts, id, fields)])
      let workoutID = WorkoutID(trusted: id)
      let stored = try await ada.client.send(StudyAPI.GetWorkout(id: workoutID))
      #expect(stored.energy?.met == 4)
      #expect(stored.energy?.kilocalories == 161.91)
      let heavier = StudyAPI.UpdateWorkout(id: workoutID, weight: .set(BodyWeight(checked: 100_000)))
      let changed = try await ada.client.send(heavier)
      #expect(changed.energy?.kilocalories == 210)
      #expect(changed.energy?.tableVersion == "compendium-2011")
      // Another type has no number in the old table.
      let boxing = StudyAPI.UpdateWorkout(id: workoutID, type: "boxing")
      #expect(try await ada.client.send(boxing).energy?.tableVersion == WorkoutType.tableVersion)
    }
  }

  @Test func aNewerFormulaIsNotUndone() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      var phone = host.device(1, of: ada)
      var fields = host.workoutFields(from: 3600, to: 1800)
      fields.members +=
        SyncFields(
          dictionaryLiteral: ("met", 5), ("formulaVersion", 2), ("kilocalories", 190), ("heartRate", 120)
        ).members
      try await phone.sync([phone.operation(.workouts, phone.newID(), fields)])
      let workout = try #require(try await host.workouts(of: ada).first)
      #expect(workout.energy?.kilocalories == 190)
      #expect(workout.energy?.formulaVersion == 2)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func editsOnTwoDevicesAreComputedTogether(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.user("ada")
      var (phone, watch) = (host.device(1, of: ada), host.device(2, of: ada))
      let id = phone.newID()
      try await phone.sync([phone.operation(.workouts, id, host.workoutFields(from: 3600, to: 1800))])
      try await watch.sync()
      host.test.time.advance(seconds: 10)
      let heavier = phone.operation(.workouts, id, ["weight": 100_000])
      let shorter = watch.operation(.workouts, id, ["finishedAt": JSONValue(host.ago(2710))])
      try await watch.sync([shorter])
      try await phone.sync([heavier])
      // 5 × 3.5 × 100 ÷ 200 × 15
      #expect(try await host.workouts(of: ada).map { $0.energy?.kilocalories } == [131.25])
    }
  }

  @Test func invalidFieldsAreRejectedAndTheRestIsKept() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      var phone = host.device(1, of: ada)
      let start = host.ago(3600)
      let table: [(SyncFields, String)] = [
        (["type": "Running!"], "fields.type"), (["intensity": "extreme"], "fields.intensity"),
        (["startedAt": "yesterday"], "fields.startedAt"), (["startedAt": "1969-12-31T23:59:59Z"], "fields.startedAt"),
        (["finishedAt": "2100-01-02T00:00:00Z"], "fields.finishedAt"), (["weight": -1], "fields.weight"),
        (["pauses": ["now"]], "fields.pauses"), (["isShared": 1], "fields.isShared"),
        (["startedAt": JSONValue(start), "finishedAt": JSONValue(start)], "fields.finishedAt"),
        (
          ["startedAt": JSONValue(start), "finishedAt": JSONValue(start.advanced(bySeconds: 172_801))],
          "fields.finishedAt"
        ),
      ]
      var operations = table.map { phone.operation(.workouts, phone.newID(), $0.0) }
      operations.append(phone.operation(.workouts, phone.newID(), host.workoutFields(from: 3600, to: 1800)))
      let results = try await phone.sync(operations).results
      #expect(results.map(\.field) == table.map(\.1) + [nil])
      #expect(results.dropLast().allSatisfy { $0.code == "invalid-value" })
      #expect(try await host.workouts(of: ada).count == 1)
    }
  }

  @Test func slightlyWrongValuesAreRepairedInTheResult() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      var phone = host.device(1, of: ada)
      var fields = host.workoutFields(from: 3600, to: 1800, weight: 3)
      // A pause that overlaps another, one outside the workout, and one that ends before it starts.
      fields.members.append(
        .init(
          name: "pauses",
          value: JSONValue([
            .init(from: host.ago(3000), to: host.ago(2400)), .init(from: host.ago(2700), to: host.ago(2300)),
            .init(from: host.ago(900), to: host.ago(600)), .init(from: host.ago(2000), to: host.ago(2100)),
          ])))
      fields.members.append(.init(name: "activeSeconds", value: 99_999))
      try await phone.sync([phone.operation(.workouts, phone.newID(), fields)])
      let workout = try #require(try await host.workouts(of: ada).first)
      #expect(workout.activeSeconds == 1100)
      #expect(workout.weight == nil)
      #expect(workout.energy == nil)
    }
  }

  @Test func workoutsThatRunOnTwoDevicesAreBothKept() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      for number in [1, 2] as [UInt64] {
        var device = host.device(number, of: ada)
        let fields: SyncFields = ["type": "running", "startedAt": JSONValue(host.ago(600))]
        try await device.sync([device.operation(.workouts, device.newID(), fields)])
      }
      #expect(try await host.workouts(of: ada).map(\.status) == [.running, .running])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func totalsEqualTheSumOfTheHistory(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var random = SeededGenerator()
      let ada = try await host.user("ada")
      var phone = host.device(1, of: ada)
      let types = ["squats", "running", "aerobics", "unknown-type"]
      let operations = (0..<600).map { _ in
        let start = Double.random(in: 3 * 3600...40 * 86_400, using: &random).rounded()
        let length = Double.random(in: 60...7200, using: &random).rounded()
        let isFinished = Int.random(in: 0..<10, using: &random) > 0
        var fields = host.workoutFields(
          types.randomElement(using: &random) ?? "", from: start, to: start - length,
          weight: Int64.random(in: 40_000...120_000, using: &random))
        if !isFinished { fields.members.removeAll { $0.name == "finishedAt" } }
        return phone.operation(.workouts, phone.newID(), fields)
      }
      try await phone.sync(operations)
      var (all, cursor): ([Workout], String?) = ([], nil)
      repeat {
        let page = try await ada.client.send(StudyAPI.ListWorkouts(limit: PageSize(checked: 100), cursor: cursor))
        all += page.items
        cursor = page.nextCursor
      } while cursor != nil
      #expect(all.count == 600)
      let (first, last) = (host.day(-30), host.day(-3))
      let wanted = all.filter { (first...last).contains(CalendarDate($0.startedAt)) && $0.status == .finished }
      let totals = try await ada.client.send(StudyAPI.GetWorkoutTotals(from: first, to: last))
      func sum(_ workouts: [Workout]) -> WorkoutTotals.Sum {
        let kilocalories = workouts.reduce(0) { $0 + ($1.energy?.kilocalories ?? 0) }
        return WorkoutTotals.Sum(
          count: workouts.count, activeSeconds: workouts.reduce(0) { $0 + $1.activeSeconds },
          kilocalories: (kilocalories * 100).rounded() / 100)
      }
      #expect(totals.all == sum(wanted), "\(random)")
      let days = Dictionary(grouping: wanted) { CalendarDate($0.startedAt) }
      #expect(totals.days == days.sorted { $0.key < $1.key }.map { .init(day: $0.key, sum: sum($0.value)) })
      let byType = Dictionary(grouping: wanted, by: \.type)
      #expect(totals.types == byType.sorted { $0.key < $1.key }.map { .init(type: $0.key, sum: sum($0.value)) })
    }
  }

  @Test func totalsAreOfAYearAtMost() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.user("ada")
      for (from, to) in [(host.day(), host.day(-1)), (host.day(-366), host.day())] {
        let request = StudyAPI.GetWorkoutTotals(from: from, to: to)
        #expect(try await code { _ = try await ada.client.send(request) } == "invalid-request")
      }
      _ = try await ada.client.send(StudyAPI.GetWorkoutTotals(from: host.day(-365), to: host.day()))
    }
  }
}
