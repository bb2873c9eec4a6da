import TestKit
import Testing

@testable import StudyModel

struct ReplayTests {
  @Test func orderOfArrivalDoesNotMatter() throws {
    var random = SeededGenerator()
    let scheduler = try Scheduler(fuzz: true)
    for _ in 0..<300 {
      let reviews = CardReview.random(.random(in: 0...30, using: &random), &random)
      let memory = scheduler.replay(reviews, cardID: "card")
      #expect(scheduler.replay(reviews.shuffled(using: &random), cardID: "card") == memory, "\(random)")
    }
  }

  @Test func logsOfTwoDevicesMergeToTheSameSchedule() throws {
    var random = SeededGenerator()
    let scheduler = try Scheduler(fuzz: true)
    let reviews = CardReview.random(40, &random)
    // Both know some of the reviews, as after a lost reply.
    let phone = Array(reviews.prefix(25))
    let tablet = Array(reviews.suffix(25))
    #expect(scheduler.replay(phone + tablet, cardID: "c") == scheduler.replay(tablet + phone, cardID: "c"))
    #expect(scheduler.replay(phone + tablet, cardID: "c") == scheduler.replay(reviews, cardID: "c"))
  }

  @Test func lapseOfOnePhoneSurvivesReviewOfTheOther() throws {
    let scheduler = try Scheduler.exact()
    let known = [
      CardReview(id: "1", reviewedAt: newYear, rating: .easy),
      CardReview(id: "2", reviewedAt: newYear + 8 * day, rating: .good),
    ]
    let lapse = CardReview(id: "3", reviewedAt: newYear + 30 * day, rating: .again)
    let later = CardReview(id: "4", reviewedAt: newYear + 31 * day, rating: .good)
    #expect(scheduler.replay(known + [later, lapse], cardID: "c").lapses == 1)
  }

  @Test func replayContinuesFromAnImportedSchedule() throws {
    let scheduler = try Scheduler.exact()
    let imported = CardMemory(
      cardID: "c", state: .review, step: nil, stability: 50, difficulty: 5, due: newYear + 50 * day,
      lastReview: newYear,
      reps: 7, lapses: 2)
    let review = CardReview(id: "1", reviewedAt: newYear + 50 * day, rating: .good)
    let memory = scheduler.replay([review], from: imported)
    #expect(memory.reps == 8)
    #expect(memory.lapses == 2)
    #expect(memory.intervalDays > 50)
  }

  @Test func stepsEndInTheReplayedMemory() throws {
    var random = SeededGenerator()
    let scheduler = try Scheduler(fuzz: true)
    let reviews = CardReview.random(20, &random)
    let steps = scheduler.steps(reviews, from: CardMemory(cardID: "c"))
    #expect(steps.last?.after == scheduler.replay(reviews, cardID: "c"), "\(random)")
    #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.after == $1.before })
  }
}
