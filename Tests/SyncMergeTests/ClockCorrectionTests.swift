import SyncMerge
import TestKit
import Testing

struct ClockCorrectionTests {
  private static let now: UInt64 = 1_770_000_000_000
  private static let year: UInt64 = 31_557_600_000
  /// The times that wrong clocks show when it is now.
  static let wrongClocks: [UInt64] = [0, 4_102_444_800_000, now + 10 * year, now - 10 * year, now + 61_000, .max]

  @Test func aClockWithinAMinuteIsKept() {
    for wall in [Self.now - 60_000, Self.now, Self.now + 60_000] {
      var correction = ClockCorrection(now: Self.now, deviceTime: wall)
      #expect(correction.offset == 0)
      #expect(correction.correct(at(wall), seen: .zero) == at(wall))
    }
  }

  @Test(arguments: wrongClocks)
  func whatWasDoneAMomentAgoIsAMomentAgo(_ wall: UInt64) {
    var correction = ClockCorrection(now: Self.now, deviceTime: wall)
    let done = wall < 5000 ? 0 : min(wall, 1 << 48 - 1) - 5000
    let corrected = correction.correct(at(done), seen: .zero)
    #expect(corrected.milliseconds <= Self.now)
    #expect(corrected.milliseconds >= Self.now - 5000)
    #expect(corrected.device == 1)
  }

  @Test(arguments: wrongClocks)
  func itNeverWinsOverALaterEditOfAnother(_ wall: UInt64) {
    var correction = ClockCorrection(now: Self.now, deviceTime: wall)
    var record = TestRecord()
    let version = correction.correct(at(wall), seen: .zero)
    _ = record.apply(.put("n", .number(1), at: version))
    let outcome = record.apply(.put("n", .number(2), at: at(Self.now + 1, 2), seen: record.version))
    #expect(outcome == .applied)
    #expect(record["n"] == .number(2))
  }

  @Test(arguments: wrongClocks)
  func itWinsOverWhatItHasSeen(_ wall: UInt64) {
    var correction = ClockCorrection(now: Self.now, deviceTime: wall)
    // Within the tolerance, other devices can be ahead.
    let seen = at(Self.now + 50_000, 2, counter: .max)
    let corrected = correction.correct(at(wall), seen: seen)
    #expect(corrected > seen)
    #expect(corrected.milliseconds <= seen.milliseconds + 1)
  }

  @Test func itWinsOverItsOwnEditWhoseConfirmationWasLost() {
    let wall = Self.now + 10 * Self.year
    // A slow request: the first edit seems to be five seconds later than it was.
    var first = ClockCorrection(now: Self.now + 5000, deviceTime: wall)
    let stored = first.correct(at(wall), seen: .zero)
    var second = ClockCorrection(now: Self.now + 6000, deviceTime: wall + 6000)
    let later = second.correct(at(wall + 1000), seen: .zero, own: stored)
    #expect(later > stored)
    // Also when the clock was set in between.
    var third = ClockCorrection(now: Self.now + 7000, deviceTime: Self.now + 7000)
    #expect(third.correct(at(Self.now + 2000), seen: .zero, own: stored) > stored)
  }

  @Test func theOrderOfOperationsIsKept() {
    var generator = SeededGenerator()
    for _ in 0..<2000 {
      let skew = Self.wrongClocks.randomElement(using: &generator) ?? 0
      var correction = ClockCorrection(now: Self.now, deviceTime: skew)
      var clock = HybridClock(device: 1)
      var (wall, last) = (skew < 100_000 ? 0 : min(skew, 1 << 48 - 1) - 100_000, HybridTime.zero)
      for _ in 0..<20 {
        // A wall clock that was set in between.
        wall =
          Int.random(in: 0..<20, using: &generator) == 0
          ? Self.now - 50_000 : wall + .random(in: 0...3, using: &generator)
        if Int.random(in: 0..<20, using: &generator) == 0 { clock.reset(to: at(Self.now - 50_000)) }
        let seen = at(Self.now - .random(in: 0...100_000, using: &generator), 2)
        // A rejected operation is corrected and then not applied.
        let corrected = correction.correct(clock.next(at: wall), seen: Bool.random(using: &generator) ? seen : .zero)
        #expect(corrected > last, "\(generator)")
        #expect(corrected.milliseconds <= Self.now + 60_000, "\(generator)")
        last = corrected
      }
    }
  }

  @Test func timesOfLogsAreCorrected() {
    let correction = ClockCorrection(now: Self.now, deviceTime: Self.now + 10 * Self.year)
    #expect(correction.correct(Self.now + 10 * Self.year - 3000) == Self.now - 3000)
    let right = ClockCorrection(now: Self.now, deviceTime: Self.now)
    #expect(right.correct(1000) == 1000)
    #expect(right.correct(Self.now + 61_000) == Self.now)
  }
}
