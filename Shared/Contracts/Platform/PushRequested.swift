/// Asks auth to send a push notification to the devices of a user, as far as the user's settings allow it. Title and
/// text contain no personal data: they pass through outboxes and the providers of push notifications.
public struct PushRequested: Event {
  public static let type = "app.quintet.push"
  public var userID: UserID
  public var title: String
  public var text: String
  public var subject: String { userID.rawValue }
  public init(to userID: UserID, title: String, text: String) {
    (self.userID, self.title, self.text) = (userID, title, text)
  }
}
