import TestKit
import Testing

@testable import StudyModel

struct WorkoutTests {
  @Test func caloriesFollowTheFormula() {
    let burned = Calories.burned(met: 5, kilograms: 77.1, activeSeconds: 1800)
    #expect(abs(burned - 202.3875) < 1e-9)
    #expect((burned * 10).rounded() / 10 == 202.4)
  }

  @Test(arguments: [(-1.0, 70.0, 60.0), (5, -70, 60), (5, 70, -60), (.nan, 70, 60), (5, .infinity, 60)])
  func impossibleValuesBurnNothing(met: Double, kilograms: Double, seconds: Double) {
    #expect(Calories.burned(met: met, kilograms: kilograms, activeSeconds: seconds) == 0)
  }

  private static let pauses: [([(Int64, Int64?)], Int64)] = [
    ([], 100), ([(10, 20)], 90), ([(10, 30), (20, 40)], 70), ([(20, 40), (10, 30)], 70), ([(10, 60), (20, 30)], 50),
    ([(-50, 10), (90, 500)], 80), ([(200, 300)], 100), ([(30, 20)], 100), ([(60, nil)], 60),
    ([(60, nil), (70, 80)], 60),
    ([(-10, nil)], 0),
  ]

  @Test(arguments: pauses)
  func pausesAreTakenOff(pauses: [(Int64, Int64?)], active: Int64) {
    let pauses = pauses.map { WorkoutPause(start: 1000 + $0.0, end: $0.1.map { 1000 + $0 }) }
    #expect(ActiveTime.milliseconds(start: 1000, end: 1100, pauses: pauses) == active)
  }

  @Test func activeTimeIsThatOfCountingEachMillisecond() {
    var random = SeededGenerator()
    for _ in 0..<500 {
      let pauses = (0..<5).map { _ in
        WorkoutPause(
          start: .random(in: -10...70, using: &random),
          end: Bool.random(using: &random) ? .random(in: -10...70, using: &random) : nil)
      }
      let counted = (0..<60).count { time in !pauses.contains { $0.start <= time && time < $0.end ?? 60 } }
      #expect(ActiveTime.milliseconds(start: 0, end: 60, pauses: pauses) == Int64(counted), "\(random)")
    }
  }

  @Test func extremeClocksGiveATime() {
    #expect(ActiveTime.milliseconds(start: 5, end: 4, pauses: []) == 0)
    #expect(ActiveTime.milliseconds(start: .min, end: .max, pauses: [WorkoutPause(start: .min, end: nil)]) == 0)
    #expect(ActiveTime.milliseconds(start: .min, end: .max, pauses: []) == .max)
  }

  @Test func typesAreComplete() {
    #expect(Set(WorkoutType.all.map(\.id)).count == WorkoutType.all.count)
    for type in WorkoutType.all {
      #expect(!type.intensities.isEmpty)
      #expect(WorkoutType.find(type.id) == type)
      let mets = type.intensities.compactMap { type.entries[$0]?.met }
      #expect(mets == mets.sorted(), "\(type.id)")
      #expect(mets.allSatisfy { (1...20).contains($0) })
      #expect(type.entries.values.allSatisfy { $0.code.count == 5 && Int($0.code) != nil })
    }
    #expect(WorkoutType.find("napping") == nil)
    #expect(WorkoutType.find("rowing")?.entries[.vigorous] == CompendiumEntry(code: "02072", met: 7.5))
  }
}
