import Contracts

/// The subjects of a platform on NATS. The third word of most names the service that
/// sends, so that a server's permissions can tie each service to its own subjects.
enum BusSubjects {
  static let stream = "quintet"
  /// The subjects that the stream stores.
  static let stored = "quintet.events.>"
  /// Gateways announce that the log of realtime events has grown, and pass on signals.
  static let realtime = "quintet.realtime"
  /// Auth's events of ended sessions, in whatever lane.
  static let endedSessions = "quintet.events.\(AuthAPI.name).*.\(SessionEnded.type)"

  static func event(from source: String, lane: Int, type: String) -> String {
    "quintet.events.\(source).\(lane).\(type)"
  }
  static func events(of source: String) -> String { "quintet.events.\(source).>" }
  /// The source of an event's subject.
  static func source(of subject: String) -> String? {
    let words = subject.split(separator: ".", maxSplits: 4)
    return words.count == 5 && words[0] == "quintet" && words[1] == "events" ? String(words[2]) : nil
  }

  /// The subject on which a service sends signals to the streams that follow a topic.
  static func signals(of service: String) -> String { "quintet.signals.\(service)" }

  /// Consumers ask a source for what they have missed.
  static func replay(of source: String) -> String { "quintet.replay.\(source)" }
  /// A source says how far the stream is.
  static func positions(of source: String) -> String { "quintet.positions.\(source)" }

  /// The durable consumer that the instances of a service share.
  static func consumer(of service: String, from source: String) -> String { "\(service)-from-\(source)" }
}
