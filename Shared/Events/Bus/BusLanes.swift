import Contracts

/// An event of a source's lane, or a stretch of a lane without stored events.
struct BusEvent: Sendable {
  var lane: Int
  var position: Int
  /// The position after which it follows: nothing lies between the two.
  var previous: Int
  /// `nil` when the source has nothing more up to `position`.
  var event: CloudEvent?
  /// Whether its data is missing, because it is too large for the bus.
  var isTooLarge = false
}

/// The events that a consumer has taken from a broker and not yet applied, by lane: a broker that has lost something, or
/// delivers to another instance too, delivers them with gaps and out of order.
struct BusLanes<Ticket: Sendable>: Sendable {
  /// A gap before the first event of a lane that waits or, where none waits, up to what the source has announced.
  struct Gap: Equatable {
    var lane: Int
    var after: Int
    var before: Int
  }

  private struct Waiting {
    var event: CloudEvent
    /// The message, of each of its deliveries the last one.
    var ticket: Ticket
  }

  private struct Lane {
    var waiting: [Int: Waiting] = [:]
    /// The position after which there is a gap, and since when.
    var gap: (after: Int, since: Timestamp)?
  }

  private var lanes: [Int: Lane] = [:]

  /// How many events wait.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The messages of all that wait.
  var tickets: [Ticket] { lanes.values.flatMap { $0.waiting.values.map(\.ticket) } }

  mutating func add(_ event: CloudEvent, lane: Int, position: Int, _ ticket: Ticket) {
    let old = lanes[lane, default: Lane()].waiting.updateValue(Waiting(event: event, ticket: ticket), forKey: position)
    if old == nil { count += 1 }
  }

  /// The events that can be applied: late events, and those that follow the lane's position without a gap.
  ///
  /// - Parameter positions: How far the lanes are; 0 for those that are missing.
  func ready(after positions: [Int: Int]) -> [BusEvent] {
    var ready: [BusEvent] = []
    for (number, lane) in lanes.sorted(by: { $0.key < $1.key }) {
      var last = positions[number] ?? 0
      for position in lane.waiting.keys.sorted() {
        guard position <= last + 1, let event = lane.waiting[position]?.event else { break }
        ready.append(BusEvent(lane: number, position: position, previous: position - 1, event: event))
        last = max(last, position)
      }
    }
    return ready
  }

  /// Removes what has been applied.
  ///
  /// - Returns: The messages of those events.
  mutating func take(_ events: [BusEvent]) -> [Ticket] {
    events.compactMap { event in
      guard let item = lanes[event.lane]?.waiting.removeValue(forKey: event.position) else { return nil }
      count -= 1
      return item.ticket
    }
  }

  /// Removes everything; the broker delivers it again.
  mutating func clear() { (lanes, count) = ([:], 0) }

  /// The gaps that have been the same for some seconds. Another instance may still be applying what is missing.
  ///
  /// - Parameters:
  ///   - announced: How far the lanes are at the source. The end of a lane can be lost too.
  ///   - graceSeconds: Of lanes of which events wait, in seconds.
  ///   - announcedGraceSeconds: Of the other lanes, in seconds: what is announced may still be on its way.
  mutating func gaps(
    after positions: [Int: Int], announced: [Int: Int] = [:], at now: Timestamp, graceSeconds: Double,
    announcedGraceSeconds: Double = 0
  ) -> [Gap] {
    var gaps: [Gap] = []
    for number in Set(lanes.keys).union(announced.keys).sorted() {
      let last = positions[number] ?? 0
      let first = lanes[number]?.waiting.keys.min()
      let next = first ?? (announced[number] ?? 0) + 1
      guard next > last + 1 else {
        lanes[number]?.gap = nil
        continue
      }
      if let known = lanes[number]?.gap, known.after == last {
        if now.seconds(since: known.since) >= (first == nil ? announcedGraceSeconds : graceSeconds) {
          gaps.append(Gap(lane: number, after: last, before: next))
        }
      } else {
        lanes[number, default: Lane()].gap = (last, now)
      }
    }
    return gaps
  }
}
