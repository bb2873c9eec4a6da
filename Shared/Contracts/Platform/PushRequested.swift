/// Asks auth to send a push notification to the devices of a user, as far as the user's settings allow it. Title and
/// text contain no personal data: they pass through outboxes and the providers of push notifications.
public struct PushRequested: Event {
  public static let type = "app.quintet.push"
  public var userID: UserID
  public var title: String
  public var text: String
  /// Absent in events of older services.
  public var kind: NotificationKind?
  public var subject: String { userID.rawValue }
  public init(to userID: UserID, title: String, text: String, kind: NotificationKind? = nil) {
    (self.userID, self.title, self.text, self.kind) = (userID, title, text, kind)
  }
}

/// Asks auth to send the same push notification to several users, as far as their settings allow it; one event, so that a
/// cause that concerns many does not record one for each of them.
public struct GroupPushRequested: Event {
  public static let type = "app.quintet.group-push"
  /// At most ``maxUsers``.
  public var users: [UserID]
  public var title: String
  public var text: String
  /// The topic of the notification, such as `auction:018f…`; events about the same arrive in order.
  public var topic: Topic
  /// Absent in events of older services.
  public var kind: NotificationKind?
  public var subject: String { topic.rawValue }
  public init(to users: [UserID], about topic: Topic, title: String, text: String, kind: NotificationKind? = nil) {
    (self.users, self.topic, self.title, self.text, self.kind) = (users, topic, title, text, kind)
  }

  public static let maxUsers = 200
}

/// Asks matching to have those who follow a user notified (``GroupPushRequested``).
public struct FollowersPushRequested: Event {
  public static let type = "app.quintet.followers-push"
  public var userID: UserID
  public var title: String
  public var text: String
  public var topic: Topic
  public var kind: NotificationKind
  public var subject: String { topic.rawValue }
  public init(toFollowersOf userID: UserID, about topic: Topic, title: String, text: String, kind: NotificationKind) {
    (self.userID, self.topic, self.title, self.text, self.kind) = (userID, topic, title, text, kind)
  }
}
