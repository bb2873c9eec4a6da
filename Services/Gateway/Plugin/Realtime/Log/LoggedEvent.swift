import Contracts
import NIOCore

/// An entry of the log that all gateways of a database share. One event may have several entries, for a topic and for
/// users; they have the same number.
struct LoggedEvent: Sendable, Equatable {
  enum Subject: Sendable, Hashable {
    /// An event for every stream of a user.
    case user(UserID)
    /// An event for the streams that follow a topic.
    case topic(Topic)
    /// A ``TopicsChange`` of one stream.
    case stream(StreamID)
    /// A ``TopicAccessEnded``.
    case access
  }

  var number: Int64
  var subject: Subject
  var name: String
  /// JSON.
  var data: String

  /// A line break in a name would end the event's frame.
  static func check(_ name: String, at location: String) throws(Problem) {
    let isValid = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard !isValid || !(1...100).contains(name.utf8.count) else { return }
    let message = "must be 1 to 100 letters, digits, dots, hyphens and underscores"
    throw Problem(.invalidRequest, errors: [.init(location: location, message: message)])
  }

  /// The frame as the stream writes it. JSON text has no line breaks.
  var frame: ByteBuffer { ByteBuffer(string: "id: \(number)\nevent: \(name)\ndata: \(data)\n\n") }

  /// The session that has ended, if that is what happened.
  var endedSession: SessionID? {
    guard name == "session.ended", case .user = subject else { return nil }
    let value = try? WireJSON.decode(JSONValue.self, from: data.utf8)
    return value?["session"]?.string.flatMap { SessionID($0) }
  }
}

extension LoggedEvent.Subject {
  init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":") else {
      guard text == "access" else { return nil }
      self = .access
      return
    }
    let rest = String(text[text.index(after: colon)...])
    switch text[..<colon] {
    case "user": self = .user(UserID(trusted: rest))
    case "topic": self = .topic(Topic(checked: rest))
    case "stream": self = .stream(StreamID(trusted: rest))
    default: return nil
    }
  }

  var text: String {
    switch self {
    case .user(let id): "user:\(id)"
    case .topic(let topic): "topic:\(topic)"
    case .stream(let id): "stream:\(id)"
    case .access: "access"
    }
  }
}

/// The topics that a stream follows from here on; in the log because another gateway may hold the stream.
struct TopicsChange: Codable, Sendable, Equatable {
  /// The topics that the user may follow.
  var topics: [Topic]
  var refused: [RefusedTopic]
  /// The number of the log before the user's access was checked: what ended afterwards is not known to the check.
  var checkedAt: Int64
}
