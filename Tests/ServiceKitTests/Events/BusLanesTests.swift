import Contracts
import Testing

@testable import Events
@testable import ServiceKit

/// The events that wait in a lane until they can be applied.
struct BusLanesTests {
  private func lanes(_ received: [(lane: Int, position: Int)]) -> BusLanes<String> {
    var lanes = BusLanes<String>()
    for (index, item) in received.enumerated() {
      let event = CloudEvent(
        id: "\(item.lane).\(item.position)", source: "/a", type: "t", subject: "s", time: Timestamp(microseconds: 0),
        traceparent: nil, lane: item.lane, position: item.position, data: .null)
      lanes.add(event, lane: item.lane, position: item.position, "message \(index)")
    }
    return lanes
  }

  private func ready(_ lanes: BusLanes<String>, after positions: [Int: Int]) -> [String] {
    lanes.ready(after: positions).compactMap(\.event?.id)
  }

  @Test("events are ready in the order of their lane, up to the first gap; late ones always")
  func order() {
    let received = lanes([(0, 3), (1, 1), (0, 1), (0, 2), (0, 5), (1, 3)])
    #expect(ready(received, after: [:]) == ["0.1", "0.2", "0.3", "1.1"])
    #expect(ready(received, after: [0: 2]) == ["0.1", "0.2", "0.3", "1.1"])
    #expect(ready(received, after: [0: 4, 1: 2]) == ["0.1", "0.2", "0.3", "0.5", "1.1", "1.3"])
    #expect(ready(lanes([(0, 2)]), after: [:]) == [])
  }

  @Test("what was applied is removed with the message of its last delivery")
  func taking() {
    var received = lanes([(0, 1), (0, 2), (0, 4), (0, 1)])
    #expect(received.count == 3)
    #expect(received.take(received.ready(after: [:])) == ["message 3", "message 1"])
    #expect(received.tickets == ["message 2"])
    #expect(received.count == 1)
    received.clear()
    #expect(received.isEmpty)
  }

  @Test("a gap is reported when it has been there for some seconds, and only that one")
  func gaps() {
    var received = lanes([(0, 4), (1, 1), (2, 9)])
    let start = Timestamp(microseconds: 0)
    #expect(received.gaps(after: [2: 5], at: start, graceSeconds: 3) == [])
    #expect(received.gaps(after: [2: 5], at: start.advanced(bySeconds: 2), graceSeconds: 3) == [])
    // Another instance goes on in lane 2.
    let gaps = received.gaps(after: [2: 6], at: start.advanced(bySeconds: 3), graceSeconds: 3)
    #expect(gaps == [.init(lane: 0, after: 0, before: 4)])
    #expect(received.gaps(after: [0: 3, 2: 8], at: start.advanced(bySeconds: 60), graceSeconds: 3) == [])
  }

  @Test("the lost end of a lane is a gap too, whatever other lanes bring")
  func announcedGaps() {
    var received = lanes([(0, 1), (1, 4)])
    let start = Timestamp(microseconds: 0)
    func gaps(_ positions: [Int: Int], _ announced: [Int: Int], at seconds: Double) -> [BusLanes<String>.Gap] {
      received.gaps(
        after: positions, announced: announced, at: start.advanced(bySeconds: seconds), graceSeconds: 3,
        announcedGraceSeconds: 10)
    }
    #expect(gaps([1: 3, 2: 5, 3: 7], [1: 9, 2: 8, 3: 7], at: 0) == [])
    #expect(gaps([1: 3, 2: 5, 3: 7], [1: 9, 2: 8, 3: 7], at: 9) == [])
    // Lane 0 goes on, in lane 1 something waits that is next, and lane 3 is complete.
    let found = gaps([0: 1, 1: 3, 2: 5, 3: 7], [0: 1, 1: 9, 2: 9, 3: 7], at: 10)
    #expect(found == [.init(lane: 2, after: 5, before: 10)])
    #expect(gaps([0: 1, 1: 3, 2: 6, 3: 7], [2: 9], at: 19) == [])
  }
}
