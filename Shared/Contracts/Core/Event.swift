/// Something that happened in a service, delivered to other services after its transaction has been committed.
///
/// It is sent as a structured CloudEvent 1.0 with `source` `/<service>`; `data` is the encoded value.
public protocol Event: Codable, Sendable {
  /// Reverse-DNS CloudEvents type, such as `app.quintet.auth.user-registered`. Additive changes do not affect it.
  static var type: String { get }
  /// The subject of the event; events with the same subject reach a consumer in order.
  var subject: String { get }
  /// How long a service keeps an event for new and restored consumers after it was delivered, in seconds; at most 7
  /// days, because consumers remember for 14 days which events they have received.
  static var retentionSeconds: Double { get }
}

extension Event {
  /// How long a service keeps an event for new and restored consumers after it was delivered, in seconds.
  public static var retentionSeconds: Double { 7 * 24 * 3600 }
}

/// A CloudEvents 1.0 envelope in structured JSON mode (`application/cloudevents+json`).
public struct CloudEvent: Codable, Sendable {
  public var specversion: String
  public var id: String
  public var source: String
  public var type: String
  public var subject: String
  public var time: Timestamp
  public var datacontenttype: String
  public var traceparent: String?
  /// The lane of its subject at the source: an extension attribute. Events of one lane have an order, and those of one
  /// subject are in one lane.
  public var lane: Int?
  /// The position in the lane, from 1 and without gaps over all types: CloudEvents' extension attribute `sequence`, a
  /// decimal number with leading zeros, so that it sorts as text.
  public var sequence: String?
  public var data: JSONValue

  public init(
    id: String, source: String, type: String, subject: String, time: Timestamp, traceparent: String?,
    lane: Int? = nil, position: Int? = nil, data: JSONValue
  ) {
    (self.specversion, self.id, self.source, self.type, self.subject) = ("1.0", id, source, type, subject)
    (self.time, self.datacontenttype, self.traceparent, self.data) = (time, "application/json", traceparent, data)
    self.lane = lane
    sequence = position.map { position in
      let digits = String(position)
      return String(repeating: "0", count: max(0, 19 - digits.count)) + digits
    }
  }

  /// `sequence` as a number; `nil` when it is unset or none.
  public var position: Int? { sequence.flatMap { Int($0) } }
}
