public import Contracts

/// An app with pages in the browser. It is the name of a folder, of a path and of a cookie.
public enum WebApp: String, Sendable, CaseIterable {
  case archived, keepfit, yesenia, roomi, letustudy
  /// Profile, sessions, second factors and privacy of all apps.
  case account
  /// The back office.
  case admin

  /// The client app that users sign in to, which decides what their tokens permit.
  public var clientApp: ClientApp {
    switch self {
    case .archived: .archived
    case .keepfit: .keepfit
    case .yesenia: .yesenia
    case .roomi: .roomi
    case .letustudy: .letustudy
    case .account: .account
    case .admin: .web
    }
  }
}
