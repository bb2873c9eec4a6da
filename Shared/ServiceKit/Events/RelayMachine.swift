import Contracts
import Persistence

/// Decides what the relay does next: a value without clock or I/O.
///
/// It alternates between an exchange with the outbox (write down outcomes, take what is due) and sending; when nothing is
/// due it waits.
struct RelayMachine {
  enum Action: Equatable {
    case exchange([Settled])
    case send([Delivery])
    /// Until events are committed or the moment comes.
    case wait(until: Timestamp?)
  }

  struct Settled: Equatable {
    let delivery: Delivery
    let outcome: DeliveryOutcome
  }

  /// How a subscriber answered.
  enum Answer: Equatable {
    case status(Int, retryAfter: Double?)
    /// No answer, in metric-safe words.
    case failed(String)
  }

  /// Base and ceiling of the back-off, in seconds.
  static let firstDelay = 0.2
  static let longestDelay = 300.0
  /// Attempts after which a delivery is parked: about two days of back-off.
  static let attempts = 600

  private var unwritten: [Settled] = []

  /// Spread of the back-off, from 0 to 1; fixed in tests.
  let jitter: () -> Double

  init(jitter: @escaping () -> Double = { .random(in: 0...1) }) { self.jitter = jitter }

  func start() -> Action { .exchange([]) }

  mutating func exchanged(_ batch: [Delivery], nextDue: Timestamp?) -> Action {
    unwritten = []
    return batch.isEmpty ? .wait(until: nextDue) : .send(batch)
  }

  /// The outbox could not be reached; what is not written down stays known and is written next time.
  func exchangeFailed(at now: Timestamp) -> Action { .wait(until: now.advanced(bySeconds: 1)) }

  mutating func sent(_ answers: [(delivery: Delivery, answer: Answer)], at now: Timestamp) -> Action {
    unwritten += answers.map {
      Settled(delivery: $0.delivery, outcome: outcome(of: $0.answer, to: $0.delivery, at: now))
    }
    return .exchange(unwritten)
  }

  func woken() -> Action { .exchange(unwritten) }

  /// CloudEvents web hooks §2.2: 2xx is done, 410 and other refusals are final, the rest is tried again later.
  func outcome(of answer: Answer, to delivery: Delivery, at now: Timestamp) -> DeliveryOutcome {
    let failure: String
    var delay = min(Self.longestDelay, Self.firstDelay * Double(1 << min(delivery.attempts, 20)))
    delay *= 0.5 + jitter() / 2
    switch answer {
    case .status(200..<300, _): return .delivered
    // 401 and 403 come from keys in rotation, 404 from a service that is being deployed.
    case .status(let status, let retryAfter)
    where status >= 500 || [401, 403, 404, 408, 409, 425, 429].contains(status):
      failure = "status \(status)"
      delay = max(delay, min(Self.longestDelay, retryAfter ?? 0))
    case .status(let status, _): return .dead(failure: "status \(status)")
    case .failed(let reason): failure = reason
    }
    if delivery.attempts + 1 >= Self.attempts { return .dead(failure: failure) }
    return .retry(at: now.advanced(bySeconds: delay), failure: failure)
  }
}
