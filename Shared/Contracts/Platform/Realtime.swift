/// An event for the streams of one user (`GET /v1/events`). Services record it like any event; the gateway stores it
/// for 24 hours and sends it to every open stream of the user.
public struct RealtimeEvent: Event {
  public static let type = "app.quintet.realtime"
  public static var retentionSeconds: Double { 24 * 3600 }
  public var userID: UserID
  /// The name of the event, such as `account.changed`; the `event` field of the stream.
  public var name: String
  /// The content of the stream's `data` field.
  public var data: JSONValue
  public var subject: String { userID.rawValue }
  public init(to userID: UserID, _ name: String, _ data: JSONValue = .object([JSONValue.Member]())) {
    (self.userID, self.name, self.data) = (userID, name, data)
  }
}
