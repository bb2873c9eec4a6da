import Contracts
import Persistence
import StudyModel
import TestKit
import Testing

@testable import StudySyncService

@Suite(.serialized)
struct StatisticsTests {
  private static let utc = UTCOffsetMinutes(checked: 0)

  /// Random entries of every kind, in an order of arrival that is not that of their times.
  @Test(arguments: TestDatabase.allCases)
  func statisticsAreWhatARebuildFromTheLogMakes(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var random = SeededGenerator()
      let ada = try await host.learner("ada", cards: 5)
      var device = ada.device
      let other = StudySetID(trusted: device.newID())
      for _ in 0..<12 {
        var operations: [SyncOperation] = []
        for _ in 0..<Int.random(in: 1...25, using: &random) {
          let at = host.ago(hours: Double(Int.random(in: 0...3000, using: &random)))
          let offset = Int.random(in: -12...14, using: &random) * 60
          let set = Bool.random(using: &random) ? ada.set : other
          switch Int.random(in: 0..<6, using: &random) {
          case 0:
            operations.append(
              device.session(
                StudyFunction.allCases.randomElement(using: &random) ?? .cards,
                of: Bool.random(using: &random) ? set : nil, at: at,
                milliseconds: .random(in: 0...86_400_000, using: &random), offset: offset))
          case 1:
            operations.append(
              device.quiz(
                of: set, at: at, correct: .random(in: 0...9, using: &random),
                incorrect: .random(in: 0...9, using: &random)))
          default:
            let card = ada.cards[Int.random(in: 0..<5, using: &random)]
            operations.append(
              device.review(card, of: set, .random(in: 1...4, using: &random), at: at, offset: offset))
          }
        }
        // Some are sent twice.
        try await device.sync(operations)
        try await device.sync(Array(operations.prefix(3)))
      }
      func activity() async throws -> [StudySetID: StudyTotals.SetTotal] {
        let list = try await host.database.read { db in
          try SetActivityStore.list(of: ada.user.id, limit: 100, in: db).map { ($0.set, $0.total) }
        }
        return Dictionary(uniqueKeysWithValues: list)
      }
      let (days, sets) = (try await host.days(of: ada.user), try await activity())
      #expect(days.reduce(0) { $0 + $1.total.reviews.newCards } == 5, "\(random)")
      try await host.rebuildStatistics(of: ada.user)
      #expect(try await host.days(of: ada.user) == days, "\(random)")
      #expect(try await activity() == sets, "\(random)")
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func whatNamesUnknownSetsCountsUnderNone(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var ada = try await host.learner("ada")
      var entries = [ada.review(3, at: host.ago(hours: 2), milliseconds: 1000)]
      for _ in 0..<30 {
        let unknown = StudySetID(trusted: ada.device.newID())
        entries.append(ada.device.session(.cards, of: unknown, at: host.ago(hours: 1), milliseconds: 2000))
      }
      try await ada.device.send(entries)
      let statistics = try await ada.client.send(StudyAPI.GetStudyStatistics(utcOffsetMinutes: Self.utc))
      #expect(statistics.milliseconds == 61_000)
      #expect(statistics.functions.map(\.count) == [30, 1])
      #expect(try await host.count("SELECT COUNT(*) FROM study_days") == 2)
      #expect(try await host.count("SELECT COUNT(*) FROM set_activity") == 1)
      #expect(try await host.count("SELECT COUNT(*) FROM set_visits") == 1)
      let calendar = try await ada.client.send(StudyAPI.GetStudyCalendar(utcOffsetMinutes: Self.utc))
      #expect(calendar.days.map(\.milliseconds) == [61_000])
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func timeIsGivenByFunctionByDayAndBySet(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var ada = try await host.learner("ada", cards: 2)
      let (other, _) = try await ada.device.makeSet(cards: 1, title: "Greek")
      try await ada.device.send([
        ada.device.session(.cards, of: ada.set, at: host.ago(days: 2), milliseconds: 60_000),
        ada.device.session(.course, at: host.ago(days: 2), milliseconds: 5000),
        ada.device.quiz(of: other, at: host.ago(days: 1), correct: 7, incorrect: 3, milliseconds: 90_000),
        ada.review(3, at: host.ago(days: 1), milliseconds: 2000), ada.review(1, of: 1, at: host.ago(hours: 1)),
        ada.device.session(.cards, of: ada.set, at: host.ago(days: 31), milliseconds: 1_000_000),
      ])
      let all = try await ada.client.send(StudyAPI.GetStudyStatistics())
      #expect(all.milliseconds == 158_000)
      #expect(all.functions.map(\.function) == [.cards, .review, .quiz, .course])
      #expect(all.functions.map(\.milliseconds) == [60_000, 3000, 90_000, 5000])
      #expect(all.functions.map(\.count) == [1, 2, 1, 1])
      #expect(all.functions.map(\.score.answers) == [0, 2, 10, 0])
      #expect(all.functions.map(\.score.correct) == [0, 1, 7, 0])
      #expect(all.days.map(\.date.description) == ["2025-12-29", "2025-12-30", "2025-12-31"])
      #expect(all.days.map(\.milliseconds) == [65_000, 92_000, 1000])
      #expect(all.days.map(\.newCards) == [0, 1, 1])
      #expect(all.days[1].quizzes == AnswerScore(answers: 10, correct: 7))
      #expect(all.sets.map(\.set) == [ada.set, other])
      #expect(all.sets.map(\.milliseconds) == [1_063_000, 90_000])
      #expect(all.sets[1].quizzes == AnswerScore(answers: 10, correct: 7))

      let one = try await ada.client.send(StudyAPI.GetStudyStatistics(set: ada.set))
      #expect(one.functions.map(\.milliseconds) == [60_000, 3000])
      #expect(one.sets.map(\.set) == [ada.set])
      let early = try await ada.client.send(
        StudyAPI.GetStudyStatistics(from: CalendarDate("2025-11-30"), to: CalendarDate("2025-11-30")))
      #expect(early.milliseconds == 1_000_000)
      let refused = try await problem {
        _ = try await ada.client.send(
          StudyAPI.GetStudyStatistics(from: CalendarDate("2025-11-30"), to: CalendarDate("2025-11-29")))
      }
      #expect(refused?.status == 422)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func retentionForecastAndMasteryAreThoseOfTheCards(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var ada = try await host.learner("ada", cards: 4)
      try await ada.device.send([
        ada.review(4, at: host.ago(days: 29)), ada.review(3, at: host.ago(days: 21)),
        ada.review(4, of: 1, at: host.ago(days: 29)), ada.review(1, of: 1, at: host.ago(days: 8)),
        // On the same day: shows nothing about memory.
        ada.review(3, of: 1, at: host.ago(days: 8, hours: -1)), ada.review(3, of: 2, at: host.ago(hours: 1)),
      ])
      let statistics = try await ada.client.send(StudyAPI.GetStudyStatistics(utcOffsetMinutes: Self.utc))
      #expect(statistics.young == AnswerScore(answers: 1, correct: 1))
      #expect(statistics.mature == AnswerScore(answers: 1, correct: 0))

      let scheduler = Scheduler(weights: .default)
      var memories: [CardMemory] = []
      for card in ada.cards { memories.append(try await host.replayed(card, of: ada.user)) }
      let now = host.now.milliseconds
      let forecast = DueForecast(due: memories.map(\.due), days: 30, at: now, utcOffsetMinutes: 0)
      #expect(statistics.forecast == forecast.counts)
      #expect(statistics.forecast.reduce(0, +) == 3)
      let mastery = Mastery(memories, scheduler: scheduler, at: now)
      #expect(abs(statistics.mastery.value - mastery.value) < 1e-9)
      #expect(statistics.mastery.new == 1)
      #expect(statistics.mastery.learning == mastery.counts[.learning])
      #expect(statistics.mastery.young + statistics.mastery.mature == 2)
      #expect(statistics.sets.map(\.mastery.mature) == [statistics.mastery.mature])
    }
  }

  /// The sources of a course's progress.
  @Test(arguments: TestDatabase.allCases)
  func progressIsReadForSeveralUsersAndSetsAtOnce(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var ada = try await host.learner("ada", cards: 3)
      let (greek, _) = try await ada.device.makeSet(cards: 2, title: "Greek")
      var eve = host.device(2, of: try await host.user("eve"))
      for set in [ada.set, greek] { try await host.share(set, with: eve.user) }
      let idle = try await host.user("idle")
      try await ada.device.send([
        ada.review(4, at: host.ago(days: 2)), ada.review(4, of: 1, at: host.ago(days: 1)),
      ])
      try await eve.send([
        eve.review(ada.cards[2], of: ada.set, 1, at: host.ago(days: 1)),
        // Not a card of the set.
        eve.review(CardID(trusted: eve.newID()), of: ada.set, 4, at: host.ago(days: 1)),
        eve.quiz(of: greek, at: host.ago(days: 1), correct: 4, incorrect: 1, milliseconds: 70_000),
      ])
      let users = [ada.user.id, eve.user.id, idle.id]
      let (sets, records) = ([ada.set, greek], try host.records)
      let progress = try await host.database.read { [now = host.now] db in
        try SetProgress.of(users, in: sets, records, at: now, db)
      }
      #expect(Set(progress.keys) == [ada.user.id, eve.user.id])
      let ofAda = try #require(progress[ada.user.id]?[ada.set])
      #expect(ofAda.mastery.new == 1)
      #expect(ofAda.mastery.young == 2)
      #expect(ofAda.reviews == 2)
      #expect(ofAda.lastStudiedAt == host.ago(days: 1))
      let ofEve = try #require(progress[eve.user.id])
      #expect(ofEve[ada.set]?.mastery.new == 2)
      #expect(ofEve[ada.set]?.mastery.learning == 1)
      #expect(try #require(ofEve[ada.set]).mastery.value < ofAda.mastery.value)
      #expect(ofEve[greek]?.quizzes == AnswerScore(answers: 5, correct: 4))
      #expect(ofEve[greek]?.mastery == CardMastery(new: 2))
      #expect(ofEve[greek]?.milliseconds == 70_000)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func homeShowsTheLastSetsFirst(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var ada = try await host.learner("ada", cards: 2)
      let (greek, _) = try await ada.device.makeSet(cards: 1, title: "Greek")
      let eve = try await host.learner("eve", device: 2)
      try await host.share(eve.set, with: ada.user)
      try await ada.device.send([
        ada.review(3, at: host.ago(days: 1), milliseconds: 4000),
        ada.device.session(.cards, of: eve.set, at: host.ago(hours: 3), milliseconds: 60_000),
        // Only opened.
        ada.device.session(.cards, of: greek, at: host.ago(hours: 1), milliseconds: 0),
      ])
      var home = try await ada.client.send(StudyAPI.GetStudyHome(utcOffsetMinutes: Self.utc))
      #expect(home.sets.map(\.title) == ["Greek", "Latin of eve", "Latin of ada"])
      #expect(home.sets.map(\.lastStudiedAt) == [host.ago(hours: 1), host.ago(hours: 3), host.ago(days: 1)])
      #expect(home.sets.map(\.milliseconds) == [0, 60_000, 4000])
      #expect(home.sets.map(\.reviews) == [0, 0, 1])
      #expect(home.sets.map(\.due.new) == [1, 1, 1])
      #expect(home.today.milliseconds == 60_000)
      #expect(home.due.learning == 1)
      #expect(home.streak == StudyStreak(current: 2, longest: 2, includesToday: true))

      try await host.database.write { [user = ada.user.id, set = eve.set] tx in
        _ = try SpaceStore.revoke(user, in: set.space, source: "test", tx)
      }
      home = try await ada.client.send(StudyAPI.GetStudyHome(utcOffsetMinutes: Self.utc))
      #expect(home.sets.map(\.set) == [greek, ada.set])
      #expect(home.today.milliseconds == 60_000)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func sessionsAreAddedThroughThePlainEndpoint(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var ada = try await host.learner("ada")
      let eve = try await host.learner("eve", device: 2)
      let day = NewStudySession(
        function: .course, at: host.ago(days: 1), milliseconds: 86_400_000, utcOffsetMinutes: Self.utc)
      let id = host.test.ids.text()
      var opened = NewStudySession(id: id, function: .cards, set: ada.set, milliseconds: 0, utcOffsetMinutes: Self.utc)
      let added = try await ada.client.send(StudyAPI.AddStudySessions(sessions: [day, opened]))
      #expect(added.ids.last == id)
      #expect(try await ada.client.send(StudyAPI.AddStudySessions(sessions: [opened])).ids == [id])
      #expect(Set(try await ada.device.sync().changes.map(\.id)) == Set(added.ids))
      #expect(try await ada.client.send(StudyAPI.GetStudyHome()).sets.map(\.set) == [ada.set])
      #expect(try await ada.client.send(StudyAPI.GetStudyStatistics()).milliseconds == 86_400_000)

      opened.id = nil
      var long = opened
      long.milliseconds = 86_400_001
      var hidden = opened
      hidden.set = eve.set
      for (session, status) in [(long, 422), (hidden, 404)] {
        let refused = try await problem {
          _ = try await ada.client.send(StudyAPI.AddStudySessions(sessions: [session]))
        }
        #expect(refused?.status == status)
      }
    }
  }
}

extension StudyHost {
  var records: RecordStore {
    get throws {
      let observer = try #require(
        test.plugin(StudySyncPlugin.self).features.compactMap { $0 as? Statistics }.first)
      return observer.records
    }
  }
}
