import SyncMerge
import TestKit
import Testing

struct HybridTimeTests {
  @Test func textsReadBackAndHaveTheOrderOfTimes() throws {
    var generator = SeededGenerator()
    var last: HybridTime?
    for _ in 0..<10_000 {
      // Few values, so that ties happen in each part.
      let time = HybridTime(
        milliseconds: .random(in: 0...3, using: &generator) << UInt64.random(in: 0...46, using: &generator),
        counter: .random(in: 0...3, using: &generator) << UInt16.random(in: 0...14, using: &generator),
        device: .random(in: 0...3, using: &generator) << UInt64.random(in: 0...62, using: &generator))
      #expect(HybridTime(time.description) == time)
      if let last { #expect((time < last) == (time.description < last.description), "\(generator)") }
      last = time
    }
  }

  @Test func itsTextIsHexadecimal() {
    let time = HybridTime(milliseconds: 0x0199_a1b2_c3d4, counter: 1, device: 0x9f8e_7d6c_5b4a_3210)
    #expect(time.description == "0199a1b2c3d4-0001-9f8e7d6c5b4a3210")
  }

  @Test(arguments: [
    "", "0199a1b2c3d4", "0199a1b2c3d4-0001-9f8e7d6c5b4a321", "0199a1b2c3d4-0001-9f8e7d6c5b4a32100",
    "0199A1b2c3d4-0001-9f8e7d6c5b4a3210", "0199a1b2c3d40-001-9f8e7d6c5b4a3210", "-199a1b2c3d4-0001-9f8e7d6c5b4a3210",
    "0199a1b2c3d4-0001+9f8e7d6c5b4a3210", " 199a1b2c3d4-0001-9f8e7d6c5b4a3210", "0199a1b2c3d4-0001-9f8e7d6c5b4a321é",
  ])
  func otherTextsAreNoTimes(_ text: String) { #expect(HybridTime(text) == nil) }

  @Test func anOverflowingCounterGoesToTheNextMillisecond() {
    #expect(at(5, counter: .max).next(device: 2) == at(6, 2))
    #expect(at(5, counter: 7).next(device: 2) == at(5, 2, counter: 8))
  }

  @Test func aClockOnlyGoesForward() {
    var generator = SeededGenerator()
    for _ in 0..<200 {
      var clock = HybridClock(device: 1)
      for _ in 0..<500 {
        let wall = UInt64.random(in: 0 ... .max, using: &generator) >> UInt64.random(in: 0...63, using: &generator)
        let seen = at(.random(in: 0..<1 << 46, using: &generator), 2, counter: .max)
        if Bool.random(using: &generator) { clock.observe(seen) }
        let last = clock.last
        #expect(clock.next(at: wall) > last, "\(generator)")
      }
    }
  }

  @Test func aStandingClockCountsPastItsCounter() {
    var clock = HybridClock(device: 1)
    var last = clock.next(at: 1000)
    for _ in 0..<70_000 {
      let next = clock.next(at: 1000)
      guard next > last else {
        Issue.record("\(next) after \(last)")
        return
      }
      last = next
    }
    #expect(last.milliseconds == 1001)
  }
}
