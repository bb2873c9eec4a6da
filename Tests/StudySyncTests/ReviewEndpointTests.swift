import Contracts
import Persistence
import StudyModel
import TestKit
import Testing

@testable import StudySyncService

/// Answering cards and listing due ones through plain endpoints.
@Suite(.serialized)
struct ReviewEndpointTests {
  private static func new(
    _ ada: Learner, _ rating: Int, of card: Int = 0, at: Timestamp? = nil, id: String? = nil
  ) -> NewReview {
    NewReview(
      id: id, set: ada.set, card: ada.cards[card], rating: AnswerRating(checked: rating), at: at, milliseconds: 900,
      utcOffsetMinutes: UTCOffsetMinutes(checked: 0))
  }

  /// `evidence/fsrs6_golden.txt`: py-fsrs 6.3.2 without fuzz, each review at its due time.
  private static let goldens: [([Int], stage: CardStage, stability: Double, difficulty: Double, seconds: Int64)] = [
    ([3, 3, 3, 3, 3], .review, 162.999816, 2.090586, 14_083_200),
    ([1, 3, 3, 2, 4], .review, 4.957967, 6.769074, 432_000),
    ([4, 1, 3, 3], .review, 3.644713, 7.003404, 345_600),
    ([4, 1], .relearning, 1.388632, 7.02699, 600),
    ([2, 2, 3, 3, 1, 1, 3], .review, 0.173477, 9.611331, 86_400),
    ([3, 3, 3, 1, 3, 3], .review, 4.934769, 7.365665, 432_000),
  ]

  @Test(arguments: TestDatabase.allCases)
  func schedulesAreThoseOfPyFSRS(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.learner("ada", cards: Self.goldens.count)
      _ = try await ada.client.send(StudyAPI.UpdateScheduler(fuzz: false))
      for (card, golden) in Self.goldens.enumerated() {
        var (at, last): (Timestamp, CardSchedule?) = (host.ago(days: 400), nil)
        for rating in golden.0 {
          let response = try await ada.client.send(
            StudyAPI.AddReviews(reviews: [Self.new(ada, rating, of: card, at: at)]))
          last = response.schedules.first
          at = try #require(last?.due)
        }
        let schedule = try #require(last)
        #expect(schedule.stage == golden.stage)
        #expect(abs(try #require(schedule.stability) - golden.stability) < 1e-4)
        #expect(abs(try #require(schedule.difficulty) - golden.difficulty) < 1e-4)
        let seconds = try #require(schedule.due).seconds(since: #require(schedule.lastReview))
        #expect(Int64(seconds) == golden.seconds)
      }
    }
  }

  @Test func aReviewThroughThePlainEndpointReachesDevices() async throws {
    try await StudyHost.run { host async throws in
      var ada = try await host.learner("ada")
      let response = try await ada.client.send(
        StudyAPI.AddReviews(reviews: [Self.new(ada, 3, at: host.ago(days: 1))]))
      let received = try await ada.device.sync().changes
      #expect(received.map(\.id) == response.ids)
      #expect(received.first?.fields?["rating"] == 3)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aReviewWithAnIDMayBeRepeatedButNotChanged(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.learner("ada")
      let review = Self.new(ada, 3, id: host.test.ids.text())
      let first = try await ada.client.send(StudyAPI.AddReviews(reviews: [review]))
      host.test.time.advance(seconds: 5)
      #expect(try await ada.client.send(StudyAPI.AddReviews(reviews: [review])) == first)
      #expect(first.schedules.map(\.reviews) == [1])
      var other = review
      other.rating = AnswerRating(checked: 1)
      let refused = try await problem { [other] in
        _ = try await ada.client.send(StudyAPI.AddReviews(reviews: [other]))
      }
      #expect(refused?.is(.entryIDInUse) == true)
    }
  }

  @Test func aBatchWithAnInvalidReviewHasNoEffect() async throws {
    try await StudyHost.run { host async throws in
      let ada = try await host.learner("ada")
      var long = Self.new(ada, 3)
      long.milliseconds = 86_400_001
      let cases: [([NewReview], String)] = [
        ([], "body.reviews"), (Array(repeating: Self.new(ada, 3), count: 501), "body.reviews"),
        ([Self.new(ada, 3), long], "body.reviews[1].milliseconds"),
        ([Self.new(ada, 3), Self.new(ada, 3, at: host.ago(hours: -1))], "body.reviews[1].at"),
        ([Self.new(ada, 3, id: "1")], "body.reviews[0].id"),
      ]
      for (reviews, location) in cases {
        let refused = try await problem { _ = try await ada.client.send(StudyAPI.AddReviews(reviews: reviews)) }
        #expect(refused?.status == 422)
        #expect(refused?.errors?.map(\.location) == [location])
      }
      #expect(try await host.states(of: ada.user).isEmpty)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func onlyThoseWhoSeeASetReviewItAndEachHasASchedule(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      let ada = try await host.learner("ada", cards: 2)
      let eve = try await host.user("eve")
      let review = StudyAPI.AddReviews(reviews: [Self.new(ada, 1)])
      for refused in [
        try await problem { _ = try await eve.client.send(review) },
        try await problem { _ = try await eve.client.send(StudyAPI.GetDueCards(id: ada.set)) },
        try await problem { _ = try await eve.client.send(StudyAPI.GetCardSchedule(id: ada.cards[0])) },
      ] { #expect(refused?.status == 404) }
      try await host.share(ada.set, with: eve)
      _ = try await eve.client.send(review)
      #expect(try await eve.client.send(StudyAPI.GetCardSchedule(id: ada.cards[0])).schedule.reviews == 1)
      #expect(try await ada.client.send(StudyAPI.GetCardSchedule(id: ada.cards[0])).schedule.stage == .new)
    }
  }

  @Test func aCardOfAnotherSetIsNotFound() async throws {
    try await StudyHost.run { host async throws in
      var ada = try await host.learner("ada")
      let (other, _) = try await ada.device.makeSet(cards: 1, title: "Greek")
      var review = Self.new(ada, 3)
      review.set = other
      let refused = try await problem { [review] in
        _ = try await ada.client.send(StudyAPI.AddReviews(reviews: [review]))
      }
      #expect(refused?.status == 404)
    }
  }

  // MARK: due cards

  @Test(arguments: TestDatabase.allCases)
  func learningCardsComeFirstThenTheMostOverdueThenNewOnes(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var ada = try await host.learner("ada", cards: 8)
      try await ada.device.send([
        // 0: 8 days, 100 days ago; 1: 2 days, 60 days ago; 2: in learning; 3: not due; 4: deleted.
        ada.review(4, of: 0, at: host.ago(days: 108)), ada.review(3, of: 1, at: host.ago(days: 62, hours: 1)),
        ada.review(3, of: 1, at: host.ago(days: 62)), ada.review(1, of: 2, at: host.ago(hours: 1)),
        ada.review(4, of: 3, at: host.ago(hours: 1)), ada.review(1, of: 4, at: host.ago(hours: 2)),
        ada.device.settings(["newCardsPerDay": 2, "fuzz": false]),
      ])
      try await ada.device.sync([
        ada.device.operation(.cards, ada.cards[4].rawValue, set: ada.set, action: .delete)
      ])
      try await host.runJobs(Rescheduling.kind)
      let due = try await ada.client.send(StudyAPI.GetDueCards(id: ada.set))
      #expect(due.cards.map(\.schedule.card) == [2, 1, 0].map { ada.cards[$0] })
      #expect(due.cards.map(\.fields["front"]) == ["front 2", "front 1", "front 0"])
      // Today's new cards were 2, 3 and the deleted 4.
      #expect(due.counts == DueCounts.Counts(learning: 1, review: 2, new: 0, laterToday: 0))
      #expect(due.cards[0].intervals.again == 60)
      let preview = try Scheduler(fuzz: false).preview(
        try await host.replayed(ada.cards[1], of: ada.user, Scheduler(fuzz: false)), at: host.now.milliseconds)
      #expect(due.cards[1].intervals.good == (try #require(preview.good.due) - host.now.milliseconds) / 1000)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func newCardsFollowTheOrderOfTheSetUpToTheDaysLimit(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var ada = try await host.learner("ada", cards: 6)
      _ = try await ada.client.send(StudyAPI.UpdateScheduler(newCardsPerDay: 3))
      let first = try await ada.client.send(StudyAPI.GetDueCards(id: ada.set))
      #expect(first.cards.map(\.schedule.card) == Array(ada.cards[0..<3]))
      #expect(first.cards.map(\.schedule.stage) == [.new, .new, .new])
      // Yesterday's do not count against today's limit.
      try await ada.device.send([
        ada.review(4, of: 0, at: host.ago(days: 1, hours: 5)), ada.review(4, of: 1, at: host.now),
      ])
      let second = try await ada.client.send(StudyAPI.GetDueCards(id: ada.set))
      #expect(second.cards.map(\.schedule.card) == Array(ada.cards[2..<4]))
      #expect(second.counts.new == 2)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func countsAreOfTheSetsThatTheUserSees(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var (ada, eve) = (try await host.learner("ada", cards: 3), try await host.learner("eve", cards: 4, device: 2))
      _ = try await ada.device.makeSet(cards: 0, title: "Empty")
      try await host.share(eve.set, with: ada.user)
      try await ada.device.send([
        ada.review(1, of: 0, at: host.ago(hours: 1)),
        ada.device.review(eve.cards[0], of: eve.set, 4, at: host.ago(days: 50)),
        ada.device.review(eve.cards[1], of: eve.set, 1, at: host.now),
      ])
      try await eve.device.send([eve.review(1, at: host.ago(hours: 1))])
      let counts = try await ada.client.send(StudyAPI.GetDueCounts(utcOffsetMinutes: UTCOffsetMinutes(checked: 0)))
      #expect(counts.sets.count == 2)
      #expect(
        counts.sets.first { $0.set == ada.set }?.counts
          == DueCounts.Counts(learning: 1, review: 0, new: 2, laterToday: 0))
      #expect(
        counts.sets.first { $0.set == eve.set }?.counts
          == DueCounts.Counts(learning: 0, review: 1, new: 2, laterToday: 1))
      #expect(counts.total == DueCounts.Counts(learning: 1, review: 1, new: 4, laterToday: 1))
      try await host.database.write { [user = ada.user.id, set = eve.set] tx in
        _ = try SpaceStore.revoke(user, in: set.space, source: "test", tx)
      }
      #expect(try await ada.client.send(StudyAPI.GetDueCounts()).total.review == 0)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func aDeletedSetIsNotStudied(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var ada = try await host.learner("ada")
      try await ada.device.send([ada.review(1, at: host.ago(hours: 1))])
      #expect(try await ada.client.send(StudyAPI.GetDueCounts()).total.learning == 1)
      try await ada.device.sync([ada.device.operation(.sets, ada.set.rawValue, action: .delete)])
      #expect(try await ada.client.send(StudyAPI.GetDueCounts()).total == DueCounts.Counts())
      #expect(try await ada.client.send(StudyAPI.GetStudyHome()).sets.isEmpty)
      let refused = try await problem { [ada] in
        _ = try await ada.client.send(StudyAPI.AddReviews(reviews: [Self.new(ada, 3)]))
      }
      #expect(refused?.status == 404)
      // The time was spent.
      #expect(try await ada.client.send(StudyAPI.GetStudyStatistics()).milliseconds == 1000)
    }
  }

  @Test func settingsReachDevices() async throws {
    try await StudyHost.run { host async throws in
      var ada = try await host.learner("ada")
      let scheduler = try await ada.client.send(
        StudyAPI.UpdateScheduler(desiredRetention: 0.85, learningSteps: [30], newCardsPerDay: 7))
      #expect(scheduler.desiredRetention == 0.85)
      #expect(scheduler.learningSteps == [30])
      #expect(scheduler.fuzz)
      #expect(try await ada.client.send(StudyAPI.GetScheduler()) == scheduler)
      let settings = try #require(try await ada.device.sync().changes.first { $0.collection == "studySettings" })
      #expect(settings.fields?["desiredRetention"] == .number(0.85))
      let refused = try await problem {
        _ = try await ada.client.send(StudyAPI.UpdateScheduler(desiredRetention: 0.99))
      }
      #expect(refused?.errors?.map(\.location) == ["body.desiredRetention"])
    }
  }
}
