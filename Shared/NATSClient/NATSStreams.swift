/// A stream on the servers' disks that keeps messages until they are too old or too many, and then drops the oldest.
public struct StreamConfiguration: Sendable, Equatable {
  /// Without dots and spaces.
  public var name: String
  /// The subjects of its messages; `*` stands for one word, `>` at the end for one or more.
  public var subjects: [String]
  public var maxAgeSeconds: Double
  /// `nil` for no limit of its own.
  public var maxBytes: Int64?
  /// On how many servers of a cluster it is stored, from 1 to 5.
  public var replicas: Int
  /// How long the ids of messages are remembered; at most `maxAgeSeconds`.
  public var duplicateSeconds: Double

  public init(
    name: String, subjects: [String], maxAgeSeconds: Double, maxBytes: Int64? = nil, replicas: Int = 1,
    duplicateSeconds: Double = 120
  ) {
    (self.name, self.subjects, self.maxAgeSeconds) = (name, subjects, maxAgeSeconds)
    (self.maxBytes, self.replicas, self.duplicateSeconds) = (maxBytes, replicas, duplicateSeconds)
  }
}

/// The content of a stream.
public struct StreamState: Sendable, Equatable {
  public var messages: UInt64
  public var firstSequence: UInt64
  /// The number of the last message, also when it is no longer stored.
  public var lastSequence: UInt64
}

/// The stream's answer to a message that it has stored.
public struct StreamAcknowledgment: Sendable, Equatable {
  public var stream: String
  public var sequence: UInt64
  /// Whether a message of the same id was stored before; then `sequence` is that message's.
  public var isDuplicate: Bool
}

/// A durable consumer, from which several processes pull messages: each is delivered to one of them, and again when it
/// is not settled in time.
public struct ConsumerConfiguration: Sendable, Equatable {
  /// Without dots and spaces.
  public var name: String
  /// Only messages of this subject, which may have wildcards.
  public var filter: String
  /// How long a message may remain without an answer.
  public var acknowledgeSeconds: Double
  /// How many messages may be without an answer at the same time.
  public var maxUnsettled: Int

  public init(name: String, filter: String, acknowledgeSeconds: Double = 30, maxUnsettled: Int = 1000) {
    (self.name, self.filter) = (name, filter)
    (self.acknowledgeSeconds, self.maxUnsettled) = (acknowledgeSeconds, maxUnsettled)
  }
}

/// The outcome of a message; the texts are those of JetStream's protocol (reference "JetStream wire API", Acking
/// Messages).
public enum DeliveryOutcome: Sendable, Equatable {
  case acknowledged
  /// To be delivered again after some seconds.
  case again(seconds: Double)
  /// Not to be delivered again, although it had no effect.
  case abandoned
  /// The time for the answer begins anew.
  case inProgress

  var text: String {
    switch self {
    case .acknowledged: "+ACK"
    case .again(let seconds): "-NAK {\"delay\": \(Int64(seconds * 1_000_000_000))}"
    case .abandoned: "+TERM"
    case .inProgress: "+WPI"
    }
  }
}
