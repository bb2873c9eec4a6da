/// The apps that may sign users in; the app is the `aud` of its tokens.
public enum ClientApp: String, WireEnum {
  case archived, keepfit, yesenia, roomi, letustudy, web

  /// What tokens of the app allow.
  public var scopes: [Scope] { self == .web ? [.account, .administration] : [.account] }
}

/// What a token allows, within the rights of its user. A registered client (``AuthAPI/IssueToken``) gets those it was
/// registered with.
public enum Scope: String, WireEnum {
  /// The own account, sessions and settings, and the profiles of others.
  case account
  /// What the rights of administrators and support reach; administrators sign in to `web` for it, so that a token stolen
  /// from another app administers nothing.
  case administration
}
