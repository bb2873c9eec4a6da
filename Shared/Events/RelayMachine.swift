import Contracts
import Persistence
import Timing

/// The state machine of the deliveries to one subscriber: decides what to do next, without clock or I/O.
///
/// It has a window of batches on their way, one per lane. A subscriber that is unavailable gets a pause, longer each
/// time, and then one batch as a probe. A batch that fails as a whole is repeated event by event, so that one event
/// that its subscriber cannot survive is found and set aside.
struct RelayMachine {
  enum Action: Equatable {
    /// Record outcomes, and claim what there is room for.
    case exchange([SettledBatch], Outbox.Capacity)
    /// Wait for a wake-up, a result, or the given time.
    case wait(until: Timestamp?)
  }

  /// A queue whose last batch got no response.
  private struct Suspicion {
    var since: Timestamp
    var failures = 0
  }

  /// The most batches on their way.
  static let window = 8
  /// The pauses after failures to reach the subscriber.
  static let pauses = Backoff(first: 0.2, maxDelay: 30)
  /// The delays after which a rejected event is tried again.
  static let delays = Backoff(first: 1, maxDelay: 30)
  /// Attempts after which a rejected event is moved to the dead-letter queue: 5 to 10 minutes.
  static let attempts = 24
  /// How often a single event gets no answer, from a subscriber that answers otherwise, before it counts as rejected.
  static let maxFailures = 3

  /// The most events per second that are sent for longer than ``burst`` seconds, so that a backlog does not take the
  /// database and the processors from those who write.
  static let pace = 2500.0
  static let burst = 0.2

  private var isWoken = true
  private var settled: [SettledBatch] = []
  private var sending: Set<EventBatch.Queue> = []
  private var suspicions: [EventBatch.Queue: Suspicion] = [:]
  private var failures = 0
  private var pausedUntil: Timestamp?
  private var outboxPausedUntil: Timestamp?
  /// When the events that were claimed would have been sent at the pace.
  private var pacedUntil: Timestamp?
  private var lastAnswer: Timestamp?
  private var nextRetry: Timestamp?

  /// Random factor of delays, from 0 to 1; fixed in tests.
  private let jitter: () -> Double

  init(jitter: @escaping () -> Double = { .random(in: 0...1) }) { self.jitter = jitter }

  /// Whether deliveries pause because the subscriber is unavailable.
  func isPaused(at now: Timestamp) -> Bool { pausedUntil.map { now < $0 } ?? false }

  func next(at now: Timestamp) -> Action {
    if let time = outboxPausedUntil, now < time { return .wait(until: time) }
    let capacity = Outbox.Capacity(lanes: room(at: now), except: sending, single: Set(suspicions.keys))
    if !settled.isEmpty { return .exchange(settled, capacity) }
    let nextRetry = sending.contains(.retries) ? nil : nextRetry
    let isRetryDue = nextRetry.map { $0 <= now } ?? false
    if capacity.lanes > 0, isWoken || isRetryDue { return .exchange([], capacity) }
    // With a full window, a result comes before anything else can be done.
    if sending.count >= (failures > 0 ? 1 : Self.window) { return .wait(until: nil) }
    if isPaused(at: now) { return .wait(until: pausedUntil) }
    if let time = nextClaim, now < time, isWoken || isRetryDue { return .wait(until: time) }
    return .wait(until: nextRetry)
  }

  private var nextClaim: Timestamp? { pacedUntil?.advanced(bySeconds: -Self.burst) }

  private func room(at now: Timestamp) -> Int {
    if isPaused(at: now) { return 0 }
    if let nextClaim, now < nextClaim { return 0 }
    return max(0, (failures > 0 ? 1 : Self.window) - sending.count)
  }

  /// New events may be there, or new capacity.
  mutating func woken() { isWoken = true }

  /// The subscriber has another URL, where it may be available.
  mutating func moved() {
    pausedUntil = nil
    isWoken = true
  }

  /// The exchange that ``next(at:)`` asked for has been performed.
  ///
  /// - Parameter nextRetry: When the next retry is due, if the exchange has returned nothing.
  mutating func exchanged(_ batches: [EventBatch], room: Int, nextRetry: Timestamp?, at now: Timestamp) {
    settled = []
    outboxPausedUntil = nil
    // Without room it has looked for nothing.
    if room > 0 {
      isWoken = !batches.isEmpty
      self.nextRetry = nextRetry
    }
    let seconds = Double(batches.reduce(0) { $0 + $1.events.count }) / Self.pace
    pacedUntil = max(pacedUntil ?? now, now).advanced(bySeconds: seconds)
    for batch in batches {
      if batch.events.isEmpty {
        settled.append(SettledBatch(batch, []))
      } else {
        sending.insert(batch.queue)
      }
    }
  }

  /// The outbox is unavailable; outcomes are kept and written next time.
  mutating func exchangeFailed(at now: Timestamp) { outboxPausedUntil = now.advanced(bySeconds: 1) }

  mutating func sent(_ batch: EventBatch, _ answers: [EventOutcome], at now: Timestamp) {
    sending.remove(batch.queue)
    isWoken = true
    let outcomes = judge(batch, answers, at: now)
    settled.append(
      SettledBatch(batch, zip(batch.events, outcomes).map { outcome(of: $1, for: $0, at: now) }))
  }

  /// Decides what is at fault when the subscriber was unavailable: the subscriber, or the event.
  private mutating func judge(_ batch: EventBatch, _ answers: [EventOutcome], at now: Timestamp) -> [EventOutcome] {
    let answers = batch.events.indices.map { index in
      index < answers.count ? answers[index] : .unavailable("no answer", retryAfter: nil)
    }
    var rejected: Set<String> = []
    var unavailable: (reason: String, retryAfter: Double?)?
    for (event, answer) in zip(batch.events, answers) {
      switch answer {
      case .delivered: break
      case .rejected: rejected.insert(event.subject)
      case .unavailable(let reason, let retryAfter):
        if !rejected.contains(event.subject), unavailable == nil { unavailable = (reason, retryAfter) }
      }
    }
    let isAnswered = answers.contains { if case .unavailable = $0 { false } else { true } }
    if isAnswered {
      (failures, pausedUntil, lastAnswer) = (0, nil, now)
    }
    guard let unavailable else {
      suspicions[batch.queue] = nil
      return answers
    }
    var suspicion = suspicions[batch.queue] ?? Suspicion(since: now)
    suspicion.failures += 1
    suspicions[batch.queue] = suspicion
    if batch.events.count == 1, suspicion.failures >= Self.maxFailures, let lastAnswer, lastAnswer > suspicion.since {
      suspicions[batch.queue] = nil
      return [.rejected(unavailable.reason)]
    }
    pause(atLeast: unavailable.retryAfter, at: now)
    return answers
  }

  /// Batches that were on their way together count once.
  private mutating func pause(atLeast seconds: Double?, at now: Timestamp) {
    guard !isPaused(at: now) else { return }
    let pause = Self.pauses.delay(after: failures + 1, random: jitter())
    pausedUntil = now.advanced(bySeconds: max(pause, min(Self.pauses.maxDelay, seconds ?? 0)))
    failures += 1
  }

  private func outcome(of answer: EventOutcome, for event: StoredEvent, at now: Timestamp) -> DeliveryOutcome {
    switch answer {
    case .delivered: return .delivered
    case .unavailable: return .postponed(until: pausedUntil ?? now)
    case .rejected(let failure):
      if event.attempts + 1 >= Self.attempts { return .dead(failure: failure) }
      let delay = Self.delays.delay(after: event.attempts + 1, random: jitter())
      return .retry(at: now.advanced(bySeconds: delay), failure: failure)
    }
  }
}
