public enum RealtimeStream {}
/// Identifies an open stream of events.
public typealias StreamID = ID<RealtimeStream>

/// The topics that a stream follows; the content of the stream's event `topics`.
public struct FollowedTopics: Codable, Sendable, Equatable {
  public var stream: StreamID
  public var topics: [Topic]
  /// The requested topics that the stream does not follow.
  public var refused: [RefusedTopic]
  public init(stream: StreamID, topics: [Topic], refused: [RefusedTopic]) {
    (self.stream, self.topics, self.refused) = (stream, topics, refused)
  }
}

public struct RefusedTopic: Codable, Sendable, Equatable {
  public enum Reason: String, WireEnum {
    /// It does not exist, or the user may not follow it.
    case notAllowed
    /// The service that decides does not respond; the topic may be requested again.
    case unavailable
  }

  public var topic: Topic
  public var reason: Reason
  public init(_ topic: Topic, _ reason: Reason) { (self.topic, self.reason) = (topic, reason) }
}

/// The topics of which a resumed stream has missed events that are no longer stored, so that they have to be loaded
/// again; the content of the stream's event `resync`.
public struct MissedEvents: Codable, Sendable, Equatable {
  /// Whether events of the user were missed.
  public var user: Bool
  public var topics: [Topic]
  public init(user: Bool, topics: [Topic]) { (self.user, self.topics) = (user, topics) }
}

extension Problem.Kind {
  public static let streamNotFound = Self(
    "stream-not-found", status: 404, "The stream was not found",
    meaning: "The stream has ended, is served by another instance that has stopped, or belongs to someone else.",
    remedy: "Open a new stream of events with the topics.")
}
