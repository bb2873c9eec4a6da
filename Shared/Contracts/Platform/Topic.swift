/// A topic that a realtime stream follows in addition to the events of its user: `kind:id`, or `kind:id:part`, such as
/// `conversation:018f…` and `user:018f…:videos`. The service that declares the kind decides who may follow it.
public struct Topic: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 3...100, pattern: "^[a-z]+(:[A-Za-z0-9-]+){1,2}$", example: "auction:01890a5d-ac96-774b-bcce-b302099a8057",
    violation: { isWellFormed($0.utf8) ? nil : "must be kind:id or kind:id:part" }
  )

  /// Whether it matches the pattern; without a regular expression, because lists of topics are long.
  private static func isWellFormed(_ text: String.UTF8View) -> Bool {
    var (part, length) = (0, 0)
    for byte in text {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): length += 1
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
        guard part > 0 else { return false }
        length += 1
      case UInt8(ascii: ":"):
        guard length > 0 else { return false }
        (part, length) = (part + 1, 0)
      default: return false
      }
    }
    return length > 0 && (1...2).contains(part)
  }

  /// How many topics a stream can follow.
  public static let maxPerStream = 50

  public init(_ kind: String, _ id: String, _ part: String? = nil) {
    rawValue = "\(kind):\(id)" + (part.map { ":" + $0 } ?? "")
  }

  /// The kind of the topic, such as `auction`.
  public var kind: Substring { rawValue.prefix { $0 != ":" } }
  /// The id after the kind.
  public var id: Substring { parts[1] }
  /// The part after the id.
  public var part: Substring? { parts.count > 2 ? parts[2] : nil }

  private var parts: [Substring] { rawValue.split(separator: ":") }
}

/// An event for every stream that follows a topic. Services record it like any event; the gateway keeps the topic's
/// latest events and sends it to the streams that follow the topic.
public struct TopicEvent: Event {
  public static let type = "app.quintet.topic"
  public static var retentionSeconds: Double { 24 * 3600 }
  public var topic: Topic
  /// The name of the event, such as `message.sent`; the `event` field of the stream.
  public var name: String
  /// The content of the stream's `data` field.
  public var data: JSONValue
  /// Users who receive it also when their streams do not follow the topic, as an event of their own that is kept for
  /// 24 hours. A stream receives it once.
  public var users: [UserID]
  public var subject: String { topic.rawValue }
  public init(_ topic: Topic, _ name: String, _ data: JSONValue, alsoTo users: [UserID] = []) {
    (self.topic, self.name, self.data, self.users) = (topic, name, data, users)
  }
}

/// Users lose the right to follow topics: the gateway removes them from streams. It arrives in order with the
/// events of the first topic.
public struct TopicAccessEnded: Event {
  public static let type = "app.quintet.topic-access-ended"
  public var topics: [Topic]
  /// Everyone when it is unset.
  public var user: UserID?
  public var subject: String { topics.first?.rawValue ?? user?.rawValue ?? "" }
  public init(_ topics: [Topic], for user: UserID?) { (self.topics, self.user) = (topics, user) }
}

/// The internal API by which the gateway asks the service of a topic's kind who may follow it.
public enum TopicsAPI {
  /// Get which of the topics a user may follow.
  public struct Authorize: Endpoint {
    public typealias Response = AllowedTopics
    public static let operation = Operation.post(
      "/internal/v1/topics/authorize", "List the topics that a user may follow", access: .services(GatewayAPI.self),
      idempotency: .safe,
      limits: .init(seconds: 5)
    )
    public var user: UserID
    public var roles: [Role]
    /// At most 50.
    public var topics: [Topic]
    public init(user: UserID, roles: [Role], topics: [Topic]) {
      (self.user, self.roles, self.topics) = (user, roles, topics)
    }
  }

  public struct AllowedTopics: Codable, Sendable, Equatable {
    public var topics: [Topic]
    public init(topics: [Topic]) { self.topics = topics }
  }
}

/// The internal API of the gateway for what is sent to streams and never stored, such as typing.
public enum SignalsAPI {
  /// Send an event to the open streams that follow a topic.
  public struct Send: Endpoint {
    public static let operation = Operation.post(
      "/internal/v1/signals", "Send a transient event", access: .anyService, success: 204
    )
    public var topic: Topic
    public var name: String
    public var data: JSONValue
    /// The user who caused it: their own streams do not receive it.
    public var sender: UserID
    public init(_ topic: Topic, _ name: String, _ data: JSONValue, from sender: UserID) {
      (self.topic, self.name, self.data, self.sender) = (topic, name, data, sender)
    }
  }
}
