import TestKit
import Testing

@testable import StudyModel

struct StatisticsTests {
  private static func session(_ id: Int, _ activity: String, _ day: Int, _ milliseconds: Int64) -> StudySession {
    StudySession(
      id: "\(id)", activity: activity, startedAt: Int64(day * 1000 + id % 3), utcOffsetMinutes: id % 4,
      day: StudyDay(number: day), milliseconds: milliseconds)
  }

  @Test func calendarSumsByDayAndActivity() {
    let calendar = StudyCalendar([
      Self.session(1, "cards", 5, 100), Self.session(2, "quiz", 5, 30), Self.session(3, "cards", 5, 7),
      Self.session(3, "cards", 5, 7), Self.session(4, "cards", 6, -50),
    ])
    #expect(calendar.days[StudyDay(number: 5)]?.milliseconds == ["cards": 107, "quiz": 30])
    #expect(calendar.days[StudyDay(number: 5)]?.total == 137)
    #expect(calendar.days[StudyDay(number: 5)]?.sessions == 3)
    #expect(calendar.days[StudyDay(number: 6)]?.total == 0)
    #expect(calendar.studied(from: StudyDay(number: 6), through: StudyDay(number: 9)) == [StudyDay(number: 6)])
  }

  @Test func calendarDoesNotDependOnOrder() {
    var random = SeededGenerator()
    let sessions = (0..<200).map { index in
      Self.session(
        index % 150, ["cards", "quiz"][index % 2], index % 150 % 11, Int64(index % 150) * 10)
    }
    #expect(StudyCalendar(sessions.shuffled(using: &random)) == StudyCalendar(sessions), "\(random)")
  }

  @Test func sumsDoNotOverflow() {
    let calendar = StudyCalendar([Self.session(1, "a", 1, .max), Self.session(2, "a", 1, .max)])
    #expect(calendar.days[StudyDay(number: 1)]?.total == .max)
  }

  @Test func retentionCountsReviewsByMaturity() throws {
    let scheduler = try Scheduler.exact()
    func memory(_ state: CardState, days: Int64) -> CardMemory {
      CardMemory(
        cardID: "c", state: state, step: nil, stability: 9, difficulty: 5, due: newYear + days * day,
        lastReview: newYear,
        reps: 1, lapses: 0)
    }
    var retention = Retention()
    retention.add(.again, before: memory(.review, days: 20))
    retention.add(.hard, before: memory(.review, days: 20))
    retention.add(.good, before: memory(.review, days: 21))
    retention.add(.again, before: memory(.relearning, days: 0))
    retention.add(.again, before: CardMemory(cardID: "c"))
    #expect(retention.young.share == 0.5)
    #expect(retention.mature.reviews == 1)
    #expect(retention.mature.share == 1)
    #expect(retention.all.reviews == 3)
    #expect(Retention().all.share == nil)
    let reviews = (0..<6).map { CardReview(id: "\($0)", reviewedAt: newYear + Int64($0) * 9 * day, rating: .good) }
    #expect(Retention(scheduler.steps(reviews, from: CardMemory(cardID: "c"))).all.reviews == 4)
  }

  @Test func forecastCountsOverdueToday() {
    let now = newYear + 12 * 3_600_000
    let forecast = DueForecast(
      due: [nil, now - 90 * day, now, now + day, now + day, now + 2 * day, now + 7 * day, .max, .min], days: 7, at: now,
      utcOffsetMinutes: 60)
    #expect(forecast.counts == [3, 2, 1, 0, 0, 0, 0])
    #expect(forecast.today.description == "2026-01-01")
    #expect(DueForecast(due: [], days: -5, at: now, utcOffsetMinutes: 0).counts == [0])
  }

  @Test func masteryGrowsWithStabilityAndFallsWithTime() throws {
    let scheduler = try Scheduler.exact()
    var memory = CardMemory(cardID: "c")
    var values: [Double] = []
    for _ in 0..<5 {
      memory = scheduler.review(memory, rating: .good, at: memory.due ?? newYear)
      values.append(Mastery.value(of: memory, scheduler: scheduler, at: memory.lastReview ?? 0))
    }
    #expect(values == values.sorted())
    #expect(values.last == 1)
    let later = Mastery.value(of: memory, scheduler: scheduler, at: (memory.due ?? 0) + 300 * day)
    #expect(later < 0.9)
  }

  @Test func masteryOfASetIsTheMeanWithNewCards() throws {
    let scheduler = try Scheduler.exact()
    func memory(_ state: CardState, _ stability: Double) -> CardMemory {
      CardMemory(
        cardID: "c", state: state, step: nil, stability: stability, difficulty: 5, due: newYear, lastReview: newYear,
        reps: 1, lapses: 0)
    }
    let mastery = Mastery(
      [CardMemory(cardID: "n"), memory(.learning, 2), memory(.review, 20.9), memory(.review, 21)], scheduler: scheduler,
      at: newYear)
    #expect(mastery.counts == [.new: 1, .learning: 1, .young: 1, .mature: 1])
    #expect(mastery.cards == 4)
    #expect(mastery.value > 0.5)
    #expect(mastery.value < 0.75)
    #expect(Mastery().value == 0)
    #expect(Mastery([memory(.review, 99)], scheduler: scheduler, at: newYear).value == 1)
  }
}
