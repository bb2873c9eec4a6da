import Contracts
import Persistence

/// The relay's state machine: decides what to do next, without clock or I/O.
///
/// It alternates between an exchange with the outbox (write outcomes, claim due deliveries) and sending; when nothing
/// is due, it waits.
struct RelayMachine {
  enum Action: Equatable {
    case exchange([Settled])
    case send([Delivery])
    /// Waits until events are committed or the given time is reached.
    case wait(until: Timestamp?)
  }

  struct Settled: Equatable {
    let delivery: Delivery
    let outcome: DeliveryOutcome
  }

  /// A subscriber's response.
  enum Answer: Equatable {
    case status(Int, retryAfter: Double?)
    /// No response; the reason is safe for use in metrics.
    case failed(String)
  }

  /// Base and maximum of the back-off delay, in seconds.
  static let firstDelay = 0.2
  static let longestDelay = 300.0
  /// Attempts after which a delivery is moved to the dead-letter queue: about two days of back-off.
  static let attempts = 600

  private var unwritten: [Settled] = []

  /// Random factor of the back-off, from 0 to 1; fixed in tests.
  let jitter: () -> Double

  init(jitter: @escaping () -> Double = { .random(in: 0...1) }) { self.jitter = jitter }

  func start() -> Action { .exchange([]) }

  mutating func exchanged(_ batch: [Delivery], nextDue: Timestamp?) -> Action {
    unwritten = []
    return batch.isEmpty ? .wait(until: nextDue) : .send(batch)
  }

  /// Called when the outbox is unavailable; unwritten outcomes are kept and written next time.
  func exchangeFailed(at now: Timestamp) -> Action { .wait(until: now.advanced(bySeconds: 1)) }

  mutating func sent(_ answers: [(delivery: Delivery, answer: Answer)], at now: Timestamp) -> Action {
    unwritten += answers.map {
      Settled(delivery: $0.delivery, outcome: outcome(of: $0.answer, to: $0.delivery, at: now))
    }
    return .exchange(unwritten)
  }

  func woken() -> Action { .exchange(unwritten) }

  /// CloudEvents web hooks §2.2: 2xx is success, 410 and other rejections are final, the rest is retried.
  func outcome(of answer: Answer, to delivery: Delivery, at now: Timestamp) -> DeliveryOutcome {
    let failure: String
    var delay = min(Self.longestDelay, Self.firstDelay * Double(1 << min(delivery.attempts, 20)))
    delay *= 0.5 + jitter() / 2
    switch answer {
    case .status(200..<300, _): return .delivered
    // 401 and 403 can occur during key rotation, 404 while a service is being deployed.
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
