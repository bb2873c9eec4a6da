/// Asks matching, which decides who may follow the topics of users, to send an event to those who follow one.
public struct UserTopicEvent: Event {
  public static let type = "app.quintet.user-topic"
  public var userID: UserID
  public var topic: UserTopic
  /// The name of the event, such as `workout.shared`; the `event` field of the stream.
  public var name: String
  /// The content of the stream's `data` field.
  public var data: JSONValue
  public var subject: String { topic.of(userID).rawValue }
  public init(_ userID: UserID, _ topic: UserTopic, _ name: String, _ data: JSONValue) {
    (self.userID, self.topic, self.name, self.data) = (userID, topic, name, data)
  }
}
