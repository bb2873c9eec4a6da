import Testing

@testable import StudyModel

struct IntervalFuzzTests {
  private static let ranges: [(Int, ClosedRange<Int>?)] = [
    (1, nil), (2, nil), (3, 2...4), (7, 5...9), (10, 8...12), (20, 17...23), (100, 93...107),
  ]

  @Test(arguments: ranges)
  func rangeIsThatOfPyFSRS(days: Int, range: ClosedRange<Int>?) {
    #expect(IntervalFuzz.range(days: days, maximum: 36_500) == range)
  }

  @Test func staysInRangeAndReachesAllOfIt() {
    for days in [3, 10, 100] {
      let seen = Set((0..<3000).map { IntervalFuzz.apply(days: days, maximum: 36_500, cardID: "card\($0)", reps: 4) })
      #expect(seen == IntervalFuzz.range(days: days, maximum: 36_500).map { Set($0) })
    }
  }

  @Test func maximumIsNotExceeded() {
    #expect((0..<500).allSatisfy { IntervalFuzz.apply(days: 100, maximum: 100, cardID: "\($0)", reps: 1) <= 100 })
    #expect((0..<500).allSatisfy { IntervalFuzz.apply(days: 3, maximum: 1, cardID: "\($0)", reps: 1) <= 1 })
  }

  /// Values that every implementation of the documented hash and generator has; devices rely on them.
  @Test func isTheSameEverywhere() {
    var hash = StableHash()
    hash.combine("a")
    // FNV-1a of "a" and a zero byte.
    #expect(hash.value == UInt64(0x89be_207b_544f_1e4))
    var random = SeededRandom(seed: 0)
    #expect(random.next() == 0xe220_a839_7b1d_cdaf)
  }

  @Test func schedulerAppliesIt() throws {
    var memory = CardMemory(cardID: "card")
    let scheduler = try Scheduler(fuzz: true)
    let exact = try Scheduler.exact()
    for _ in 0..<6 {
      let time = memory.due ?? newYear
      let days = exact.review(memory, rating: .good, at: time).intervalDays
      memory = scheduler.review(memory, rating: .good, at: time)
      let expected = IntervalFuzz.apply(days: days, maximum: 36_500, cardID: "card", reps: memory.reps)
      #expect(memory.intervalDays == (days == 0 ? 0 : expected))
    }
  }
}
