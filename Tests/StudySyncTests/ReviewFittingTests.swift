import Contracts
import Persistence
import StudyModel
import TestKit
import Testing

@testable import StudySyncService

/// Weights are fitted to a user's reviews, and never make the predictions worse.
@Suite(.serialized)
struct ReviewFittingTests {
  /// Reviews of someone who remembers much longer than most: never forgets within ten days.
  private static func reviews(of ada: inout Learner, in host: StudyHost, _ random: inout SeededGenerator)
    -> [SyncOperation]
  {
    var operations: [SyncOperation] = []
    for card in ada.cards.indices {
      var days = Double(90 - card % 20)
      while days > 0 {
        operations.append(ada.review(.random(in: 3...4, using: &random), of: card, at: host.ago(days: days)))
        days -= Double(Int.random(in: 6...10, using: &random))
      }
    }
    return operations
  }

  @Test(arguments: TestDatabase.allCases)
  func enoughReviewsMakeWeightsThatDevicesGetToo(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var random = SeededGenerator()
      var ada = try await host.learner("ada", cards: 80)
      try await ada.device.send(Self.reviews(of: &ada, in: host, &random))
      try await host.runJobs(SchedulerFitting.kind)
      let scheduler = try await ada.client.send(StudyAPI.GetScheduler())
      let fit = try #require(scheduler.lastFit)
      #expect(fit.result == .improved, "\(random)")
      #expect(fit.reviews >= 400)
      #expect(try #require(fit.fittedLogLoss) < #require(fit.defaultLogLoss), "\(random)")
      let weights = try FSRSWeights(scheduler.weights.w)
      #expect(weights != .default)
      let settings = try #require(try await ada.device.sync().changes.first { $0.collection == "studySettings" })
      #expect(settings.fields?["weights"] == (try JSONValue(scheduler.weights)))

      // All cards are scheduled with them.
      try await host.runJobs(Rescheduling.kind)
      let states = try await host.states(of: ada.user)
      for card in ada.cards.prefix(5) {
        let replayed = try await host.replayed(card, of: ada.user, Scheduler(weights: weights))
        #expect(states[card]?.memory == replayed, "\(random)")
      }
    }
  }

  @Test func whoeverHasChosenTheirWeightsKeepsThem() async throws {
    try await StudyHost.run { host async throws in
      var random = SeededGenerator()
      var ada = try await host.learner("ada", cards: 80)
      try await ada.device.send([ada.device.settings(["fitsWeights": false])])
      try await ada.device.send(Self.reviews(of: &ada, in: host, &random))
      try await host.runJobs(SchedulerFitting.kind)
      let scheduler = try await ada.client.send(StudyAPI.GetScheduler())
      #expect(scheduler.lastFit == nil)
      #expect(scheduler.weights.w == FSRSWeights.default.values)
    }
  }

  @Test(arguments: TestDatabase.allCases)
  func tooFewReviewsAreReported(_ database: TestDatabase) async throws {
    try await StudyHost.run(database) { host async throws in
      var ada = try await host.learner("ada")
      try await ada.device.send([ada.review(3, at: host.ago(days: 9)), ada.review(3, at: host.ago(days: 5))])
      _ = try await ada.client.send(StudyAPI.FitScheduler())
      try await host.runJobs(SchedulerFitting.kind)
      let scheduler = try await ada.client.send(StudyAPI.GetScheduler())
      #expect(scheduler.lastFit == SchedulerFit(at: host.now, result: .notEnoughReviews, reviews: 1))
      #expect(scheduler.weights.w == FSRSWeights.default.values)
    }
  }
}
