public import Contracts

/// An event as the outbox has stored it.
public struct StoredEvent: Sendable, Equatable {
  public var id: String
  public var type: String
  public var subject: String
  /// Its number within the subject.
  public var sequence: Int
  public var lane: Int
  /// Its position in the lane, from 1.
  public var position: Int
  public var data: String
  public var traceparent: String?
  public var recordedAt: Timestamp
  /// How often the subscriber has rejected it.
  public var attempts = 0
}

/// Events that a relay has claimed for one subscriber.
public struct EventBatch: Sendable, Equatable {
  public enum Queue: Sendable, Hashable {
    /// The next events of a lane.
    case lane(Int)
    /// Events that were rejected before, and those that waited behind them.
    case retries
  }

  public var subscriber: String
  public var queue: Queue
  /// The relay that has claimed the lane.
  public var claim: String
  /// In the order of the lane or, of retries, of each subject.
  public var events: [StoredEvent]
  /// Events of the lane whose subjects wait for a rejected event; they are set aside behind it.
  public var behind: [StoredEvent] = []
  /// The position of the lane up to which it was read; there may be none of the subscriber's events.
  public var end = 0
}

/// The outcome of an event after an attempt, decided by the relay and recorded by the outbox.
public enum DeliveryOutcome: Sendable, Equatable {
  case delivered
  /// Rejected; tried again then, while later events of its subject wait.
  case retry(at: Timestamp, failure: String)
  /// Moved to the dead-letter queue; later events of its subject continue.
  case dead(failure: String)
  /// Not tried: the subscriber was unavailable, or an earlier event of the subject was rejected.
  case postponed(until: Timestamp)
}

/// A batch with one outcome per event.
public struct SettledBatch: Sendable, Equatable {
  public var batch: EventBatch
  public var outcomes: [DeliveryOutcome]

  public init(_ batch: EventBatch, _ outcomes: [DeliveryOutcome]) { (self.batch, self.outcomes) = (batch, outcomes) }
}

/// How far the outcomes of a batch move the cursor of its lane, and what they leave aside.
struct LaneProgress: Equatable {
  struct DeferredEvent: Equatable {
    let event: StoredEvent
    /// `nil` when it only waits behind an earlier event.
    let outcome: DeliveryOutcome?
  }

  private(set) var end: Int
  private(set) var deferred: [DeferredEvent] = []

  init(_ settled: SettledBatch) {
    let batch = settled.batch
    end = batch.end
    let tried = zip(batch.events, settled.outcomes).map { (event: $0, outcome: Optional($1)) }
    let waiting = batch.behind.map { (event: $0, outcome: DeliveryOutcome?.none) }
    var rejected: Set<String> = []
    for (event, outcome) in (tried + waiting).sorted(by: { $0.event.position < $1.event.position }) {
      switch outcome {
      case .delivered: continue
      case .retry, .dead:
        rejected.insert(event.subject)
        deferred.append(DeferredEvent(event: event, outcome: outcome))
      case .postponed where !rejected.contains(event.subject):
        // From here on the lane is delivered again; what was delivered already has no further effect.
        end = event.position - 1
        return
      case .postponed, nil: deferred.append(DeferredEvent(event: event, outcome: nil))
      }
    }
  }
}
