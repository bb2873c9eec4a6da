import Foundation
import HTTPServing
import TestKit
import Testing

@testable import ServiceKit

/// The queue in which requests wait for the processor, in simulated time.
struct QueueDelayTests {
  private struct Result {
    var served = 0
    var refused = 0
    /// The longest time from a request's arrival to its refusal, and to its response, in seconds.
    var slowestRefusal = 0.0
    var slowestResponse = 0.0
  }

  /// One processor that takes requests in the order of their arrival, for some seconds.
  ///
  /// - Parameters:
  ///   - load: Arrivals as a multiple of what can be served.
  ///   - work: What a served and a refused request cost, in seconds.
  private func simulate(load: Double, seconds: Double, work: (served: Double, refused: Double)) -> Result {
    var generator = SeededGenerator()
    var arrivals: [Double] = []
    var time = 0.0
    while time < seconds {
      // Poisson arrivals of bursts: of each ten requests, all come at once.
      time += -log(Double.random(in: 0.000_001...1, using: &generator)) * 10 * work.served / load
      arrivals += Array(repeating: time, count: 10)
    }
    var (delay, result, now) = (QueueDelay(maxWait: 0.04), Result(), 0.0)
    for arrival in arrivals {
      if arrival >= now {
        now = arrival
        delay.passedEmptyQueue(at: now)
        now += work.served
        result.served += 1
      } else if delay.admits(waited: now - arrival, at: now) {
        now += work.served
        result.served += 1
        result.slowestResponse = max(result.slowestResponse, now - arrival)
      } else {
        now += work.refused
        result.refused += 1
        result.slowestRefusal = max(result.slowestRefusal, now - arrival)
      }
    }
    return result
  }

  @Test("4 × overload keeps 80 % of what can be served, and refuses the rest within 50 ms")
  func overloadKeepsItsGoodput() {
    let result = simulate(load: 4, seconds: 20, work: (0.000_5, 0.000_02))
    #expect(result.served > 20 * 2000 * 8 / 10)
    #expect(result.refused > result.served * 2)
    #expect(result.slowestRefusal < 0.05)
    #expect(result.slowestResponse < 0.05)
  }

  @Test func whatCanBeServedIsServed() {
    let result = simulate(load: 0.3, seconds: 20, work: (0.000_5, 0.000_02))
    #expect(result.refused == 0)
  }

  @Test func burstsWaitAndOverloadDoesNot() {
    var delay = QueueDelay(maxWait: 0.04)
    func admits(_ waited: Double, at now: Double) -> Bool { delay.admits(waited: waited, at: now) }
    // Nothing was waiting before.
    delay.passedEmptyQueue(at: 0)
    #expect(admits(0.04, at: 0.04))
    #expect(!admits(0.041, at: 0.05))
    // The queue was never short in the next interval.
    #expect(admits(0.02, at: 0.11))
    #expect(admits(0.03, at: 0.2))
    #expect(!admits(0.021, at: 0.22))
    #expect(delay.isStanding)
    #expect(admits(0.02, at: 0.23))
    // Empty for a moment: the next burst may wait again.
    delay.passedEmptyQueue(at: 0.3)
    #expect(admits(0.03, at: 0.4))
    #expect(!delay.isStanding)
    // No request came for a while.
    #expect(admits(0.04, at: 9))
  }
}
