import Contracts
import Testing

@testable import Events
@testable import Persistence
@testable import ServiceKit

/// The decisions of the event relay, as tables.
struct RelayMachineTests {
  private let start = Timestamp(microseconds: 0)

  private func event(_ position: Int, _ subject: String = "s", attempts: Int = 0) -> StoredEvent {
    StoredEvent(
      id: "\(position)", type: "t", subject: subject, sequence: position, lane: 3, position: position, data: "{}",
      traceparent: nil, recordedAt: start, attempts: attempts)
  }

  private func batch(_ events: [StoredEvent], _ queue: EventBatch.Queue = .lane(3)) -> EventBatch {
    EventBatch(
      subscriber: "x", queue: queue, claim: "r", events: events, end: events.last?.position ?? 7)
  }

  private func at(_ seconds: Double) -> Timestamp { start.advanced(bySeconds: seconds) }

  /// A machine that has claimed a batch.
  private func sending(_ batches: EventBatch...) -> RelayMachine {
    var machine = RelayMachine(jitter: { 1 })
    machine.exchanged(batches, room: RelayMachine.window, nextRetry: nil, at: start)
    return machine
  }

  private func settled(_ machine: RelayMachine, at time: Timestamp) -> [DeliveryOutcome] {
    guard case .exchange(let settled, _) = machine.next(at: time) else { return [] }
    return settled.flatMap(\.outcomes)
  }

  @Test func claimsUntilNothingIsLeftAndForgetsNothing() {
    let all = Outbox.Capacity(lanes: RelayMachine.window)
    var machine = RelayMachine(jitter: { 1 })
    #expect(machine.next(at: start) == .exchange([], all))
    let sent = batch([event(1)])
    machine.exchanged([sent], room: all.lanes, nextRetry: nil, at: start)
    // There may be more.
    let others = Outbox.Capacity(lanes: RelayMachine.window - 1, except: [.lane(3)])
    #expect(machine.next(at: start) == .exchange([], others))
    machine.exchanged([], room: others.lanes, nextRetry: nil, at: start)
    #expect(machine.next(at: start) == .wait(until: nil))
    machine.sent(sent, [.delivered], at: start)
    let result = SettledBatch(sent, [.delivered])
    #expect(machine.next(at: start) == .exchange([result], all))
    // The outbox is unavailable: the outcomes are written with the next exchange.
    machine.exchangeFailed(at: start)
    #expect(machine.next(at: start) == .wait(until: at(1)))
    #expect(machine.next(at: at(1)) == .exchange([result], all))
    machine.exchanged([], room: all.lanes, nextRetry: at(9), at: start)
    #expect(machine.next(at: at(1)) == .wait(until: at(9)))
    #expect(machine.next(at: at(9)) == .exchange([], all))
    machine.exchanged([], room: all.lanes, nextRetry: nil, at: start)
    machine.woken()
    #expect(machine.next(at: at(9)) == .exchange([], all))
  }

  @Test func aFullWindowWaitsForResults() {
    var machine = RelayMachine(jitter: { 1 })
    let batches = (0..<RelayMachine.window).map { batch([event($0 + 1)], .lane($0)) }
    machine.exchanged(batches, room: RelayMachine.window, nextRetry: nil, at: start)
    machine.woken()
    #expect(machine.next(at: start) == .wait(until: nil))
  }

  /// A backlog is delivered at a limited pace, after a first burst.
  @Test func aBacklogIsPaced() {
    var (machine, now, count) = (RelayMachine(jitter: { 1 }), start, 0)
    let full = batch((1...100).map { event($0) })
    while now < at(10) {
      switch machine.next(at: now) {
      case .exchange(_, let capacity):
        machine.exchanged(capacity.lanes > 0 ? [full] : [], room: capacity.lanes, nextRetry: nil, at: now)
        guard capacity.lanes > 0 else { continue }
        count += 100
        machine.sent(full, full.events.map { _ in .delivered }, at: now)
      case .wait(let until):
        guard let until, until > now else {
          Issue.record("there is no next time")
          return
        }
        now = until
      }
    }
    #expect((25_000...26_000).contains(count))
  }

  /// A batch without events for the subscriber only moves its cursor.
  @Test func emptyBatchesAreSettledAtOnce() {
    var machine = RelayMachine(jitter: { 1 })
    let empty = batch([])
    machine.exchanged([empty], room: RelayMachine.window, nextRetry: nil, at: start)
    #expect(
      machine.next(at: start) == .exchange([SettledBatch(empty, [])], .init(lanes: RelayMachine.window)))
  }

  @Test func anUnavailableSubscriberGetsPausesAndProbes() {
    let sent = (1...8).map { batch([event($0)], .lane($0)) }
    var machine = RelayMachine(jitter: { 1 })
    machine.exchanged(sent, room: RelayMachine.window, nextRetry: nil, at: start)
    for batch in sent { machine.sent(batch, [.unavailable("x", retryAfter: nil)], at: start) }
    // Batches that were on their way together are one failure. Outcomes are recorded, but nothing is claimed.
    guard case .exchange(let settled, let capacity) = machine.next(at: start) else {
      Issue.record("outcomes are not recorded")
      return
    }
    #expect(settled.flatMap(\.outcomes) == sent.map { _ in .postponed(until: at(0.2)) })
    #expect(capacity.lanes == 0)
    machine.exchanged([], room: 0, nextRetry: nil, at: start)
    #expect(machine.next(at: start) == .wait(until: at(0.2)))

    // One probe; its failure makes the next pause longer, up to a limit.
    var (now, pauses): (Timestamp, [Double]) = (at(0.2), [])
    for _ in 0..<10 {
      guard case .exchange(_, let probe) = machine.next(at: now) else {
        Issue.record("there is no probe")
        return
      }
      #expect(probe.lanes == 1)
      machine.exchanged([sent[0]], room: 1, nextRetry: nil, at: start)
      #expect(machine.next(at: now) == .wait(until: nil))
      machine.sent(sent[0], [.unavailable("x", retryAfter: nil)], at: now)
      machine.exchanged([], room: 0, nextRetry: nil, at: start)
      guard case .wait(let until?) = machine.next(at: now) else {
        Issue.record("there is no pause")
        return
      }
      pauses.append(until.seconds(since: now))
      now = until
    }
    #expect(pauses == [0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30, 30, 30])

    // An answer ends it.
    machine.exchanged([sent[0]], room: 1, nextRetry: nil, at: start)
    machine.sent(sent[0], [.delivered], at: now)
    guard case .exchange(_, let open) = machine.next(at: now) else {
      Issue.record("nothing is claimed")
      return
    }
    #expect(open.lanes == RelayMachine.window)
  }

  @Test func retryAfterIsRespectedUpToALimit() {
    for (asked, pause) in [(7.0, 7.0), (3600, 30)] {
      let sent = batch([event(1)])
      var machine = sending(sent)
      machine.sent(sent, [.unavailable("status 503", retryAfter: asked)], at: start)
      #expect(settled(machine, at: start) == [.postponed(until: at(pause))])
    }
  }

  /// A rejection is no reason to pause: the subscriber works.
  @Test func rejectedEventsAreRetriedForMinutes() {
    var (total, attempts) = (0.0, 0)
    while true {
      let sent = batch([event(1, attempts: attempts)], .retries)
      var machine = sending(sent)
      machine.sent(sent, [.rejected("status 422")], at: start)
      #expect(!machine.isPaused(at: start))
      guard case .retry(let time, "status 422")? = settled(machine, at: start).first else { break }
      total += time.seconds(since: start)
      attempts += 1
    }
    #expect(attempts == RelayMachine.attempts - 1)
    #expect((300...900).contains(total))
  }

  /// A batch that gets no answer is repeated event by event; the one event that never gets one, although the subscriber
  /// answers otherwise, is set aside.
  @Test func anEventThatBreaksItsSubscriberIsFound() {
    let (first, other) = (batch([event(1, "a"), event(2, "b")]), batch([event(1, "c")], .lane(4)))
    var machine = sending(first, other)
    machine.sent(first, [.unavailable("timeout", retryAfter: nil)], at: start)
    #expect(settled(machine, at: start) == [.postponed(until: at(0.2)), .postponed(until: at(0.2))])
    guard case .exchange(_, let capacity) = machine.next(at: start) else {
      Issue.record("outcomes are not recorded")
      return
    }
    #expect(capacity.single == [.lane(3)])
    machine.exchanged([], room: 0, nextRetry: nil, at: start)
    machine.sent(other, [.delivered], at: at(1))
    let single = batch([event(1, "a")])
    var outcomes: [[DeliveryOutcome]] = []
    for attempt in 2...RelayMachine.maxFailures {
      machine.exchanged([single], room: 8, nextRetry: nil, at: start)
      machine.sent(single, [.unavailable("timeout", retryAfter: nil)], at: at(Double(attempt)))
      outcomes.append(settled(machine, at: at(Double(attempt))))
    }
    #expect(outcomes[0] == [.postponed(until: at(2.2))])
    #expect(outcomes[1] == [.retry(at: at(4), failure: "timeout")])
  }

  /// If it answers nothing else, the event is not to blame.
  @Test func anOutageRejectsNothing() {
    let single = batch([event(1)])
    var machine = RelayMachine(jitter: { 1 })
    for second in 0..<50 {
      machine.exchanged([single], room: 8, nextRetry: nil, at: start)
      machine.sent(single, [.unavailable("refused", retryAfter: nil)], at: at(Double(second * 40)))
      guard case .postponed? = settled(machine, at: at(Double(second * 40))).first else {
        Issue.record("rejected at \(second)")
        return
      }
    }
  }

  // MARK: lanes

  /// The events that are set aside, and from where the lane goes on.
  @Test func progressOfALane() {
    let later = at(5)
    let retry = DeliveryOutcome.retry(at: later, failure: "x")
    func progress(_ outcomes: [DeliveryOutcome], behind: [StoredEvent] = []) -> LaneProgress {
      var sent = batch([event(1, "a"), event(2, "b"), event(4, "a")])
      (sent.behind, sent.end) = (behind, 9)
      return LaneProgress(SettledBatch(sent, outcomes))
    }
    #expect(progress([.delivered, .delivered, .delivered]).end == 9)
    #expect(progress([.delivered, .delivered, .delivered]).deferred.isEmpty)
    let rejected = progress([retry, .delivered, .postponed(until: later)], behind: [event(3, "c")])
    #expect(rejected.end == 9)
    #expect(rejected.deferred.map(\.event.position) == [1, 3, 4])
    #expect(rejected.deferred.map(\.outcome) == [retry, nil, nil])
    let stopped = progress([retry, .postponed(until: later), .delivered], behind: [event(3, "c")])
    #expect(stopped.end == 1)
    #expect(stopped.deferred.map(\.event.position) == [1])
  }

  @Test(arguments: [
    (200, "delivered"), (204, "delivered"), (410, "rejected"), (400, "rejected"), (422, "rejected"), (409, "rejected"),
    (500, "rejected"), (404, "rejected"), (424, "unavailable"), (429, "unavailable"), (503, "unavailable"),
  ])
  func resultsOfEvents(status: Int, expected: String) {
    #expect(name(HTTPEventTransport.outcome(ofEvent: status)) == expected)
  }

  @Test(arguments: [
    (204, "delivered"), (401, "unavailable"), (403, "unavailable"), (404, "unavailable"), (429, "unavailable"),
    (500, "unavailable"), (503, "unavailable"), (422, "rejected"),
  ])
  func responsesToRequests(status: Int, expected: String) {
    #expect(name(HTTPEventTransport.outcome(of: status, retryAfter: nil)) == expected)
  }

  private func name(_ outcome: EventOutcome) -> String {
    switch outcome {
    case .delivered: "delivered"
    case .rejected: "rejected"
    case .unavailable: "unavailable"
    }
  }
}
