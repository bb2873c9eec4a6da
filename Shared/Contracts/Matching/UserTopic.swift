/// The realtime topics that each user has. Followers and the user may follow the first three; connections, matches and
/// the user may follow `presence`. Other services record ``UserTopicEvent``s.
public enum UserTopic: String, WireEnum {
  case videos, streams, progress, presence

  public static let kind = "user"

  public func of(_ user: UserID) -> Topic { Topic(Self.kind, user.rawValue, rawValue) }
}
