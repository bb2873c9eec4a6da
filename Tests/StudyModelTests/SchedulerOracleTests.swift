import Foundation
import StudyModel
import TestKit
import Testing

/// 10,000 random histories as PyPI's `fsrs` schedules them: random weights, steps and retention, reviews early, late,
/// at the border of a day, and with clocks that go back.
struct SchedulerOracleTests {
  private struct History: Decodable {
    let weights: [Double]
    let retention: Double
    let learning: [Int64]
    let relearning: [Int64]
    let maximum: Int
    /// Time, rating, state, step, stability, difficulty, due, another time, retrievability then.
    let reviews: [[Double]]

    /// The number of the first review that is scheduled differently.
    func firstDifference() throws -> Int? {
      let scheduler = try Scheduler(
        weights: FSRSWeights(weights), desiredRetention: retention, learningSteps: learning,
        relearningSteps: relearning, maximumInterval: maximum, fuzz: false)
      var memory = CardMemory(cardID: "1")
      for (index, row) in reviews.enumerated() {
        guard row.count == 9, let rating = ReviewRating(rawValue: Int(row[1])) else { return index }
        memory = scheduler.review(memory, rating: rating, at: Int64(row[0]))
        let stability = memory.stability ?? .nan
        let isEqual =
          memory.state.rawValue == Int(row[2]) && memory.step ?? -1 == Int(row[3])
          && abs(stability - row[4]) <= 1e-4 * max(1, row[4]) && abs((memory.difficulty ?? .nan) - row[5]) <= 1e-4
          && memory.due == Int64(row[6])
          && abs(scheduler.retrievability(memory, at: Int64(row[7])) - row[8]) <= 1e-6
        if !isEqual { return index }
      }
      return nil
    }
  }

  @Test func schedulesLikeFSRSOfPyPI() async throws {
    let random = SeededGenerator()
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("schedules.py").path
    let output = try await Command.run([Python.path(), script, String(random.seed), "10000"])
    let lines = output.utf8.split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == 10_000)
    let decoder = JSONDecoder()
    var different = 0
    for line in lines {
      let history = try decoder.decode(History.self, from: Data(line))
      if let index = try history.firstDifference() {
        different += 1
        if different == 1 { Issue.record("review \(index) of \(String(line) ?? "?"), \(random)") }
      }
    }
    #expect(different == 0)
  }
}
