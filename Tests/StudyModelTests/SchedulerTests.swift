import Testing

@testable import StudyModel

/// Golden values of py-fsrs 6.3.2 (MIT), whose own tests `history` and `memo_state` are here too.
struct SchedulerTests {
  struct Golden: Sendable, CustomTestStringConvertible {
    let ratings: [Int]
    let steps: Bool
    let state: CardState
    let stability: Double
    let difficulty: Double
    let wait: Int64
    var testDescription: String { "\(ratings)" }
  }

  private static let golden = [
    Golden(
      ratings: [3, 3, 3, 3, 3], steps: true, state: .review, stability: 162.999816, difficulty: 2.090586,
      wait: 14_083_200),
    Golden(
      ratings: [1, 3, 3, 2, 4], steps: true, state: .review, stability: 4.957967, difficulty: 6.769074, wait: 432_000),
    Golden(ratings: [4, 1], steps: true, state: .relearning, stability: 1.388632, difficulty: 7.02699, wait: 600),
    Golden(
      ratings: [4, 1, 3, 3], steps: true, state: .review, stability: 3.644713, difficulty: 7.003404, wait: 345_600),
    Golden(ratings: [2, 2], steps: true, state: .learning, stability: 1.2931, difficulty: 6.74046, wait: 330),
    Golden(
      ratings: [2, 2, 3, 3, 1, 1, 3], steps: true, state: .review, stability: 0.173477, difficulty: 9.611331,
      wait: 86_400),
    Golden(
      ratings: [3, 3, 3, 1, 3, 3], steps: true, state: .review, stability: 4.934769, difficulty: 7.365665, wait: 432_000
    ),
    Golden(
      ratings: [3, 3, 3, 1, 3], steps: false, state: .review, stability: 7.778226, difficulty: 7.377814, wait: 691_200),
  ]

  @Test(arguments: golden) func agreesWithGoldenValues(golden: Golden) throws {
    let scheduler = try golden.steps ? Scheduler.exact() : Scheduler.exact(learningSteps: [], relearningSteps: [])
    var memory = CardMemory(cardID: "1")
    var time = newYear
    for rating in golden.ratings {
      time = memory.due ?? time
      memory = scheduler.review(memory, rating: try #require(ReviewRating(rawValue: rating)), at: time)
    }
    #expect(memory.state == golden.state)
    #expect(abs((memory.stability ?? 0) - golden.stability) < 1e-6)
    #expect(abs((memory.difficulty ?? 0) - golden.difficulty) < 1e-6)
    #expect(memory.due == time + golden.wait * 1000)
  }

  @Test func thirteenRatingsGiveTheIntervalsOfPyFSRS() throws {
    let scheduler = try Scheduler.exact()
    var memory = CardMemory(cardID: "1")
    var intervals: [Int] = []
    for rating: ReviewRating in [
      .good, .good, .good, .good, .good, .good, .again, .again, .good, .good, .good, .good, .good,
    ] {
      memory = scheduler.review(memory, rating: rating, at: memory.due ?? newYear)
      intervals.append(memory.intervalDays)
    }
    #expect(intervals == [0, 2, 11, 46, 163, 498, 0, 0, 2, 4, 7, 12, 21])
    #expect(memory.reps == 13)
    #expect(memory.lapses == 1)
  }

  @Test func memoryStateIsThatOfPyFSRS() throws {
    let scheduler = try Scheduler.exact()
    var memory = CardMemory(cardID: "1")
    var time = newYear
    for (rating, days) in [(ReviewRating.again, 0), (.good, 0), (.good, 1), (.good, 3), (.good, 8), (.good, 21)] {
      time += Int64(days) * day
      memory = scheduler.review(memory, rating: rating, at: time)
    }
    #expect(abs((memory.stability ?? 0) - 53.62691) < 1e-4)
    #expect(abs((memory.difficulty ?? 0) - 6.3574867) < 1e-4)
  }

  @Test(arguments: [(0.7, 92.8791), (0.8, 33.1596), (0.9, 10.0), (0.95, 4.0256)])
  func intervalFollowsDesiredRetention(retention: Double, days: Double) {
    let model = MemoryModel(.default)
    #expect(abs(model.interval(stability: 10, retention: retention) - days) < 1e-4)
  }

  @Test(arguments: [(0, 1.0), (1, 0.986889), (5, 0.944638), (10, 0.90624), (11, 0.899819)])
  func recallFallsWithWholeDays(days: Int64, recall: Double) throws {
    let scheduler = try Scheduler.exact()
    var memory = CardMemory(cardID: "1")
    for _ in 0..<3 { memory = scheduler.review(memory, rating: .good, at: memory.due ?? newYear) }
    let last = try #require(memory.lastReview)
    #expect(abs(scheduler.retrievability(memory, at: last + days * day) - recall) < 1e-6)
    #expect(abs(scheduler.retrievability(memory, at: last + days * day + day - 1) - recall) < 1e-6)
  }

  @Test func newCardIsNotRecalled() throws {
    #expect(try Scheduler.exact().retrievability(CardMemory(cardID: "1"), at: newYear) == 0)
  }

  @Test func hardWaitsHalfAsLongAgainWithOneStep() throws {
    let memory = try Scheduler.exact(learningSteps: [600]).review(CardMemory(cardID: "1"), rating: .hard, at: newYear)
    #expect(memory.due == newYear + 900_000)
  }

  @Test func stepThatNoLongerExistsGraduates() throws {
    let many = try Scheduler.exact(learningSteps: [60, 120, 180, 240])
    var memory = CardMemory(cardID: "1")
    for _ in 0..<3 { memory = many.review(memory, rating: .good, at: memory.due ?? newYear) }
    #expect(memory.step == 3)
    #expect(try Scheduler.exact().review(memory, rating: .hard, at: newYear + day).state == .review)
    #expect(try Scheduler.exact().review(memory, rating: .again, at: newYear + day).step == 0)
  }

  @Test func previewIsWhatEachRatingGives() throws {
    let scheduler = try Scheduler(fuzz: true)
    var memory = CardMemory(cardID: "card")
    for _ in 0..<4 {
      let preview = scheduler.preview(memory, at: memory.due ?? newYear)
      for rating in ReviewRating.allCases {
        #expect(preview[rating] == scheduler.review(memory, rating: rating, at: memory.due ?? newYear))
      }
      memory = preview.good
    }
  }

  @Test(arguments: [Int64.min, -1, 0, 4_102_444_800_000, Int64.max])
  func anyClockGivesFiniteValues(clock: Int64) throws {
    let scheduler = try Scheduler(fuzz: true)
    for first in [newYear, clock] {
      for rating in ReviewRating.allCases {
        var memory = scheduler.review(CardMemory(cardID: "1"), rating: .easy, at: first)
        for _ in 0..<3 {
          memory = scheduler.review(memory, rating: rating, at: clock)
          let stability = try #require(memory.stability)
          #expect(stability.isFinite && stability >= 0.001)
          #expect((1...10).contains(try #require(memory.difficulty)))
          #expect((0...1).contains(scheduler.retrievability(memory, at: newYear)))
        }
      }
    }
  }

  @Test func reviewBeforeTheLastIsOfTheSameDay() throws {
    let scheduler = try Scheduler.exact()
    let memory = scheduler.review(CardMemory(cardID: "1"), rating: .easy, at: newYear)
    let earlier = scheduler.review(memory, rating: .good, at: newYear - 300 * day)
    #expect(earlier.stability == scheduler.review(memory, rating: .good, at: newYear).stability)
  }

  @Test func damagedMemoryIsBroughtIntoRange() throws {
    let scheduler = try Scheduler.exact()
    for state in CardState.allCases {
      for (stability, difficulty) in [(Double.nan, 5.0), (-3, -3), (.infinity, .infinity), (0, 99)] {
        let memory = CardMemory(
          cardID: "1", state: state, step: -4, stability: stability, difficulty: difficulty, due: nil,
          lastReview: newYear,
          reps: .max, lapses: .max)
        for rating in ReviewRating.allCases {
          let next = scheduler.review(memory, rating: rating, at: newYear + 9 * day)
          #expect(next.stability?.isFinite == true)
          #expect((1...10).contains(try #require(next.difficulty)))
        }
      }
    }
  }

  @Test func settingsOutOfRangeAreRefused() {
    #expect(throws: SchedulerError.desiredRetention) { try Scheduler(desiredRetention: 0.69) }
    #expect(throws: SchedulerError.desiredRetention) { try Scheduler(desiredRetention: .nan) }
    #expect(throws: SchedulerError.learningSteps) { try Scheduler(learningSteps: [0]) }
    #expect(throws: SchedulerError.relearningSteps) { try Scheduler(relearningSteps: [.max]) }
    #expect(throws: SchedulerError.maximumInterval) { try Scheduler(maximumInterval: 0) }
  }
}
