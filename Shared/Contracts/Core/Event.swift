/// Something that happened in a service, delivered to other services after its transaction has been committed.
///
/// It is sent as a structured CloudEvent 1.0 with `source` `/<service>`; `data` is the encoded value.
public protocol Event: Codable, Sendable {
  /// Reverse-DNS CloudEvents type, such as `app.quintet.auth.user-registered`. Additive changes do not affect it.
  static var type: String { get }
  /// What the event is about; events with the same subject reach a consumer in order.
  var subject: String { get }
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
  public var data: JSONValue

  public init(
    id: String, source: String, type: String, subject: String, time: Timestamp, traceparent: String?, data: JSONValue
  ) {
    (self.specversion, self.id, self.source, self.type, self.subject) = ("1.0", id, source, type, subject)
    (self.time, self.datacontenttype, self.traceparent, self.data) = (time, "application/json", traceparent, data)
  }
}
