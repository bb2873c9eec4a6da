/// The apps that users can sign in to; an app is the `aud` of its tokens.
public enum ClientApp: String, WireEnum {
  case archived, keepfit, yesenia, roomi, letustudy, account, web

  /// The scopes of the tokens of the app's sessions. A registered client (``AuthAPI/IssueToken``) gets the scopes it
  /// was registered with. Only `web` has `administration`, so that a token stolen from another app has no
  /// administrative access.
  public var scopes: [Scope] {
    switch self {
    case .archived:
      [
        .account, .messages, .connections, .comments, .media, .listings, .auctions, .licenses, .sales, .cart, .orders,
        .payments,
      ]
    case .keepfit: [.account, .follows, .media, .exercises, .workouts, .livestreams, .sync]
    case .yesenia: [.account, .comments, .media, .cart, .orders, .payments, .posts, .newsletter]
    case .roomi: [.account, .messages, .media, .roommates]
    case .letustudy: [.account, .messages, .media, .study, .quizzes, .courses, .sync, .plans, .payments]
    // The page where users look after what all apps know of them; staff, too, so it must not lead to the back office.
    case .account: [.account, .media]
    case .web: Scope.allCases
    }
  }
}
