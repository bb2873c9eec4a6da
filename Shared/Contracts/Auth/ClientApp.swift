/// The apps that users can sign in to; an app is the `aud` of its tokens.
public enum ClientApp: String, WireEnum {
  case archived, keepfit, yesenia, roomi, letustudy, web

  public var scopes: [Scope] { self == .web ? [.account, .administration] : [.account] }
}

/// What a token permits, within the rights of its user. A registered client (``AuthAPI/IssueToken``) gets the scopes it
/// was registered with.
public enum Scope: String, WireEnum {
  /// The caller's account, sessions and settings, and other users' profiles.
  case account
  /// Operations for administrators and support. Only sign-ins to `web` get this scope, so that a token stolen from
  /// another app has no administrative access.
  case administration
}
