import Contracts
import Persistence
import ServiceKit
import StudyModel
import SyncMerge
import TestKit
import Testing

@testable import StudySyncService

/// Schedules follow from the log, whatever order its entries arrive in.
@Suite(.serialized)
struct ReviewScheduleTests {
  @Test(arguments: TestDatabase.allCases)
  func aCardIsOfTheSetOfItsLastReview(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var ada = try await host.learner("ada")
      let (other, _) = try await ada.device.makeSet(cards: 1, title: "Greek")
      try await ada.device.send([ada.review(3, at: host.ago(days: 2))])
      try await ada.device.send([ada.device.review(ada.cards[0], of: other, 3, at: host.ago(days: 1))])
      let state = try await host.states(of: ada.user)[ada.cards[0]]
      #expect(state?.set == other)
      #expect(state?.memory.reps == 2)
    }
  }

  /// T1 of the references: in Anki, the lapse of the phone is lost.
  @Test(arguments: TestDatabase.allCases)
  func theLapseOfOnePhoneSurvivesTheLaterReviewOfTheOther(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var ada = try await host.learner("ada")
      var desktop = host.device(2, of: ada.user)
      try await ada.device.send([
        ada.review(4, at: host.ago(days: 60)), ada.review(3, at: host.ago(days: 40)),
      ])
      try await desktop.sync()
      // Both are offline: the phone forgets, the desktop reviews later and is synchronized first.
      let lapse = ada.review(1, at: host.ago(days: 2))
      try await desktop.send([desktop.review(ada.cards[0], of: ada.set, 3, at: host.ago(days: 1))])
      #expect(try await host.states(of: ada.user)[ada.cards[0]]?.memory.lapses == 0)
      try await ada.device.send([lapse])
      let state = try #require(try await host.states(of: ada.user)[ada.cards[0]])
      #expect(state.memory.lapses == 1)
      #expect(state.memory.reps == 4)
      #expect(state.memory == (try await host.replayed(ada.cards[0], of: ada.user)))
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func twoPhonesThatWereOfflineMergeToTheReplayOfBothLogs(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var random = SeededGenerator()
      let ada = try await host.learner("ada", cards: 6)
      var devices = [ada.device, host.device(2, of: ada.user)]
      var operations: [[SyncOperation]] = [[], []]
      for _ in 0..<200 {
        let (device, card) = (Int.random(in: 0...1, using: &random), Int.random(in: 0..<6, using: &random))
        let at = host.ago(hours: Double(Int.random(in: 1...2000, using: &random)))
        operations[device].append(
          devices[device].review(ada.cards[card], of: ada.set, .random(in: 1...4, using: &random), at: at))
      }
      for device in [0, 1] {
        for start in stride(from: 0, to: operations[device].count, by: 20) {
          try await devices[device].send(Array(operations[device][start...].prefix(20)))
        }
      }
      let states = try await host.states(of: ada.user)
      for card in ada.cards {
        let replayed = try await host.replayed(card, of: ada.user)
        #expect(states[card]?.memory == replayed, "\(random)")
        #expect(states[card]?.memory.reps == replayed.reps, "\(random)")
      }
      #expect(states.values.reduce(0) { $0 + $1.memory.reps } == 200)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aReviewThatIsSentTwiceCountsOnce(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var ada = try await host.learner("ada")
      let review = ada.review(3, at: host.ago(days: 1))
      try await ada.device.sync([review, review])
      try await ada.device.sync([review])
      #expect(try await host.states(of: ada.user)[ada.cards[0]]?.memory.reps == 1)
      #expect(try await host.days(of: ada.user).map(\.total.answers) == [1])
    }
  }

  /// The only writer reads a bounded part of a log, and the rest is replayed in the background.
  @Test(arguments: TestDatabase.allCases)
  func aLateReviewOfALongLogIsCountedInTheBackground(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var ada = try await host.learner("ada", cards: 2)
      let count = ScheduleUpdate.maxRead + 1
      var reviews: [SyncOperation] = []
      for index in 0..<count {
        reviews.append(ada.review(index % 7 == 0 ? 1 : 3, at: host.ago(days: 500, hours: -Double(index))))
      }
      try await ada.device.send(reviews)
      try await ada.device.send([ada.review(1, at: host.ago(days: 600)), ada.review(3, of: 1, at: host.ago(days: 1))])
      var states = try await host.states(of: ada.user)
      #expect(states[ada.cards[0]]?.isDeferred == true)
      #expect(states[ada.cards[0]]?.memory.reps == count)
      #expect(states[ada.cards[1]]?.memory.reps == 1)

      // Meanwhile another review of the card waits for its turn too.
      try await ada.device.send([ada.review(3, at: host.ago(hours: 1))])
      try await host.runJobs(Rescheduling.kind)
      states = try await host.states(of: ada.user)
      #expect(states[ada.cards[0]]?.isDeferred == false)
      #expect(states[ada.cards[0]]?.memory.reps == count + 2)
      #expect(states[ada.cards[0]]?.memory == (try await host.replayed(ada.cards[0], of: ada.user)))
      let days = try await host.days(of: ada.user)
      try await host.rebuildStatistics(of: ada.user)
      #expect(try await host.days(of: ada.user) == days)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func anotherRetentionReschedulesEveryCard(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var ada = try await host.learner("ada", cards: 250)
      var reviews: [SyncOperation] = []
      for card in 0..<250 {
        for age in [30.0, 20, 10] {
          reviews.append(ada.review(3, of: card, at: host.ago(days: age, seconds: Double(card))))
        }
      }
      try await ada.device.send(reviews)
      let before = try await host.states(of: ada.user)
      try await ada.device.send([ada.device.settings(["desiredRetention": .number(0.97), "fuzz": false])])
      try await host.runJobs(Rescheduling.kind)
      let scheduler = try Scheduler(desiredRetention: 0.97, fuzz: false)
      let after = try await host.states(of: ada.user)
      for card in ada.cards {
        let replayed = try await host.replayed(card, of: ada.user, scheduler)
        #expect(after[card]?.memory == replayed)
        #expect(try #require(after[card]?.memory.due) < #require(before[card]?.memory.due))
      }
      // A review after that counts with the new settings at once.
      try await ada.device.send([ada.review(3, at: host.ago(days: 1))])
      let replayed = try await host.replayed(ada.cards[0], of: ada.user, scheduler)
      #expect(try await host.states(of: ada.user)[ada.cards[0]]?.memory == replayed)
    }
  }

  /// Reviews that were counted with other settings are replayed by the review itself when the job has not come to them
  /// yet.
  @Test func aReviewBeforeTheJobCountsWithTheNewSettings() async throws {
    try await StudyHost.run { host async throws in
      var ada = try await host.learner("ada")
      try await ada.device.send([ada.review(3, at: host.ago(days: 9)), ada.review(3, at: host.ago(days: 8))])
      try await ada.device.send([
        ada.device.settings(["learningSteps": [], "fuzz": false]), ada.review(3, at: host.ago(days: 1)),
      ])
      let scheduler = try Scheduler(learningSteps: [], fuzz: false)
      let state = try #require(try await host.states(of: ada.user)[ada.cards[0]])
      #expect(state.memory == (try await host.replayed(ada.cards[0], of: ada.user, scheduler)))
      #expect(state.memory.state == .review)
    }
  }

  @Test(
    arguments: [
      ("desiredRetention", .number(0.69)), ("desiredRetention", "0.9"), ("learningSteps", [0]), ("learningSteps", 60),
      ("maximumInterval", 0), ("newCardsPerDay", -1), ("rolloverHour", 24), ("rolloverHour", .number(3.5)), ("fuzz", 1),
      ("weights", ["algorithm": "fsrs", "version": 6, "w": [1, 2, 3]]), ("weights", "default"),
    ] as [(String, JSONValue)])
  func invalidSettingsAreRejected(_ field: String, _ value: JSONValue) async throws {
    try await StudyHost.run { host async throws in
      var device = host.device(1, of: try await host.user("ada"))
      let operation = device.settings(SyncFields([.init(name: field, value: value)]))
      let result = try #require(try await device.sync([operation]).results.first)
      #expect(result.status == .rejected)
      #expect(result.field == "fields.\(field)")
    }
  }

  /// A newer app may know an algorithm that this server does not.
  @Test func weightsOfAnUnknownAlgorithmAreKeptAndTheDefaultsUsed() async throws {
    try await StudyHost.run { host async throws in
      var ada = try await host.learner("ada")
      let weights: JSONValue = ["algorithm": "fsrs", "version": 7, "w": [1, 2, 3]]
      try await ada.device.send([ada.device.settings(["weights": weights]), ada.review(3, at: host.ago(days: 1))])
      let replayed = try await host.replayed(ada.cards[0], of: ada.user)
      #expect(try await host.states(of: ada.user)[ada.cards[0]]?.memory == replayed)
      var tablet = host.device(2, of: ada.user)
      let settings = try await tablet.sync().changes.first { $0.collection == "studySettings" }
      #expect(settings?.fields?["weights"] == weights)
    }
  }

  /// Wrong clocks and long durations neither stop nor break anything.
  @Test(arguments: TestDatabase.allCases)
  func reviewsOf1970And2100AreCounted(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var ada = try await host.learner("ada")
      let reviews = [
        ada.review(3, at: Timestamp(microseconds: 0), milliseconds: 86_400_000),
        ada.review(3, at: try #require(Timestamp("2100-01-01T00:00:00Z"))),
        ada.review(3, at: try #require(Timestamp("9999-12-31T23:59:59Z"))),
        ada.review(1, at: try #require(Timestamp("0000-01-01T00:00:00Z"))), ada.review(4, at: host.ago(days: 1)),
      ]
      for review in reviews { try await ada.device.sync([review]) }
      #expect(try await host.states(of: ada.user)[ada.cards[0]]?.memory.reps == 5)
      let due = try await ada.client.send(StudyAPI.GetCardSchedule(id: ada.cards[0]))
      #expect(due.schedule.reviews == 5)
      let home = try await ada.client.send(StudyAPI.GetStudyHome())
      #expect(home.sets.map(\.set) == [ada.set])
      let days = try await host.days(of: ada.user)
      try await host.rebuildStatistics(of: ada.user)
      #expect(try await host.days(of: ada.user) == days)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func erasureLeavesNothingOfAUserAndKeepsOthers(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var (ada, eve) = (try await host.learner("ada"), try await host.learner("eve", device: 2))
      try await ada.device.send([ada.review(3, at: host.ago(days: 1))])
      try await eve.device.send([eve.review(3, at: host.ago(days: 1))])
      _ = try await ada.client.send(StudyAPI.FitScheduler())
      try await host.runJobs(SchedulerFitting.kind)
      let plugin = try host.test.plugin(StudySyncPlugin.self)
      let export = try await plugin.export(ada.user.id, from: host.database)
      let text = String(decoding: try WireJSON.encode(export), as: UTF8.self)
      for part in ["cardSchedules", "studyDays", "schedulerFit", ada.cards[0].rawValue] { #expect(text.contains(part)) }
      try await host.database.write { [user = ada.user.id] tx in try plugin.eraseAll(of: user, in: tx) }
      #expect(try await host.states(of: ada.user).isEmpty)
      #expect(try await host.days(of: ada.user).isEmpty)
      let rest = try await host.database.read { [user = ada.user.id] db in
        [
          try db.count("SELECT COUNT(*) FROM deferred_reviews WHERE user_id = \(user)"),
          try db.count("SELECT COUNT(*) FROM scheduler_fits WHERE user_id = \(user)"),
          try db.count("SELECT COUNT(*) FROM set_activity WHERE user_id = \(user)"),
        ]
      }
      #expect(rest == [0, 0, 0])
      #expect(try await host.states(of: eve.user).count == 1)
    }
  }
}
